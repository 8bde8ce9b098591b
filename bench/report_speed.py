#!/usr/bin/env python3
"""How long `bellamy report` takes over fleets of made-up applications, and how large its page is.

    report_speed.py BELLAMY [--applications 3 60 600] [--runs 21] [--threads N] [--rounds 3] [--json FILE]

Applications differ in their law, scatter, sizes, flags and failures. Of the first fleet the runs of an application have the same data
size, of the second a new one each, of the third an application has one or the other in turn. Median, least and most wall time of the rounds; medians of CPU time.
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

COLUMNS = (
    "application run attempt started_at_s runtime_s wait_s outcome executors cores data_size_MB arguments executor_memory_MB"
    " executor_cores peak_executor_heap_MB flags"
).split()
SIZES = {"one size": lambda number: False, "a size each": lambda number: True, "mixed": lambda number: number % 2 == 1}
FIRST_START_S, DAY_S = 1_767_225_600, 86_400


def runs_of(number, count, varies_size):
    """Rows of one application, a run a day."""
    chance = random.Random(number)
    serial_s, parallel_s = math.exp(chance.gauss(3, 1)), math.exp(chance.gauss(6.5, 1))
    scatter, cores, memory_mb = chance.choice((0.03, 0.1, 0.2)), chance.choice((1, 2, 4)), chance.choice((2048, 4096, 8192))
    executors = chance.choice(((2, 4, 8), (4,), (3, 6, 10, 12)))
    changes = count - 5 if chance.random() < 0.15 else count  # from this run on it takes longer
    for run in range(count):
        size = 1000 * math.exp(chance.gauss(0, 0.4)) if varies_size else 1000
        at = executors[run % len(executors)]
        took = (serial_s + parallel_s * size / 1000 / at) * math.exp(chance.gauss(0, scatter)) * (1.6 if run >= changes else 1)
        failed = chance.random() < 0.04
        yield (
            f"job-{number}", f"r{number}-{run}", 1, FIRST_START_S + run * DAY_S + number, f"{took * (0.3 if failed else 1):.3f}",
            f"{chance.expovariate(1 / 8):.1f}", "failed" if failed else "succeeded", at, at * cores, int(size),
            "--full" if number % 7 == 0 and run % 3 == 0 else "", memory_mb, cores, int(memory_mb * chance.uniform(0.3, 0.8)),
            "retried_stages" if chance.random() < 0.05 else "",
        )


def write_table(path, applications, runs, varies_size):
    with open(path, "w") as out:
        out.write("\t".join(COLUMNS) + "\n")
        for number in range(applications):
            for row in runs_of(number, runs, varies_size(number)):
                out.write("\t".join(map(str, row)) + "\n")


def report(program, table, page, threads):
    """Wall and CPU seconds."""
    command = [program, "report", table, "--deadline", "20m", "--price", "$0.05/h", "--html", page]
    if threads:
        command += ["--threads", str(threads)]
    began, cpu = time.perf_counter(), os.times()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-4000:]}")
    after = os.times()
    return time.perf_counter() - began, sum(after[2:4]) - sum(cpu[2:4])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bellamy")
    parser.add_argument("--applications", type=int, nargs="+", default=[3, 60, 600])
    parser.add_argument("--runs", type=int, default=21, help="of each")
    parser.add_argument("--threads", type=int, default=0, help="of the report; all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        table, page = os.path.join(folder, "runs.tsv"), os.path.join(folder, "page.html")
        for applications in options.applications:
            for name, varies_size in SIZES.items():
                write_table(table, applications, options.runs, varies_size)
                took = [report(options.bellamy, table, page, options.threads) for _ in range(options.rounds)]
                walls, cpus = zip(*took)
                rows.append({
                    "applications": applications, "data sizes": name,
                    "s": {"median": round(statistics.median(walls), 2), "low": round(min(walls), 2), "high": round(max(walls), 2)},
                    "CPU s": round(statistics.median(cpus), 2), "page, MB": round(os.path.getsize(page) / 1e6, 2),
                })
                print("{applications:5} applications, {0:11}: {s[median]:6.2f} s ({s[low]:.2f} to {s[high]:.2f}), CPU {1:6.2f} s, page {2:.2f} MB"
                      .format(name, rows[-1]["CPU s"], rows[-1]["page, MB"], **rows[-1]), flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"runs": options.runs, "rounds": options.rounds, "fleets": rows}, out, indent=1)


if __name__ == "__main__":
    main()
