#!/usr/bin/env python3
"""Measures Kafka-protocol brokers, alone or against each other (A B A B). See README.md."""

import argparse
import fcntl
import json
import os
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = Path(os.environ.get("PEER_HOME", "/tmp/highwater-bench"))
KAFKA = str(HERE / "kafka.sh")
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
MB = 1e6
GB = 1e9
IDLE_SECONDS = 10
SETTLE_SECONDS = 3
QUIET_IDLE = 0.8
SHAPES = ""


# --- processes ---------------------------------------------------------------------------------


def stat_fields(path):
    """The fields of /proc/.../stat after the command name; index 0 is the state."""
    return Path(path).read_text().rpartition(")")[2].split()


def cpu_seconds(pids):
    """User plus system CPU time of the processes so far."""
    total = 0
    for pid in pids:
        fields = stat_fields(f"/proc/{pid}/stat")
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def started_at_ms(pid):
    """When the process was launched, in milliseconds since the epoch (10 ms grain)."""
    since_boot = int(stat_fields(f"/proc/{pid}/stat")[19]) / TICKS
    return (time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot) * 1000


def rss_mb(pids):
    return sum(int(Path(f"/proc/{p}/statm").read_text().split()[1]) * PAGE for p in pids) / MB


def compiler_free_cpu_seconds(pids):
    """cpu_seconds without a JVM's JIT compiler threads: what a long-running broker would spend. Threads that have ended stay counted."""
    compilers = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            try:
                if "CompilerThre" in (task / "comm").read_text():
                    fields = stat_fields(task / "stat")
                    compilers += int(fields[11]) + int(fields[12])
            except (FileNotFoundError, ProcessLookupError):
                pass  # the thread has ended
    return cpu_seconds(pids) - compilers / TICKS


def machine_cpu():
    """(busy, idle) CPU seconds of the whole machine so far; busy includes stolen time."""
    user, nice, system, idle, iowait, irq, softirq, steal = (
        int(n) / TICKS for n in Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
    return user + nice + system + irq + softirq + steal, idle + iowait


def await_quiet(patience_s):
    """Waits until the machine is QUIET_IDLE idle for half a second, or patience runs out."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        busy, idle = machine_cpu()
        time.sleep(0.5)
        busy2, idle2 = machine_cpu()
        if (idle2 - idle) / (idle2 - idle + busy2 - busy) >= QUIET_IDLE:
            return


def run(*args):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(args)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def kill_hard(pid):
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}").exists() and stat_fields(f"/proc/{pid}/stat")[0] != "Z":
        time.sleep(0.002)


@dataclass
class Broker:
    """A broker (or cluster) under test. A driver is a command that takes the verbs of kafka.sh:
    format NODES PORT, launch NODE PORT, start NODES PORT, stop PORT."""

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


class Probe:
    """The warm client of Probe.java."""

    def __init__(self, bootstrap):
        self.log = open(HOME / "probe.log", "a")
        self.process = subprocess.Popen(
            [KAFKA, "java", "-Dpeer.log.level=ERROR", "Probe", bootstrap],
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
        raise RuntimeError("probe died, see probe.log")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def pairs(line):
    return dict(word.split("=", 1) for word in line.split())


class Cost:
    """The CPU seconds that the broker, its clients and all others spend inside a with block,
    which starts once the machine is quiet."""

    quiet_patience_s = 0

    def __init__(self, broker, probe=None):
        self.pids = broker.pids
        self.probe_pids = [probe.process.pid] if probe else []

    def __enter__(self):
        await_quiet(self.quiet_patience_s)
        self.began, self.start = time.monotonic(), self._now()
        return self

    def __exit__(self, *_):
        self.broker, self.no_jit, self.clients, busy = (
            b - a for a, b in zip(self.start, self._now()))
        self.wall = time.monotonic() - self.began
        others = max(0, busy - self.broker - self.clients)
        self.others_percent = others / self.wall / os.cpu_count() * 100

    def _now(self):
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        clients = usage.ru_utime + usage.ru_stime + cpu_seconds(self.probe_pids)
        return (cpu_seconds(self.pids), compiler_free_cpu_seconds(self.pids), clients,
                machine_cpu()[0])

    def per(self, records, size):
        return {"broker_cpu_s_per_gb": self.broker / size * GB,
                "no_jit_cpu_s_per_gb": self.no_jit / size * GB,
                "no_jit_cpu_s_per_mrec": self.no_jit / records * 1e6,
                "client_cpu_s_per_gb": self.clients / size * GB,
                "others_cpu_percent": self.others_percent}


# --- results -----------------------------------------------------------------------------------


class Results:
    def __init__(self, path):
        self.path = path
        self.rows = {}  # (suite, shape, metric) -> {broker: [values]}

    def add(self, suite, shape, broker, **metrics):
        for metric, value in metrics.items():
            row = self.rows.setdefault((suite, shape, metric), {})
            row.setdefault(broker.name, []).append(round(float(value), 3))
        shown = " ".join(f"{m}={float(v):.4g}" for m, v in metrics.items())
        print(f"{suite:10} {shape:32} {broker.name:14} {shown}", file=sys.stderr, flush=True)
        self.save()

    def save(self):
        if self.path:
            rows = [{"suite": s, "shape": h, "metric": m, "values": v}
                    for (s, h, m), v in self.rows.items()]
            Path(self.path).write_text(json.dumps(rows, indent=1) + "\n")

    @classmethod
    def load(cls, paths):
        results = cls(None)
        for path in paths:
            for row in json.loads(Path(path).read_text()):
                into = results.rows.setdefault((row["suite"], row["shape"], row["metric"]), {})
                for name, values in row["values"].items():
                    into.setdefault(name, []).extend(values)
        return results

    def table(self):
        names = list(dict.fromkeys(n for row in self.rows.values() for n in row))
        ratios = [f"{n}/{names[0]}" for n in names[1:]]
        head = ["suite", "shape", "metric", *(f"{n}: median [min–max] ×n" for n in names), *ratios]
        lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        for key, row in self.rows.items():
            cells = [spread(row.get(n)) for n in names]
            base = median(row.get(names[0]))
            for n in names[1:]:
                other = median(row.get(n))
                cells.append(f"{other / base:.2f}" if base and other is not None else "")
            lines.append("| " + " | ".join([*key, *cells]) + " |")
        return "\n".join(lines)


def median(values):
    return statistics.median(values) if values else None


def spread(values):
    if not values:
        return ""
    mid, low, high = (f"{v:.4g}" for v in (median(values), min(values), max(values)))
    return f"{mid} [{low}–{high}] ×{len(values)}"


# --- load --------------------------------------------------------------------------------------


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


# --- suites ------------------------------------------------------------------------------------
# Each suite takes (brokers, results, repeat) and leaves no broker of a driver running.


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


def together(suite):
    """A suite that has all brokers up and warm, and loads them in turn."""

    def wrapped(brokers, results, repeat):
        probes = []
        try:
            for broker in brokers:
                if broker.driver:
                    broker.start()
                probes.append(Probe(broker.bootstrap))
            suite(list(zip(brokers, probes)), results, repeat)
        finally:
            for probe in probes:
                probe.__exit__()
            for broker in brokers:
                broker.stop()

    return wrapped


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
    time.sleep(SETTLE_SECONDS)
    with Cost(broker) as cost:
        time.sleep(IDLE_SECONDS)
    results.add("startup", "1 node", broker, first_ack_ms=acked, cpu_s_until_ack=cpu,
                others_cpu_percent=others, idle_rss_mb=rss_mb(broker.pids),
                idle_cpu_percent=cost.broker / IDLE_SECONDS * 100)


def wanted(shape):
    return re.search(SHAPES, str(shape))


def warm_up(pairs_):
    for broker, probe in pairs_:
        for shape in (BASE, Shape(size=100, records=1_000_000), Shape(compression="lz4")):
            measured_produce(broker, probe, shape)


@together
def produce_suite(pairs_, results, repeat):
    """(c)"""
    warm_up(pairs_)
    for shape in filter(wanted, PRODUCE_SHAPES):
        for _ in range(repeat):
            for broker, probe in pairs_:
                results.add("produce", str(shape), broker, **measured_produce(broker, probe, shape))
    for broker, _ in pairs_:
        results.add("produce", "after all", broker, rss_mb=rss_mb(broker.pids))


@together
def consume_suite(pairs_, results, repeat):
    """(d)"""
    shape = Shape(records=1_000_000)
    for broker, probe in pairs_:
        probe.ask("create", "c", shape.partitions, 1)
        produced = shape.records
        produce(broker, "c", shape)
        consume(probe, "c", shape, produced, 1)
    for consumers in (1, 4):
        for _ in range(repeat):
            for broker, probe in pairs_:
                with Cost(broker, probe) as cost:
                    speed = consume(probe, "c", shape, produced, consumers)
                read = produced * consumers
                results.add("consume", f"{shape.size}B, {consumers} consumer(s)", broker, **speed,
                            **cost.per(read, read * shape.size))
    for _, probe in pairs_:
        probe.ask("delete", "c")


@together
def latency_suite(pairs_, results, repeat):
    """(e)"""
    warmup_s, seconds, size = 3, 6, 1024
    for broker, probe in pairs_:
        probe.ask("create", "warm", 1, 1)
        probe.ask("latency", "warm", 5000, 5, 5, size, "all")
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


@together
def requests_suite(pairs_, results, repeat):
    """(f): one record a request."""
    for acks in ("1", "all"):
        shape = Shape(**{**SMALL_REQUESTS.__dict__, "acks": acks})
        for broker, probe in pairs_:
            measured_produce(broker, probe, shape)
        for _ in range(repeat):
            for broker, probe in pairs_:
                got = measured_produce(broker, probe, shape)
                results.add("requests", f"{shape.size}B acks={acks}", broker,
                            requests_s=got["rec_s"],
                            no_jit_cpu_s_per_mrequest=got["no_jit_cpu_s_per_mrec"],
                            others_cpu_percent=got["others_cpu_percent"])


@together
def durable_suite(pairs_, results, repeat):
    """(i): flush.messages=1, an fsync before each ack: 16 producers that each wait for their ack, and one at a steady rate."""
    for broker, probe in pairs_:
        probe.ask("create", "warm-durable", 1, 1, "flush.messages=1")
        probe.ask("durable", "warm-durable", 16, 3, 1024)
    for _ in range(repeat):
        for broker, probe in pairs_:
            topic = f"d{time.time_ns()}"
            probe.ask("create", topic, 1, 1, "flush.messages=1")
            with Cost(broker, probe) as cost:
                got = probe.ask("durable", topic, 16, 6, 1024)
            results.add("durable", "16 producers, 1024B, one in flight each", broker, acks_s=got["acks_s"],
                        ack_p50_us=got["ack_p50_us"], ack_p99_us=got["ack_p99_us"],
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


@together
def retention_suite(pairs_, results, repeat):
    """(j): ack latency at 5,000/s, quiet and while retention deletes 20 segments of 16 MiB of another topic.
    Start both brokers with log.retention.check.interval.ms=500 (run-all does)."""
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
            time.sleep(SETTLE_SECONDS)
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
        results.add("cluster", "RF=3", broker, rss_mb=rss_mb(broker.pids))


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


@together
def profile_suite(pairs_, results, _):
    """Where a JVM broker (JDK 25 or later) spends CPU: by thread pool, and a JFR recording with
    CPU-time samples."""
    for broker, probe in pairs_:
        loads = {
            "produce": lambda: produce(broker, "x", BASE, 2_000_000),
            "produce-lz4": lambda: produce(broker, "y", Shape(compression="lz4"), 2_000_000),
            "produce-small": lambda: produce(broker, "z", SMALL_REQUESTS, 300_000),
            "consume": lambda: consume(probe, "x", BASE, 2_000_000, 4),
        }
        for topic in "xyz":
            probe.ask("create", topic, BASE.partitions, 1)
        for name, load in loads.items():
            load()  # warm
            file = HOME / f"{broker.name}-{name}.jfr"
            jcmd(broker, "JFR.start", "name=bench", "jdk.CPUTimeSample#enabled=true")
            before = pool_cpu(broker)
            load()
            after = pool_cpu(broker)
            jcmd(broker, "JFR.stop", "name=bench", f"filename={file}")
            for mode in ("user", "sys"):
                spent = {pool: t - before.get((pool, m), 0)
                         for (pool, m), t in after.items() if m == mode}
                results.add("profile", f"{name}, {mode} s", broker,
                            **{pool: s for pool, s in spent.items() if s >= 0.1})
            print(f"recording: {file}", file=sys.stderr)


def pool_cpu(broker):
    """CPU seconds by (thread pool, user or sys); a pool is a thread name without its numbers."""
    pid = broker.pids[0]
    totals = defaultdict(float)
    for name, tid in re.findall(r'^"([^"]+)".* nid=(\w+)', jcmd(broker, "Thread.print"), re.M):
        try:
            fields = stat_fields(f"/proc/{pid}/task/{int(tid, 0)}/stat")
        except FileNotFoundError:
            continue
        pool = re.sub(r"[-#]?\d+", "", name)
        totals[pool, "user"] += int(fields[11]) / TICKS
        totals[pool, "sys"] += int(fields[12]) / TICKS
    return totals


def jcmd(broker, *args):
    java = Path(f"/proc/{broker.pids[0]}/exe").resolve()
    return run(str(java.parent / "jcmd"), str(broker.pids[0]), *args)


SUITES = {
    "startup": startup,
    "produce": produce_suite,
    "consume": consume_suite,
    "latency": latency_suite,
    "requests": requests_suite,
    "durable": durable_suite,
    "retention": retention_suite,
    "partitions": partitions_suite,
    "cluster": cluster_suite,
    "failover": failover_suite,
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
    global SHAPES
    SHAPES = args.shapes
    Cost.quiet_patience_s = args.quiet
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that brokers are stopped
    run(KAFKA, "setup")
    lock = open(HOME / "bench.lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # one run at a time: ports and cores are shared
    results = Results(args.out)
    for name in args.suites.split(","):
        SUITES[name](brokers, results, args.repeat)
    print(results.table())


if __name__ == "__main__":
    main()
