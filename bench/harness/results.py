"""Measured values, and the table that compares brokers."""

import json
import statistics
import sys
from pathlib import Path


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
