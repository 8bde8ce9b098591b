#!/usr/bin/env python3
"""Makes the logs of this folder: Spark records a small application, and its history server hands out the logs as zips.

    make.py FOLDER        writes them there; Spark is that of SPARK_HOME, with a Java

The application runs twice: once into one file compressed by lz4, whose text Spark's own classes compress again by the other
codecs, and once into a rolling log compressed by lz4.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

APPLICATION = """
import time
from pyspark import SparkContext
spark = SparkContext(appName="waiting")
for tasks in (2, 4):
    spark.parallelize(range(tasks), tasks).foreach(lambda _: time.sleep(0.2))
spark.stop()
"""

COMPRESS_AGAIN = """
import sys
from pyspark import SparkContext
spark = SparkContext()
jvm = spark._jvm
codec = lambda name: jvm.org.apache.spark.io.CompressionCodec.createCodec(spark._jsc.sc().conf(), name)
text = codec("lz4").compressedInputStream(jvm.java.io.FileInputStream(sys.argv[1])).readAllBytes()
for name in ("snappy", "zstd", "lzf"):
    if name == "lzf":
        text = text[:1000]  # is refused by its first bytes
    out = codec(name).compressedOutputStream(jvm.java.io.FileOutputStream(f"{sys.argv[2]}/{name}"))
    out.write(text)
    out.close()
spark.stop()
"""

PORT = 18080


def run_python(place, text, options, *arguments):
    program = os.path.join(place, "program.py")
    with open(program, "w") as file:
        file.write(text)
    submit = os.path.join(os.environ["SPARK_HOME"], "bin", "spark-submit")
    options = [word for option in options for word in ("--conf", option)]
    subprocess.run([submit, "--master", "local[2]", "--conf", "spark.ui.enabled=false", *options, program, *arguments], check=True, cwd=place)


def record(place, logs, *options):
    run_python(place, APPLICATION, ["spark.eventLog.enabled=true", f"spark.eventLog.dir=file://{logs}", "spark.eventLog.compress=true",
                                    "spark.eventLog.compression.codec=lz4", *options])


def fetch(url):
    """The server answers 404 until it has read its folder."""
    for _ in range(60):
        try:
            with urllib.request.urlopen(url) as answer:
                return answer.read()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(1)
    sys.exit(f"expected an answer of {url}, found none in a minute")


def main(folder):
    with tempfile.TemporaryDirectory() as place:
        logs = os.path.join(place, "logs")
        os.makedirs(logs)
        record(place, logs, "spark.eventLog.rolling.enabled=false")
        single = glob.glob(os.path.join(logs, "*.lz4"))[0]
        record(place, logs, "spark.eventLog.rolling.enabled=true")
        rolling = glob.glob(os.path.join(logs, "eventlog_v2_*"))[0]
        shutil.copy(single, os.path.join(folder, "lz4"))
        run_python(place, COMPRESS_AGAIN, [], single, os.path.abspath(folder))
        options = f"-Dspark.history.fs.logDirectory=file://{logs} -Dspark.history.ui.port={PORT}"
        server = subprocess.Popen([os.path.join(os.environ["SPARK_HOME"], "bin", "spark-class"), "org.apache.spark.deploy.history.HistoryServer"],
                                  env=dict(os.environ, SPARK_HISTORY_OPTS=options), cwd=place)
        try:
            for name, log in (("server.zip", os.path.basename(single).removesuffix(".lz4")),
                              ("server_rolling.zip", os.path.basename(rolling).removeprefix("eventlog_v2_"))):
                answer = fetch(f"http://localhost:{PORT}/api/v1/applications/{log}/logs")
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(answer)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"expected FOLDER, found {sys.argv[1:]}")
    main(sys.argv[1])
