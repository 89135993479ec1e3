"""What befalls a cluster beyond one node that is gone: each takes a Cluster of the faults program, and ends with all nodes well again."""

import os
import random
import shutil
import signal
import time
from pathlib import Path

from harness.processes import HERE, kill_hard, run

NODES = 3
RATE, LOAD_S = 1000, 8
TOPIC_SETTINGS = ("segment.bytes=1048576",)


def written(cluster):
    """A topic with some segments of acknowledged records on all nodes; its name and leader."""
    topic = f"d{time.time_ns()}"
    leader, _, replicas = cluster.choose("leader")
    cluster.probe.ask("place", topic, ",".join(map(str, replicas)), *TOPIC_SETTINGS)
    cluster.probe.ask("isr", topic, NODES)
    cluster.probe.ask("fill", topic, 20_000, 500)
    return topic, leader, replicas


def judged(cluster, topic, records=20_000):
    """Once all replicas are in sync: what is there of the records, read from each leader in turn."""
    back = cluster.probe.ask("isr", topic, NODES)
    got = cluster.probe.ask("filled", topic, records)
    cluster.probe.ask("delete", topic)
    return {"rejoin_ms": back["ms"], "lost": got["lost"], "duplicated": got["duplicated"], "reordered": got["reordered"]}


def kill_all(cluster):
    """All nodes are killed at once, under load, and start again."""
    _, _, replicas = cluster.choose("leader")
    topic = f"d{time.time_ns()}"
    cluster.probe.ask("place", topic, ",".join(map(str, replicas)))
    cluster.probe.ask("isr", topic, NODES)
    cluster.probe.ask("failover", topic, RATE, LOAD_S)
    time.sleep(LOAD_S / 2)
    nodes = sorted(cluster.broker.nodes)
    for node in nodes:
        kill_hard(cluster.broker.nodes[node])
    for node in nodes:
        cluster.broker.launch(node)
    outcome = cluster.probe.answer()
    back = cluster.probe.ask("isr", topic, NODES)
    cluster.probe.ask("delete", topic)
    return {"gap_ms": outcome["gap_ms"], "lost": outcome["lost"], "duplicated": outcome["duplicated"], "reordered": outcome["reordered"],
            "failed_sends": outcome["failed"], "rejoin_ms": back["ms"]}


def data_of(cluster, node):
    """The node's log directory; the drivers put it beside its server.properties."""
    command = Path(f"/proc/{cluster.broker.nodes[node]}/cmdline").read_text().split("\0")
    return Path(next(word for word in command if word.endswith("server.properties"))).parent / "data"


def wipe(cluster):
    """A follower's disk is replaced by an empty one while it is down; then the leader dies, so that what was copied is what is read."""
    topic, leader, replicas = written(cluster)
    victim = replicas[1]
    data = data_of(cluster, victim)
    kill_hard(cluster.broker.nodes[victim])
    cluster.probe.ask("out", topic, victim)
    shutil.rmtree(data)
    cluster.broker.prepare(victim)
    cluster.broker.launch(victim)
    cluster.probe.ask("isr", topic, NODES)
    return read_from_others(cluster, topic, leader)


def corrupt(cluster):
    """Bytes in the middle of a closed segment of a follower change while it is down; then the leader dies, and so its log is read."""
    topic, leader, replicas = written(cluster)
    victim = replicas[1]
    data = data_of(cluster, victim)
    kill_hard(cluster.broker.nodes[victim])
    cluster.probe.ask("out", topic, victim)
    segment = sorted((data / f"{topic}-0").glob("*.log"))[1]
    with open(segment, "r+b") as file:
        file.seek(segment.stat().st_size // 2)
        file.write(random.Random(1).randbytes(64))
    cluster.broker.launch(victim)
    cluster.probe.ask("isr", topic, NODES)
    return read_from_others(cluster, topic, leader)


def read_from_others(cluster, topic, leader):
    """Reads all while the first leader is down, and lets it come back."""
    kill_hard(cluster.broker.nodes[leader])
    got = cluster.probe.ask("filled", topic, 20_000)
    cluster.broker.launch(leader)
    again = judged(cluster, topic)
    return {"rejoin_ms": again["rejoin_ms"], **{k: max(float(got[k]), float(again[k])) for k in ("lost", "duplicated", "reordered")}}


def grow(cluster):
    """Under load a fourth broker joins and gets its share of the partitions, the topic gets twice as many, and an old node is drained and leaves."""
    seconds, partitions, joining = 60, 12, 4
    topic = f"d{time.time_ns()}"
    cluster.probe.ask("create", topic, partitions, NODES)
    cluster.probe.ask("isr", topic, NODES)
    leaving = next(n for n in sorted(cluster.broker.nodes) if n != int(cluster.probe.ask("controller")["id"]))
    cluster.probe.ask("failover", topic, RATE, seconds)
    cluster.broker.join(joining)
    cluster.broker.launch(joining)
    staying = [n for n in sorted(cluster.broker.nodes) if n != leaving]
    highwater(cluster, "reassign", "--all-topics", "--to", ",".join(map(str, sorted(cluster.broker.nodes))), "--execute", until=10)
    highwater(cluster, "topics alter", topic, "--partitions", 2 * partitions)
    highwater(cluster, "drain", leaving, "--execute")
    os.kill(cluster.broker.nodes.pop(leaving), signal.SIGTERM)
    highwater(cluster, "unregister", leaving, until=60)
    outcome = cluster.probe.answer()
    cluster.restart()
    return {k: v for k, v in outcome.items() if k not in ("sent", "acked")} | {"nodes_at_the_end": len(staying)}


def highwater(cluster, words, *more, until=0):
    """Runs a command of `highwater cluster`, or another one, again and again until so many seconds have passed."""
    program = str(HERE.parent / "bin/highwater")
    command = words.split() if " " in words else ["cluster", words]
    deadline = time.monotonic() + until
    while True:
        try:
            return run(program, *command, *map(str, more), "--bootstrap-server", cluster.broker.bootstrap)
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)  # between two tries


DISASTERS = {"kill-all": kill_all, "wipe": wipe, "corrupt": corrupt, "grow": grow}
