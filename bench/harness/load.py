"""Loads by Kafka's own producer tool and by Probe."""

import random
import time
from dataclasses import dataclass

from harness.processes import GB, HOME, KAFKA, MB, Cost, run


def payload_file(size):
    """1,000 JSON-like lines of exactly SIZE bytes; compresses about like log events do."""
    path = HOME / f"payload-{size}"
    if not path.exists():
        rnd = random.Random(size)
        levels, verbs = ["INFO", "WARN", "DEBUG"], ["accepted", "rejected", "retried", "queued"]
        lines = []
        for _ in range(1000):
            line = ""
            while len(line) < size:
                line += (f'{{"id":"{rnd.getrandbits(64):016x}","level":"{rnd.choice(levels)}",'
                         f'"amount":{rnd.randint(1, 99999)},"event":"{rnd.choice(verbs)}"}},')
            lines.append(line[:size])
        path.write_text("\n".join(lines))
    return str(path)


@dataclass(frozen=True)
class Shape:
    size: int = 1024
    records: int = 500_000
    acks: str = "all"
    compression: str = "none"
    partitions: int = 6
    props: tuple[str, ...] = ()
    own: tuple[str, ...] = ()  # topic settings that only Highwater has; Kafka gets none of them

    def __str__(self):
        own = "".join(f" ({o})" for o in self.own)
        return f"{self.size}B acks={self.acks} {self.compression} p={self.partitions}{own}"


BASE = Shape()
PRODUCE_SHAPES = [
    BASE,
    Shape(size=100, records=3_000_000),
    Shape(size=10240, records=50_000),
    Shape(acks="1"),
    Shape(compression="lz4"),
    Shape(compression="zstd"),
    Shape(partitions=1),
    Shape(partitions=100),
    Shape(compression="lz4", own=("record.validation=header",)),
    Shape(compression="zstd", own=("record.validation=header",)),
]
SMALL_REQUESTS = Shape(size=100, records=150_000, partitions=1, props=(
    "linger.ms=0", "batch.size=0", "max.in.flight.requests.per.connection=5"))


def produce(broker, topic, shape, records=None):
    """One kafka-producer-perf-test run; a fifth of the records warms the client up."""
    records = records or shape.records
    out = run(KAFKA, "tool", "kafka-producer-perf-test", "--bootstrap-server", broker.bootstrap,
              "--topic", topic, "--num-records", str(records), "--throughput", "-1",
              "--payload-file", payload_file(shape.size), "--warmup-records", str(records // 5),
              "--command-property", f"acks={shape.acks}",
              f"compression.type={shape.compression}", *shape.props)
    summary = [line for line in out.splitlines() if "steady state" in line][-1]
    rate = float(summary.split("records sent, ")[1].split(" records/sec")[0])
    return {"rec_s": rate, "mb_s": rate * shape.size / MB}


def measured_produce(broker, probe, shape, replicas=1):
    topic = f"p{time.time_ns()}"
    probe.ask("create", topic, shape.partitions, replicas, *(() if broker.is_kafka else shape.own))
    probe.ask("each", topic, shape.partitions)  # all partitions are there before the clock starts
    with Cost(broker) as cost:
        speed = produce(broker, topic, shape)
    probe.ask("delete", topic)
    return {**speed, **cost.per(shape.records, shape.records * shape.size)}


def consume(probe, topic, shape, records, consumers):
    """N consumers that each read the whole topic at once by assignment (no groups, so that any broker can be compared)."""
    got = probe.ask("consume", topic, shape.partitions, records, consumers)
    rate = float(got["rec_s_each"])
    return {"mb_s_each": rate * shape.size / MB, "rec_s_each": rate}
