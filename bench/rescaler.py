#!/usr/bin/env python3
"""What Spark's rescaler costs its driver and how well it predicts, on real executors of this machine.

    rescaler.py BELLAMY.jar BELLAMY-SPARK.jar BELLAMY-SPARK-tests.jar [--small-jobs 1000]

Ten jobs of sleeping tasks, run six times, by size and by deadline: the forecast after every job against what came. Then drivers with
nothing but small jobs: without a history, with one to learn from, and with what was learned kept. Spark is that of SPARK_HOME or of
Python's package.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

COSTS = re.compile(
    r"(\d+) questions, each (\S+) ms \(median\) and (\S+) ms \(99%\); CPU: learning and binding (\S+) s, questions (\S+) s,"
    r" callbacks (\S+) s, together (\S+) % of the driver's (\S+) s"
)


def find_spark():
    if "SPARK_HOME" in os.environ:
        return os.environ["SPARK_HOME"]
    try:
        import pyspark
    except ImportError:
        sys.exit("no Spark: pip install pyspark, or SPARK_HOME")
    return os.path.dirname(pyspark.__file__)


def submit(spark, jars, master, settings, arguments):
    """Runs an application of the tests; returns the numbers of what the plugin cost it, as its log tells them."""
    command = [os.path.join(spark, "bin", "spark-submit"), "--name", "sleepy", "--master", master, "--jars", ",".join(jars[:2])]
    command += ["--driver-memory", "512m", "--class", "io.github.bellamy.spark.SleepyRuns"]
    settings = {
        "spark.plugins": "io.github.bellamy.spark.RescalerPlugin",
        "spark.ui.enabled": "false",
        "spark.executor.cores": "1",
        "spark.executor.memory": "512m",
        "spark.standalone.executorRemoveDelayOnDisconnection": "100ms",
        **settings,
    }
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    done = subprocess.run([*command, jars[2], *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = COSTS.search(done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(done.stdout[-4000:])
    return [float(each) for each in found.groups()]


def forecasts(spark, jars, folder):
    history, decisions = os.path.join(folder, "runs.jsonl"), os.path.join(folder, "decisions.jsonl")
    settings = {"spark.bellamy.history": history, "spark.bellamy.decisions": decisions}
    settings.update({"spark.bellamy.delay": "3s", "spark.bellamy.maxExecutors": "3"})
    costs = submit(spark, jars, "local-cluster[3,1,512]", settings, ["3", "learn"])
    paths = [*jars[:2], os.path.join(spark, "jars", "*")]
    report = ["java", "-cp", os.pathsep.join(paths), "io.github.bellamy.spark.RescalerReport", decisions, history]
    subprocess.run(report, check=True)
    return costs


def costs_of_small_jobs(spark, jars, folder, jobs):
    history = os.path.join(folder, "small.jsonl")
    arguments = ["1", "small", str(jobs)]
    for name, record in [("no history", history), ("learns", history + ".2.jsonl"), ("kept model", history + ".3.jsonl")]:
        settings = {"spark.bellamy.history": history, "spark.bellamy.record": record}
        yield f"{jobs} small jobs, {name}", submit(spark, jars, "local-cluster[1,1,512]", settings, arguments)


def tell(name, costs):
    count, median, last, preparing, questions, callbacks, share, driver = costs
    print(
        f"{name:28} {count:9.0f} {median:10.2f} {last:8.2f} {preparing:13.3f} {questions:11.3f} {callbacks:11.3f}"
        f" {driver:9.1f} {share:8.2f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jars", nargs=3, metavar="JAR")
    parser.add_argument("--small-jobs", type=int, default=1000)
    options = parser.parse_args()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    spark = find_spark()
    jars = [os.path.abspath(each) for each in options.jars]
    with tempfile.TemporaryDirectory() as folder:
        learned = forecasts(spark, jars, folder)
        print(
            f"\n{'driver':28} questions  median ms    99% ms  prepare CPU s  questions s  callbacks s  driver s  share %",
            flush=True,
        )
        tell("six runs of ten jobs", learned)
        for name, costs in costs_of_small_jobs(spark, jars, folder, options.small_jobs):
            tell(name, costs)


if __name__ == "__main__":
    main()
