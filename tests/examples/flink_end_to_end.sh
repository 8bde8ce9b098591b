#!/usr/bin/env bash
# A job of Flink from its archives to a parallelism and back: it runs at several parallelisms, its archives are imported, the
# back-test and the recommendation are made, and the job runs again as recommended.
#   flink_end_to_end.sh <bellamy> <folder to work in> <version of Flink>
# Exit code 77 where there is no Maven or no JDK. Takes a minute.
set -euo pipefail
bellamy=$1 place=$2 version=$3
for tool in mvn javac; do
  command -v $tool >/dev/null || {
    echo "skipped: no $tool (Debian: apt-get install maven default-jdk-headless)"
    exit 77
  }
done
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$place"
mkdir -p "$place"
run() {
  "$here/flink_jobs/run.sh" "$version" "$place" "$@" >"$place/flink.log" 2>&1 || {
    tail -n 20 "$place/flink.log"
    exit 1
  }
}
expect() {
  grep -q -- "$1" "$2" || { echo "expected \"$1\" in $2, found:"; cat "$2"; exit 1; }
}
# Column $2 of the runs of the job in table $1, in the order of their starts.
column() {
  awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["application"] == "waits" { print $at[name] }' "$1"
}

# The first job of a cluster pays for what it loads.
run "warms up" 2 waits 1 waits 2 waits 4 waits 2 streams 2 fails 1 "fails over" 2
"$bellamy" import "$place/archives" --traces "$place/history.jsonl.zst" --table "$place/runs.tsv" --report "$place/report.json" \
  >"$place/import.txt"
expect "taken         8 runs of 5 applications" "$place/import.txt"
expect "not advised   on 1 run: a stream" "$place/import.txt"
[ "$(column "$place/runs.tsv" cores | tr '\n' ' ')" = "1 2 4 2 " ] || { echo "expected parallelisms 1 2 4 2:"; cat "$place/runs.tsv"; exit 1; }
[ "$(column "$place/runs.tsv" system | sort -u)" = "flink $version" ] || { echo "expected Flink $version:"; cat "$place/runs.tsv"; exit 1; }
"$bellamy" backtest "$place/archives" --html "$place/backtest.html" >"$place/backtest.txt" 2>"$place/left_out.txt"
expect "^waits  *4  *3 " "$place/backtest.txt"
expect "a stream" "$place/left_out.txt"

# A deadline that one of the parallelisms that ran keeps, however slow this machine is.
deadline=$(column "$place/runs.tsv" runtime_s | sort -n | tail -n 1 | awk '{ print 2 * $1 }')
recommend() { "$bellamy" recommend "$1" --application waits --deadline "$deadline" --probability 0.8 "${@:2}" 2>/dev/null; }
recommend "$place/archives" >"$place/recommend.txt"
expect "Choose [1-8] slot" "$place/recommend.txt"
options=$(recommend "$place/archives" --format flink-run | tail -n 1)
[ "$options" = "$(recommend "$place/history.jsonl.zst" --format flink-run | tail -n 1)" ] || { echo "traces give another answer"; exit 1; }
echo "recommended for $deadline s: $options"
parallelism=$(sed -n 's/^-p \([0-9]*\)$/\1/p' <<<"$options")
[ -n "$parallelism" ] || { echo "expected -p N, found $options"; exit 1; }
run waits "$parallelism"
"$bellamy" import "$place/archives" --table "$place/again.tsv" >"$place/again.txt"
expect "taken         9 runs of 5 applications" "$place/again.txt"
[ "$(column "$place/again.tsv" cores | tail -n 1)" = "$parallelism" ] || { echo "expected parallelism $parallelism:"; cat "$place/again.tsv"; exit 1; }
echo "as recommended it took $(column "$place/again.tsv" runtime_s | tail -n 1) s"
