"""What groups and transactions share: three brokers in turn, what went wrong, and the program around them.

Kafka runs twice, as shipped and with flush.messages=1 on the internal topics, which Highwater's always are: that one is the base of
the ratios."""

import abc
import argparse
import sys

from harness.brokers import Broker, Probe, flush_each_message
from harness.processes import HERE, KAFKA, Cost, alone, build_highwater, rss_mb
from harness.results import Results, median

DURABLE, SHIPPED, OURS = "kafka-flush", "kafka", "highwater"


class Side:
    """A broker under test with its clients, up and warm."""

    def __init__(self, broker, program):
        self.broker = broker
        self.admin = Probe(broker.bootstrap)
        self.load = Probe(broker.bootstrap, program)

    def prepare(self, topics, internal):
        """Makes topics of so many partitions, and the internal ones by asking for coordinators."""
        for topic, partitions in topics.items():
            self.admin.ask("create", topic, partitions, 1)
            self.admin.ask("each", topic, partitions)
        self.load.ask("ready")
        if self.broker.name == DURABLE:
            for topic in internal:
                flush_each_message(self.broker, topic)

    def close(self):
        self.load.__exit__()
        self.admin.__exit__()


class Bench(abc.ABC):
    """Suites are methods. A subclass names its load PROGRAM and the INTERNAL topics that make it durable."""

    PROGRAM, INTERNAL = "", ()

    def __init__(self, results, options):
        self.sides = []
        self.results = results
        self.options = options
        self.failures = []

    @abc.abstractmethod
    def topics(self):
        """Name and partitions of those that the suites use."""

    def add_side(self, broker):
        side = Side(broker, self.PROGRAM)
        self.sides.append(side)
        side.prepare(self.topics(), self.INTERNAL)

    def close(self):
        for side in self.sides:
            side.close()

    def ask(self, what, side, *words):
        """The answer's numbers; what went wrong is also told at the end."""
        answer = side.load.ask(*words)
        if answer.get("errors", "0") != "0" or answer.get("wrong", "0") != "0":
            self.failures.append(f"{what}, {side.broker.name}: " + " ".join(
                f"{k}={answer[k]}" for k in ("errors", "wrong", "which") if k in answer))
        return {k: float(v) for k, v in answer.items() if k != "which"}

    def rounds(self, repeat):
        for _ in range(repeat):
            yield from self.sides

    def memory(self):
        for side in self.sides:
            self.results.add("all", "after all", side.broker, rss_mb=rss_mb(side.broker.pids))


def aims(results, aim_of):
    """One line for each aim: Highwater's median over that of Kafka with flush.messages=1, and over Kafka as shipped.
    AIM_OF: at most so many times Kafka's, by (suite, metric)."""
    lines = []
    for (suite, shape, metric), row in results.rows.items():
        aim = aim_of.get((suite, metric))
        ours = median(row.get(OURS))
        if aim is None or ours is None:
            continue
        shown = [f"{ours / base:.2f} of {name}" for name in (DURABLE, SHIPPED) if (base := median(row.get(name)))]
        verdict = "met" if ours <= aim * (median(row.get(DURABLE)) or 0) else "MISSED"
        lines.append(f"{verdict:6} {suite}, {shape}, {metric}: {', '.join(shown)}; aim {aim}")
    return lines


def parser(doc, suites, port):
    """With the options that both have."""
    made = argparse.ArgumentParser(description=doc)
    made.add_argument("--suites", default=suites)
    made.add_argument("--brokers", default=f"{DURABLE},{OURS},{SHIPPED}", help="some of these")
    made.add_argument("--port", type=int, default=port, help="of the first broker; the next have 1000 more")
    made.add_argument("--quiet", type=float, default=0, metavar="SECONDS", help="before each sample wait at most so long for an idle machine")
    made.add_argument("--out", help="write every value to this JSON file as it comes")
    made.add_argument("--show", nargs="+", metavar="JSON", help="only print the table of such files, taken together")
    return made


def report(results, lines, failures=()):
    print(results.table())
    print("\n".join(["", *lines]))
    if failures:
        print("\n".join(["", "Errors (their samples are in the table all the same):", *failures]))


def main(kind, asked, aims_of):
    """Runs the suites of a Bench KIND; AIMS_OF gives the lines about aims for some results."""
    if asked.show:
        shown = Results.load(asked.show)
        report(shown, aims_of(shown))
        return
    Cost.quiet_patience_s = asked.quiet
    lock = alone()
    names = asked.brokers.split(",")
    if OURS in names:
        build_highwater()
    drivers = {DURABLE: KAFKA, SHIPPED: KAFKA, OURS: str(HERE / "highwater.sh")}
    brokers = [Broker(name, [drivers[name]], asked.port + 1000 * i) for i, name in enumerate(names)]
    bench = kind(Results(asked.out), asked)
    try:
        for broker in brokers:
            broker.start()
            bench.add_side(broker)
        for suite in asked.suites.split(","):
            getattr(bench, suite)()
        bench.memory()
    finally:
        bench.close()
        for broker in brokers:
            broker.stop()
    report(bench.results, aims_of(bench.results), bench.failures)
    lock.close()
    sys.exit(1 if bench.failures else 0)
