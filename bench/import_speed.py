#!/usr/bin/env python3
"""How fast event logs are read: bellamy import on one core, Python's json on the same lines, and Spark's own replay.

    import_speed.py BELLAMY LOG [--megabytes 200] [--repeat 3]

LOG is a plain event log of one application; its lines between the first and the last are repeated up to the size asked for.
Spark is taken from SPARK_HOME or from Python's package and left out where there is neither, or no Java.
"""
import argparse
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def lengthen(log, path, megabytes):
    """Repeats the tasks of a log; ids and times stay, which a reader has to take."""
    with open(log, "rb") as file:
        lines = file.readlines()
    middle = [i for i, line in enumerate(lines) if b'"SparkListenerTask' in line]
    first, last = middle[0], middle[-1] + 1
    block = b"".join(lines[first:last])
    with open(path, "wb") as file:
        file.writelines(lines[:first])
        while file.tell() < megabytes << 20:
            file.write(block)
        file.writelines(lines[last:])
    return os.path.getsize(path) / 1e6


def seconds_of(work, repeat):
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2]


def import_logs(program, log):
    with tempfile.TemporaryDirectory() as place:
        command = [program, "import", log, "--threads", "1", "--table", os.path.join(place, "runs.tsv")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def python_json(log):
    with open(log, "rb") as file:
        for line in file:
            json.loads(line)


def find_spark():
    home = os.environ.get("SPARK_HOME")
    if home:
        sys.path[:0] = [os.path.dirname(home), *glob.glob(os.path.join(home, "python", "lib", "py4j*.zip"))]
    try:
        import pyspark
    except ImportError:
        return None
    return pyspark


def spark_replay(log):
    """Seconds of ReplayListenerBus without any listener: parsing and making the events, once its classes are warm."""
    pyspark = find_spark()
    if pyspark is None:
        return None
    context = pyspark.SparkContext(
        conf=pyspark.SparkConf().setMaster("local[1]").set("spark.ui.enabled", "false").set("spark.driver.memory", "1g"))
    try:
        jvm = context._jvm
        module = jvm.java.lang.Class.forName("org.apache.spark.scheduler.ReplayListenerBus$").getField("MODULE$").get(None)
        times = []
        for _ in range(2):  # the first warms up
            stream = jvm.java.io.FileInputStream(log)
            began = time.perf_counter()
            jvm.org.apache.spark.scheduler.ReplayListenerBus().replay(stream, log, False, module.SELECT_ALL_FILTER())
            times.append(time.perf_counter() - began)
            stream.close()
        return times[-1]
    finally:
        context.stop()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", metavar="BELLAMY")
    options.add_argument("log", metavar="LOG")
    options.add_argument("--megabytes", type=int, default=200)
    options.add_argument("--repeat", type=int, default=3)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        log = os.path.join(place, "app-long")
        megabytes = lengthen(given.log, log, given.megabytes)
        ours = seconds_of(lambda: import_logs(given.program, log), given.repeat)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"bellamy import {megabytes / ours:8.1f} MB/s, at most {peak:.0f} MB of memory, log of {megabytes:.0f} MB")
        python = seconds_of(lambda: python_json(log), 1)
        print(f"Python's json  {megabytes / python:8.1f} MB/s, {python / ours:.1f} times as long")
        replay = spark_replay(log)
        if replay is None:
            print("Spark's replay is left out: no pyspark")
        else:
            print(f"Spark's replay {megabytes / replay:8.1f} MB/s, {replay / ours:.1f} times as long")


if __name__ == "__main__":
    main()
