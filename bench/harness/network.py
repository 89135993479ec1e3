"""Each node in a network namespace of its own, behind one bridge, so that packets between any two of them can be dropped. Needs root, ip and nft."""

import os
import shutil
import subprocess
from contextlib import contextmanager

from harness.processes import run

PREFIX, BRIDGE, SUBNET, CLIENTS = "hwnode", "hwbridge", "10.77.0", "10.77.0.254"
TABLE = "inet cut"


def address(node):
    return f"{SUBNET}.{node}"


def namespace(node):
    return f"{PREFIX}{node}"


@contextmanager
def namespaces(nodes):
    """Sets up so many, numbered from 1; meanwhile the drivers launch each node in its own. Clients run outside, and reach all."""
    for program in ("ip", "nft"):
        if os.geteuid() != 0 or shutil.which(program) is None:
            raise SystemExit("cuts between nodes need root, ip (iproute2) and nft (nftables); other faults need none: --faults kill,stop")
    tear_down(nodes)
    variables = {"BENCH_HOSTS": " ".join(address(n) for n in range(1, nodes + 1)), "BENCH_NETNS": PREFIX}
    try:
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "address", "add", f"{CLIENTS}/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        for node in range(1, nodes + 1):
            outside, inside, name = f"hwv{node}", f"hwe{node}", namespace(node)
            run("ip", "netns", "add", name)
            run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name)
            run("ip", "link", "set", outside, "master", BRIDGE, "up")
            within = ("ip", "-n", name)
            run(*within, "address", "add", f"{address(node)}/24", "dev", inside)
            run(*within, "link", "set", inside, "up")
            run(*within, "link", "set", "lo", "up")
        os.environ.update(variables)
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)
        tear_down(nodes)


def tear_down(nodes):
    for node in range(1, nodes + 1):
        subprocess.run(["ip", "netns", "delete", namespace(node)], stderr=subprocess.DEVNULL)
    subprocess.run(["ip", "link", "delete", BRIDGE], stderr=subprocess.DEVNULL)


def cut(node, hears, is_heard, others):
    """Drops what NODE gets from the addresses of OTHERS unless it HEARS, and what it sends to them unless it IS_HEARD. Nobody is told."""
    addresses = ", ".join(others)
    rules = [f"table {TABLE} {{"]
    if not hears:
        rules.append(f"chain hear {{ type filter hook input priority 0; ip saddr {{ {addresses} }} drop; }}")
    if not is_heard:
        rules.append(f"chain say {{ type filter hook output priority 0; ip daddr {{ {addresses} }} drop; }}")
    nft(node, [*rules, "}"])


def heal(node):
    """Whether it was cut or not."""
    nft(node, [f"table {TABLE} {{", "}", f"delete table {TABLE}"])


def nft(node, rules):
    command = ["ip", "netns", "exec", namespace(node), "nft", "-f", "-"]
    done = subprocess.run(command, input="\n".join(rules) + "\n", text=True, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(f"nft for node {node} failed: {done.stderr}")
