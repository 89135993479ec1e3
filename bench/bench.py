#!/usr/bin/env python3
"""Measures Kafka-protocol brokers, alone or against each other (A B A B). See README.md."""

import argparse

from harness import suites
from harness.brokers import Broker
from harness.processes import KAFKA, Cost, alone
from harness.profile import profile_suite
from harness.results import Results


SUITES = {
    "startup": suites.startup,
    "produce": suites.produce_suite,
    "consume": suites.consume_suite,
    "latency": suites.latency_suite,
    "requests": suites.requests_suite,
    "durable": suites.durable_suite,
    "retention": suites.retention_suite,
    "partitions": suites.partitions_suite,
    "spread": suites.spread_suite,
    "compaction": suites.compaction_suite,
    "cluster": suites.cluster_suite,
    "many": suites.cluster_partitions_suite,
    "failover": suites.failover_suite,
    "profile": profile_suite,
}


def parse_brokers(args):
    specs = [*(["kafka=" + KAFKA] if args.peer else []), *args.broker]
    brokers = []
    for i, spec in enumerate(specs):
        name, driver = spec.split("=", 1)
        brokers.append(Broker(name, driver.split(), 19092 + 1000 * i))
    for spec in args.attach:
        name, rest = spec.split("=", 1)
        pids, bootstrap = rest.split("@")
        nodes = {i + 1: int(pid) for i, pid in enumerate(pids.split(","))}
        brokers.append(Broker(name, [], 0, nodes, bootstrap))
    return brokers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", action="store_true", help="measure Apache Kafka")
    parser.add_argument("--broker", action="append", default=[], metavar="NAME=COMMAND",
                        help="a broker by its driver command (takes the verbs of kafka.sh)")
    parser.add_argument("--attach", action="append", default=[], metavar="NAME=PID[,PID]@BOOTSTRAP",
                        help="a broker that runs already")
    parser.add_argument("--suites", default=",".join(s for s in SUITES if s != "profile"),
                        help="comma-separated, of: " + " ".join(SUITES))
    parser.add_argument("--shapes", default="", metavar="REGEX",
                        help="only the produce shapes that match")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quiet", type=float, default=0, metavar="SECONDS",
                        help="before each sample wait at most so long for an idle machine")
    parser.add_argument("--out", help="write every value to this JSON file as it comes")
    parser.add_argument("--show", nargs="+", metavar="JSON",
                        help="only print the table of such files, taken together")
    args = parser.parse_args()
    if args.show:
        print(Results.load(args.show).table())
        return
    brokers = parse_brokers(args)
    if not brokers:
        parser.error("name at least one broker")
    suites.SHAPES = args.shapes
    Cost.quiet_patience_s = args.quiet
    lock = alone()  # one run at a time
    results = Results(args.out)
    for name in args.suites.split(","):
        SUITES[name](brokers, results, args.repeat)
    print(results.table())
    lock.close()


if __name__ == "__main__":
    main()
