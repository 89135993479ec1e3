"""Where a JVM broker spends its CPU."""

import re
import sys
from collections import defaultdict
from pathlib import Path

from harness.load import BASE, SMALL_REQUESTS, Shape, consume, produce
from harness.processes import HOME, TICKS, run, stat_fields
from harness.suites import together


@together()
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
