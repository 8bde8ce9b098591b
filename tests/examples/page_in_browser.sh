#!/usr/bin/env bash
# The pages of the back-test and of the report in a browser without a network: they ask for nothing elsewhere, their tables and pictures
# are there, and their scripts run.
#   page_in_browser.sh <bellamy> <history> <folder to work in>
# Exit code 77 where there is no browser.
set -euo pipefail
bellamy=$1 history=$2 place=$3
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "skipped: no browser (Debian: apt-get install chromium)"
  exit 77
fi
rm -rf "$place"
mkdir -p "$place"
"$bellamy" backtest "$history" --html "$place/backtest.html" >/dev/null
"$bellamy" report "$history" --deadline 20m --backtest --html "$place/report.html" >/dev/null
# What a picture names of its own ("#...") is in the page.
elsewhere='(src|href)=["'"'"'][^#]|url\(|https?:'
check() {
  local name=$1 part
  shift
  browse() {
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$place/profile" \
      --enable-logging=stderr --proxy-server=127.0.0.1:1 --window-size=1200,1700 "$@" \
      "file://$(realpath "$place")/$name.html" 2>"$place/$name.log"
  }
  # What the browser made of the page after parsing it.
  browse --dump-dom >"$place/$name.dom"
  for part in "$@"; do
    grep -qF -- "$part" "$place/$name.dom" || { echo "expected $part in $name.html, found:"; head -c 2000 "$place/$name.dom"; exit 1; }
  done
  if grep -E 'CONSOLE' "$place/$name.log"; then
    echo "expected nothing on the console of $name.html, found the lines above"
    exit 1
  fi
  if grep -qE "$elsewhere" "$place/$name.dom"; then
    echo "expected a page that needs nothing beside it, found in $name.html:"
    grep -oE ".{0,40}($elsewhere).{0,40}" "$place/$name.dom"
    exit 1
  fi
  if grep -oE " id=[\"'][^\"']*" "$place/$name.dom" | sort | uniq -d | grep .; then
    echo "expected every name in $name.html once, found those above twice"
    exit 1
  fi
  browse --screenshot="$place/$name.png" >/dev/null
  [ "$(stat -c %s "$place/$name.png")" -gt 20000 ] || { echo "expected a picture of $name.html with contents"; exit 1; }
}
check backtest '<title>Back-test</title>' '<h1>Back-test</h1>' '<table>' '<svg role="img"' '</svg>'
check report '<h1>Fleet report</h1>' '<svg role="img"' '>3 of 3 applications</span>'
