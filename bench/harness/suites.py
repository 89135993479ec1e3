"""The suites of bench.py, but for the profile. Each takes (brokers, results, repeat) and leaves no broker of a driver running."""

import os
import re
import signal
import sys
import time

from dataclasses import replace

from harness.brokers import Probe, server_settings
from harness.load import BASE, PRODUCE_SHAPES, SMALL_REQUESTS, Shape, consume, measured_produce, produce
from harness.processes import MB, Cost, await_settled, cpu_seconds, kill_hard, open_directory, rss_mb, started_at_ms

IDLE_SECONDS = 10
SHAPES = ""  # only the produce shapes that match this expression
# Warm: the JIT compilers of no broker take more than this share of its CPU.
WARM_JIT_SHARE, LEAST_WARM_ROUNDS, MOST_WARM_ROUNDS = 0.1, 2, 4


def solo(suite):
    """A suite that starts and stops its brokers itself, one at a time."""

    def wrapped(brokers, results, repeat):
        for _ in range(repeat):
            for broker in brokers:
                if not broker.driver:
                    print(f"{suite.__name__} needs a driver; skipped", file=sys.stderr)
                    continue
                try:
                    suite(broker, results)
                finally:
                    broker.stop()

    return wrapped


def together(settings=""):
    """A suite that has all brokers up, with these settings, and loads them in turn."""

    def decorate(suite):
        def wrapped(brokers, results, repeat):
            probes = []
            try:
                for broker in brokers:
                    if broker.driver:
                        with server_settings(settings):
                            broker.start()
                    probes.append(Probe(broker.bootstrap))
                suite(list(zip(brokers, probes)), results, repeat)
            finally:
                for probe in probes:
                    probe.__exit__()
                for broker in brokers:
                    broker.stop()

        return wrapped

    return decorate


def warm(pairs_, *loads):
    """Repeats loads on every broker, in turn and equally often, until none compiles much any more: what is measured first is then
    measured like the rest."""
    for done in range(MOST_WARM_ROUNDS):
        compiling = 0
        for load in loads:
            for broker, probe in pairs_:
                with Cost(broker, probe) as cost:
                    load(broker, probe)
                compiling = max(compiling, 1 - cost.no_jit / max(cost.broker, 0.01))
        if done + 1 >= LEAST_WARM_ROUNDS and compiling <= WARM_JIT_SHARE:
            return


@solo
def startup(broker, results):
    """(a) and (b): cold start until the first acknowledged record, then idle cost."""
    broker.start()
    with Probe(broker.bootstrap) as probe:
        for i in range(5):
            probe.ask("first", f"warm{i}")
        broker.stop()
        broker.format()
        broker.nodes.clear()
        with Cost(broker, probe) as cost:
            broker.launch()
            done = probe.ask("first", "first")
        acked = float(done["acked_at"]) - started_at_ms(broker.pids[0])
        cpu = cpu_seconds(broker.pids)
        others = cost.others_percent - cpu / cost.wall / os.cpu_count() * 100
    await_settled(broker.pids)
    with Cost(broker) as cost:
        time.sleep(IDLE_SECONDS)
    results.add("startup", "1 node", broker, first_ack_ms=acked, cpu_s_until_ack=cpu,
                others_cpu_percent=others, idle_rss_mb=rss_mb(broker.pids),
                idle_cpu_percent=cost.broker / IDLE_SECONDS * 100)


def wanted(shape):
    return re.search(SHAPES, str(shape))


def produced(shape):
    return lambda broker, probe: measured_produce(broker, probe, shape)


@together()
def produce_suite(pairs_, results, repeat):
    """(c)"""
    warm(pairs_, *map(produced, (BASE, Shape(size=100, records=1_000_000), Shape(compression="lz4"))))
    for shape in filter(wanted, PRODUCE_SHAPES):
        for _ in range(repeat):
            for broker, probe in pairs_:
                results.add("produce", str(shape), broker, **measured_produce(broker, probe, shape))
    for broker, _ in pairs_:
        results.add("produce", "after all", broker, rss_mb=rss_mb(broker.pids))


@together()
def consume_suite(pairs_, results, repeat):
    """(d)"""
    shape = Shape(records=1_000_000)
    for broker, probe in pairs_:
        probe.ask("create", "c", shape.partitions, 1)
        produce(broker, "c", shape)
    warm(pairs_, lambda broker, probe: consume(probe, "c", shape, shape.records, 1))
    for consumers in (1, 4):
        for _ in range(repeat):
            for broker, probe in pairs_:
                with Cost(broker, probe) as cost:
                    speed = consume(probe, "c", shape, shape.records, consumers)
                read = shape.records * consumers
                results.add("consume", f"{shape.size}B, {consumers} consumer(s)", broker, **speed,
                            **cost.per(read, read * shape.size))
    for _, probe in pairs_:
        probe.ask("delete", "c")


@together()
def latency_suite(pairs_, results, repeat):
    """(e)"""
    warmup_s, seconds, size = 3, 6, 1024
    for _, probe in pairs_:
        probe.ask("create", "warm", 1, 1)
    warm(pairs_, lambda broker, probe: probe.ask("latency", "warm", 5000, 5, 5, size, "all"))
    for rate in (1000, 5000):
        for acks in ("1", "all"):
            for _ in range(repeat):
                for broker, probe in pairs_:
                    topic = f"l{time.time_ns()}"
                    probe.ask("create", topic, 1, 1)
                    with Cost(broker, probe) as cost:
                        got = probe.ask("latency", topic, rate, warmup_s, seconds, size, acks)
                    probe.ask("delete", topic)
                    micros = {k: v for k, v in got.items() if k.endswith("_us")}
                    results.add("latency", f"{rate}/s {size}B acks={acks}", broker, **micros,
                                no_jit_cpu_s_per_mrec=cost.no_jit / int(got["sent"]) * 1e6,
                                others_cpu_percent=cost.others_percent)


@together()
def requests_suite(pairs_, results, repeat):
    """(f): one record a request."""
    shapes = [replace(SMALL_REQUESTS, acks=acks) for acks in ("1", "all")]
    warm(pairs_, *map(produced, shapes))
    for shape in shapes:
        for _ in range(repeat):
            for broker, probe in pairs_:
                got = measured_produce(broker, probe, shape)
                results.add("requests", f"{shape.size}B acks={shape.acks}", broker,
                            requests_s=got["rec_s"],
                            no_jit_cpu_s_per_mrequest=got["no_jit_cpu_s_per_mrec"],
                            others_cpu_percent=got["others_cpu_percent"])


def flawless(answer):
    if answer.get("errors", "0") != "0":
        raise RuntimeError(f"the broker refused requests: {answer}")
    return answer


@together()
def durable_suite(pairs_, results, repeat):
    """(i): flush.messages=1, an fsync before each ack: 16 clients that each wait for their ack, beside what they reach
    without any sync, and one producer at a steady rate."""
    durable = ("flush.messages=1",)
    loads = {"16 producers": ("durable", ()), "16 raw connections": ("requests", (1,))}
    for _, probe in pairs_:
        probe.ask("create", "warm-durable", 1, 1, *durable)
    warm(pairs_, *(lambda broker, probe, load=load, partitions=partitions: probe.ask(load, "warm-durable", *partitions, 16, 3, 1024)
                   for load, partitions in loads.values()))
    for name, (load, partitions) in loads.items():
        for setting in (durable, ()):
            for _ in range(repeat):
                for broker, probe in pairs_:
                    topic = f"d{time.time_ns()}"
                    probe.ask("create", topic, 1, 1, *setting)
                    with Cost(broker, probe) as cost:
                        got = flawless(probe.ask(load, topic, *partitions, 16, 6, 1024))
                    results.add("durable", f"{name}, 1024B, one in flight each, {'durable' if setting else 'memory'}", broker,
                                acks_s=got["acks_s"], ack_p50_us=got["ack_p50_us"], ack_p99_us=got["ack_p99_us"],
                                broker_cores=cost.broker / cost.wall, client_cores=cost.clients / cost.wall,
                                others_cpu_percent=cost.others_percent)
                    probe.ask("delete", topic)
    for _ in range(repeat):
        for broker, probe in pairs_:
            for setting in ((), ("flush.messages=1",)):
                topic = f"s{time.time_ns()}"
                probe.ask("create", topic, 1, 1, *setting)
                got = probe.ask("latency", topic, 200, 2, 6, 1024, "all")
                results.add("durable", "200/s acks=all, " + ("durable" if setting else "memory"), broker,
                            ack_p50_us=got["ack_p50_us"], ack_p99_us=got["ack_p99_us"])
                probe.ask("delete", topic)


@together(settings="log.retention.check.interval.ms=500")
def retention_suite(pairs_, results, repeat):
    """(j): ack latency at 5,000/s, quiet and while retention deletes 20 segments of 16 MiB of another topic."""
    for _ in range(repeat):
        for broker, probe in pairs_:
            old = f"old{time.time_ns()}"
            probe.ask("create", old, 1, 1, "segment.bytes=16777216", "retention.ms=-1", "file.delete.delay.ms=100")
            produce(broker, old, Shape(partitions=1, records=340_000))
            for deleting in (False, True):
                topic = f"r{time.time_ns()}"
                probe.ask("create", topic, 1, 1)
                if deleting:
                    probe.ask("alter", old, "retention.bytes=16777216", 4000)
                got = probe.ask("latency", topic, 5000, 2, 6, 1024, "all")
                results.add("retention", "5000/s acks=all, " + ("20 segments deleted" if deleting else "quiet"),
                            broker, ack_p50_us=got["ack_p50_us"], ack_p99_us=got["ack_p99_us"],
                            ack_p999_us=got["ack_p999_us"])
                probe.ask("delete", topic)
            probe.ask("delete", old)


@solo
def partitions_suite(broker, results):
    """(g)"""
    for count in (1000, 5000):
        broker.start()
        with Probe(broker.bootstrap) as probe:
            probe.ask("first", "warm")
            with Cost(broker, probe) as cost:
                began = time.time() * 1000
                created = float(probe.ask("create", "many", count, 1)["ms"])
                usable = float(probe.ask("each", "many", count)["all_at"]) - began
            await_settled(broker.pids)
            rss = rss_mb(broker.pids)
            with Cost(broker) as idle:
                time.sleep(IDLE_SECONDS)
            kill_hard(broker.pids[0])
            broker.launch()
            again = probe.ask("each", "many", count)
            launched = started_at_ms(broker.pids[0])
            results.add("partitions", str(count), broker, create_ms=created, all_usable_ms=usable,
                        cpu_s=cost.broker, others_cpu_percent=cost.others_percent, rss_mb=rss,
                        idle_cpu_percent=idle.broker / IDLE_SECONDS * 100,
                        restart_first_ack_ms=float(again["first_at"]) - launched,
                        restart_all_acked_ms=float(again["all_at"]) - launched,
                        restart_cpu_s=cpu_seconds(broker.pids))
        broker.stop()


@together()
def spread_suite(pairs_, results, repeat):
    """(g): what a request costs when there are many partitions to spread them over. The first record of each partition, which makes
    its files, is told apart."""
    counts, seconds, connections, size = (1, 100, 1000, 5000), 5, 16, 100

    def load(count):
        return lambda broker, probe: flawless(probe.ask("requests", f"s{count}", count, connections, seconds, size))

    for count in counts:
        for broker, probe in pairs_:
            probe.ask("create", f"s{count}", count, 1)
            with Cost(broker, probe) as cost:
                probe.ask("each", f"s{count}", count)
            if count >= 1000:  # less is too little to tell
                results.add("spread", f"{count} partitions, first records", broker, no_jit_cpu_s_per_mrec=cost.no_jit / count * 1e6,
                            others_cpu_percent=cost.others_percent)
        warm(pairs_, load(count))
        for _ in range(repeat):
            for broker, probe in pairs_:
                with Cost(broker, probe) as cost:
                    got = load(count)(broker, probe)
                results.add("spread", f"{count} partitions", broker, requests_s=got["acks_s"], ack_p99_us=got["ack_p99_us"],
                            no_jit_cpu_s_per_mrequest=cost.no_jit / (float(got["acks_s"]) * seconds) * 1e6,
                            others_cpu_percent=cost.others_percent)


@together(settings="log.cleaner.backoff.ms=1000")
def compaction_suite(pairs_, results, repeat):
    """(k): a partition of records over fewer keys, until its files are no larger than the keys need; what the broker costs at rest is
    taken off."""
    records, keys, segment, patience_s = 5_000_000, 100_000, 100 << 20, 300
    enough = keys * 140 * 1.3 + segment  # the active segment is never compacted
    for codec in ("none", "lz4"):
        for _ in range(repeat):
            for broker, probe in pairs_:
                topic = f"k{time.time_ns()}"
                probe.ask("create", topic, 1, 1, f"segment.bytes={segment}", "min.cleanable.dirty.ratio=0.01", "file.delete.delay.ms=1000")
                probe.ask("keyed", topic, records, keys, codec)
                await_settled(broker.pids)
                with Cost(broker) as idle:
                    time.sleep(IDLE_SECONDS)
                files = open_directory(broker.pids[0], f"/{topic}-0/")
                before = log_bytes(files)
                with Cost(broker) as cost:
                    probe.ask("alter", topic, "cleanup.policy=compact", 0)
                    deadline = time.monotonic() + patience_s
                    while (after := log_bytes(files)) > enough:
                        if time.monotonic() > deadline:
                            raise RuntimeError(f"{broker.name} did not compact: {after} bytes, {enough:.0f} wanted")
                        time.sleep(0.05)  # between two looks
                at_rest = idle.broker / idle.wall * cost.wall
                results.add("compaction", f"{records} records, {keys} keys, {codec}", broker, cpu_s=cost.broker - at_rest,
                            wall_s=cost.wall, before_mb=before / MB, after_mb=after / MB, others_cpu_percent=cost.others_percent)
                probe.ask("delete", topic)


def log_bytes(directory):
    """Of the segments in a partition's directory."""
    total = 0
    for file in directory.glob("*.log"):
        try:
            total += file.stat().st_size
        except FileNotFoundError:
            pass  # replaced or deleted meanwhile
    return total


@solo
def cluster_suite(broker, results):
    """(h), throughput: three nodes, RF=3, min.insync.replicas=2."""
    broker.start(3)
    with Probe(broker.bootstrap) as probe:
        for _ in range(3):  # three JVMs take longer to warm than one
            measured_produce(broker, probe, BASE, replicas=3)
        for shape in (BASE, Shape(partitions=1), Shape(acks="1")):
            results.add("cluster", f"RF=3 {shape}", broker,
                        **measured_produce(broker, probe, shape, replicas=3))
        probe.ask("create", "warm", 1, 3)
        probe.ask("latency", "warm", 1000, 5, 5, 1024, "all")
        for rate in (1000, 5000):
            topic = f"l{rate}"
            probe.ask("create", topic, 1, 3)
            with Cost(broker, probe) as cost:
                got = probe.ask("latency", topic, rate, 3, 6, 1024, "all")
            results.add("cluster", f"RF=3 {rate}/s 1024B acks=all", broker, **{k: v for k, v in got.items() if k.endswith("_us")},
                        no_jit_cpu_s_per_mrec=cost.no_jit / int(got["sent"]) * 1e6, others_cpu_percent=cost.others_percent)
        results.add("cluster", "RF=3", broker, rss_mb=rss_mb(broker.pids))


CLUSTER_PARTITIONS = 2000


@solo
def cluster_partitions_suite(broker, results):
    """Many partitions on three nodes: made, a node killed until each partition takes records again, the node back until all are in sync."""
    broker.start(3)
    with Probe(broker.bootstrap) as probe:
        probe.ask("create", "warm", 10, 3)
        probe.ask("each", "warm", 10)
        with Cost(broker, probe) as cost:
            began = time.time() * 1000
            created = float(probe.ask("create", "many", CLUSTER_PARTITIONS, 3)["ms"])
            usable = float(probe.ask("each", "many", CLUSTER_PARTITIONS)["all_at"]) - began
        results.add("many", f"{CLUSTER_PARTITIONS} partitions RF=3, created", broker, create_ms=created, all_usable_ms=usable, cpu_s=cost.broker,
                    rss_mb=rss_mb(broker.pids), others_cpu_percent=cost.others_percent)
        await_settled(broker.pids)
        with Cost(broker) as idle:
            time.sleep(IDLE_SECONDS)
        victim = max(broker.nodes)
        dead = broker.nodes.pop(victim)
        kill_hard(dead)
        with Cost(broker, probe) as cost:
            began = time.time() * 1000
            over = float(probe.ask("each", "many", CLUSTER_PARTITIONS)["all_at"]) - began
        results.add("many", "a node killed", broker, all_usable_ms=over, cpu_s=cost.broker, idle_cpu_percent=idle.broker / IDLE_SECONDS * 100,
                    others_cpu_percent=cost.others_percent)
        await_settled(broker.pids)
        before, began = cpu_seconds(broker.pids), time.time() * 1000
        broker.launch(victim)
        probe.ask("isr", "many", 3)
        results.add("many", "the node back", broker, all_in_sync_ms=time.time() * 1000 - began, cpu_s=cpu_seconds(broker.pids) - before)


FAILOVER_RATE, FAILOVER_SECONDS, FAILOVER_KILL_AT = 1000, 30, 5


@solo
def failover_suite(broker, results):
    """(h), failover: the leader of a topic dies under a steady acks=all producer."""
    broker.start(3)
    with Probe(broker.bootstrap) as probe:
        for how in ("SIGKILL", "SIGTERM"):
            topic = f"f{how}"
            probe.ask("create", topic, 1, 3)
            probe.ask("isr", topic, 3)
            roles = probe.ask("failover", topic, FAILOVER_RATE, FAILOVER_SECONDS)
            time.sleep(FAILOVER_KILL_AT)
            leader = int(roles["leader"])
            os.kill(broker.nodes[leader], signal.Signals[how])
            outcome = probe.answer()
            also = " = controller" if roles["controller"] == roles["leader"] else ""
            broker.launch(leader)
            rejoined = float(probe.ask("isr", topic, 3)["ms"])
            results.add("failover", f"{how} leader{also}", broker, gap_ms=outcome["gap_ms"],
                        lost=outcome["lost"], duplicated=outcome["duplicated"],
                        failed_sends=outcome["failed"], rejoin_isr_ms=rejoined)
