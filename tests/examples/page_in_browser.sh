#!/usr/bin/env bash
# The back-test's page in a browser without a network: it asks for nothing elsewhere, and its table and pictures are there.
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
"$bellamy" backtest "$history" --html "$place/page.html" >/dev/null
browse() {
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$place/profile" \
    --proxy-server=127.0.0.1:1 --window-size=1200,1700 "$@" "file://$(realpath "$place")/page.html" 2>"$place/browser.log"
}
# What the browser made of the page after parsing it.
browse --dump-dom >"$place/dom.html"
for part in '<title>Back-test</title>' '<h1>Back-test</h1>' '<table>' '<svg role="img"' '</svg>'; do
  grep -qF -- "$part" "$place/dom.html" || { echo "expected $part in the page, found:"; head -c 2000 "$place/dom.html"; exit 1; }
done
# What a picture names of its own ("#...") is in the page.
elsewhere='(src|href)=["'"'"'][^#]|url\(|https?:'
if grep -qE "$elsewhere" "$place/dom.html"; then
  echo "expected a page that needs nothing beside it, found:"
  grep -oE ".{0,40}($elsewhere).{0,40}" "$place/dom.html"
  exit 1
fi
if grep -oE " id=[\"'][^\"']*" "$place/dom.html" | sort | uniq -d | grep .; then
  echo "expected every name in the page once, found those above twice"
  exit 1
fi
browse --screenshot="$place/page.png" >/dev/null
[ "$(stat -c %s "$place/page.png")" -gt 20000 ] || { echo "expected a picture of a page with contents"; exit 1; }
