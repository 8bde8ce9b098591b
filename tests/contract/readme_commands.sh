#!/usr/bin/env bash
# Runs what the READMEs of the library and of examples/c say to type, in an empty directory in which build, include and
# examples are ours. Others run what installs, Conan, Maven and pkg-config: the tests of these routes, whose names say so.
#   readme_commands.sh <source> <build> <directory>
set -euo pipefail
source=$1 build=$2 directory=$3
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"
ln -s "$source/include" "$source/examples" .
ln -s "$build" build

readmes=("$source/README.md" "$source/examples/c/README.md")
commands() {
  sed -n '/^```sh$/,/^```$/p' "${readmes[@]}" | grep -v '^```'
  grep -oh '`cmake --build build --target [a-z_]*`' "${readmes[@]}" | tr -d '`' | sort -u
  grep -oh '^`build/examples/[^`]*`' "${readmes[@]}" | tr -d '`'
}
ran=0
while IFS= read -r command; do
  case $command in
    tests/run) continue ;;                                                    # runs this test
    examples/try) command='cmake --build build --target demo' ;;              # the rest of it made this build
    *'--target reference') command -v doxygen >/dev/null || { echo "left out: no doxygen for $command"; continue; } ;;
  esac
  echo "\$ $command"
  bash -euo pipefail -c "$command"
  ran=$((ran + 1))
done < <(commands)
for made in job.bellamy curve.svg backtest.html libbellamy.so build/single_header/bellamy/bellamy.hpp; do
  [ -s "$made" ] || { echo "expected the commands of the READMEs to make $made, found $(ls)"; exit 1; }
done
[ "$ran" -ge 11 ] || { echo "expected at least 11 commands in the READMEs, found $ran"; exit 1; }
