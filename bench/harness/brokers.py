"""Brokers under test and the warm clients that load them."""

import os
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field

from harness.processes import HOME, KAFKA, run


@dataclass
class Broker:
    """A broker (or cluster) under test. A driver is a command that takes the verbs of kafka.sh:
    format NODES PORT, prepare NODE PORT, join NODE PORT, launch NODE PORT, start NODES PORT, stop PORT."""

    name: str
    driver: list[str]
    port: int
    nodes: dict[int, int] = field(default_factory=dict)  # node id -> pid
    bootstrap: str = ""

    def drive(self, *args):
        out = run(*self.driver, *map(str, args))
        for line in out.splitlines():
            if line.startswith("node="):
                info = pairs(line)
                self.nodes[int(info["node"])] = int(info["pid"])
                if info["bootstrap"] not in self.bootstrap.split(","):
                    self.bootstrap = ",".join(filter(None, [self.bootstrap, info["bootstrap"]]))

    def start(self, nodes=1):
        self.nodes, self.bootstrap = {}, ""
        self.drive("start", nodes, self.port)

    def format(self, nodes=1):
        self.drive("format", nodes, self.port)

    def prepare(self, node):
        """Of one node, whose disk is empty."""
        self.drive("prepare", node, self.port)

    def join(self, node):
        """Prepares one more, which keeps partitions and does not vote."""
        self.drive("join", node, self.port)

    def launch(self, node=1):
        self.drive("launch", node, self.port)

    def stop(self):
        if self.driver:
            self.drive("stop", self.port)

    @property
    def is_kafka(self):
        return self.driver == [KAFKA]

    @property
    def pids(self):
        return list(self.nodes.values())


@contextmanager
def server_settings(lines):
    """Brokers formatted meanwhile get these settings too, whoever's they are."""
    names = ("PEER_SERVER_PROPERTIES", "HIGHWATER_PROPERTIES")
    before = {name: os.environ.get(name, "") for name in names}
    os.environ.update({name: before[name] + "\n" + lines for name in names})
    try:
        yield
    finally:
        os.environ.update(before)


def flush_each_message(broker, topic):
    """Makes a Kafka's topic as durable as Highwater's internal ones are."""
    configs = (KAFKA, "tool", "kafka-configs", "--bootstrap-server", broker.bootstrap, "--entity-type", "topics", "--entity-name", topic)
    run(*configs, "--alter", "--add-config", "flush.messages=1")
    if "flush.messages=1 " not in run(*configs, "--describe"):
        raise RuntimeError("flush.messages=1 did not take")


class Probe:
    """The warm client of Probe.java, or another that takes and answers commands like it."""

    def __init__(self, bootstrap, program="Probe"):
        self.log = open(HOME / "probe.log", "a")
        self.process = subprocess.Popen(
            [KAFKA, "java", "-Dpeer.log.level=ERROR", program, bootstrap],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("= "):
                info = pairs(line[2:])
                if "error" in info:
                    raise RuntimeError(f"probe: {info['error']}")
                return info
        raise RuntimeError(f"probe died, see {self.log.name}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def pairs(line):
    return dict(word.split("=", 1) for word in line.split())
