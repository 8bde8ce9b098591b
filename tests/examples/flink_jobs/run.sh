#!/usr/bin/env bash
# Runs jobs of FlinkJobs.java and leaves their archives.
#   run.sh <version of Flink> <folder to work in> <job> <parallelism> [<job> <parallelism>]...
# The archives are in <folder>/archives. Needs Maven and a JDK.
set -euo pipefail
version=$1 place=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$place/input"
for file in 1 2 3 4 5 6 7 8; do
  for line in $(seq 1 40); do
    echo "$((line % 7)): line $line of file $file, which those jobs read that read files"
  done >"$place/input/$file.txt"
done
MAVEN_OPTS=${MAVEN_OPTS:--Xmx512m} mvn --quiet --batch-mode --file "$here/pom.xml" "-Dflink.version=$version" "-Dplace=$place/made" \
  compile dependency:copy-dependencies "-DoutputDirectory=$place/libraries"
# What Flink's own scripts open on JDK 17.
java -Xmx512m --add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED \
  -cp "$place/made/classes:$place/libraries/*" FlinkJobs "$place/archives" "$place/input" "$@"
