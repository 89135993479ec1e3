"""Processes and what they cost, from /proc."""

import fcntl
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
HOME = Path(os.environ.get("PEER_HOME", "/tmp/highwater-bench"))
KAFKA = str(HERE / "kafka.sh")
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
MB = 1e6
GB = 1e9
QUIET_IDLE = 0.8


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


def await_settled(pids, share=0.1, patience_s=10):
    """Waits until the processes take less than this share of a core for half a second, or patience runs out."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        before = cpu_seconds(pids)
        time.sleep(0.5)
        if cpu_seconds(pids) - before < 0.5 * share:
            return


def open_directory(pid, part):
    """The directory of a file that the process has open and whose path has PART in it."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        target = os.readlink(link)
        if part in target:
            return Path(target).parent
    raise RuntimeError(f"process {pid} has no file open with {part} in its path")


def build_highwater():
    """Now rather than when the first broker starts."""
    run(str(Path(os.environ.get("HIGHWATER_HOME", HERE.parent)) / "bin/highwater"), "version")


def run(*args):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(args)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def alone():
    """Waits until no other run holds PEER_HOME, prepares Kafka's jars, and sees to it that brokers are stopped when this run
    is. Keep the lock that it returns."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    run(KAFKA, "setup")
    lock = open(HOME / "bench.lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # ports and cores are shared
    return lock


def kill_hard(pid):
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}").exists() and stat_fields(f"/proc/{pid}/stat")[0] != "Z":
        time.sleep(0.002)


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
