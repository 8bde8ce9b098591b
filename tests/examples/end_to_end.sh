#!/usr/bin/env bash
# An application of Spark from its event logs to a size and back: it runs at several sizes, its logs are imported, the back-test
# and the recommendation are made, and the recommended configuration is submitted and recorded again.
#   end_to_end.sh <bellamy> <folder to work in>
# Spark is taken from SPARK_HOME, else from Python's package; exit code 77 where there is none. Takes a minute.
set -euo pipefail
bellamy=$1 place=$2
spark=${SPARK_HOME:-$(python3 -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))' 2>/dev/null || true)}
if [ -z "$spark" ] || [ ! -x "$spark/bin/spark-submit" ] || ! command -v java >/dev/null; then
  echo "skipped: no Spark (pip install pyspark==3.5.*, or SPARK_HOME) or no Java (Debian: apt-get install default-jre-headless)"
  exit 77
fi
rm -rf "$place"
mkdir -p "$place/logs"
export SPARK_HOME=$spark PYSPARK_PYTHON=python3 SPARK_LOCAL_IP=127.0.0.1

# Tasks that wait: their time does not depend on what else this machine does.
cat >"$place/waiting.py" <<'PYTHON'
import sys
import time

from pyspark import SparkContext

context = SparkContext(appName="waiting")
for tasks in map(int, sys.argv[1:]):  # several actions: several jobs
    context.parallelize(range(tasks), tasks).foreach(lambda _: time.sleep(0.4))
context.stop()
PYTHON

submit() {
  "$spark/bin/spark-submit" --conf spark.ui.enabled=false --conf spark.eventLog.enabled=true \
    --conf "spark.eventLog.dir=file://$place/logs" --conf spark.eventLog.compress=true \
    --conf spark.eventLog.compression.codec=zstd "$@" "$place/waiting.py" 8 16 >"$place/spark.log" 2>&1 || {
    tail -n 20 "$place/spark.log"
    exit 1
  }
}
expect() {
  grep -q -- "$1" "$2" || { echo "expected \"$1\" in $2, found:"; cat "$2"; exit 1; }
}

for cores in 1 2 4 2; do submit --master "local[$cores]"; done
"$bellamy" import "$place/logs" --traces "$place/history.jsonl.zst" --table "$place/runs.tsv" --report "$place/report.json" \
  >"$place/import.txt"
expect "taken         4 runs of 1 application" "$place/import.txt"
"$bellamy" backtest "$place/logs" --html "$place/backtest.html" >"$place/backtest.txt"
expect "^waiting  *4  *3 " "$place/backtest.txt"

# A deadline that one of the sizes that ran keeps, however slow this machine is.
deadline=$(tail -n +2 "$place/runs.tsv" | cut -f 5 | sort -n | tail -n 1 | awk '{ print 2 * $1 }')
recommend() { "$bellamy" recommend "$place/logs" --application waiting --deadline "$deadline" --probability 0.8 "$@"; }
recommend >"$place/recommend.txt"
expect "Choose [1-8] core" "$place/recommend.txt"
options=$(recommend --format spark-submit | tail -n 1)
echo "recommended for $deadline s: $options"
cores=$(sed -n 's/^--master local\[\([0-9]*\)\].*/\1/p' <<<"$options")
[ -n "$cores" ] || { echo "expected --master local[N], found $options"; exit 1; }
# shellcheck disable=SC2086
submit $options
"$bellamy" import "$place/logs" --table "$place/again.tsv" >"$place/again.txt"
expect "taken         5 runs of 1 application" "$place/again.txt"
last=$(tail -n 1 "$place/again.tsv")
echo "the recommended size took $(cut -f 5 <<<"$last") s"
[ "$(cut -f 9 <<<"$last")" = "$cores" ] || { echo "expected $cores cores in the last log, found: $last"; exit 1; }
