#!/usr/bin/env bash
# The pages of the back-test and of the report in a browser without a network: they ask for nothing elsewhere, their tables and pictures
# are there, their scripts run, and nothing is cut off at 400 and 1400 px, light, dark or printed.
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
"$bellamy" report "$history" --deadline 20m --backtest --price '$0.05/h' --machine c6=0.04,cores=8,memory=32GB --html "$place/report.html" >/dev/null
# What a picture names of its own ("#...") is in the page.
elsewhere='(src|href)=["'"'"'][^#]|url\(|https?:'
browse() {
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$place/profile" \
    --enable-logging=stderr --proxy-server=127.0.0.1:1 --window-size=1200,1700 "$@" \
    "file://$(realpath "$place")/$name.html" 2>"$place/$name.log"
}
check() {
  local name=$1 part
  shift
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

# Each page in frames of two widths, where a script after its own says what is cut off, and uses the table as a reader does.
cat >"$place/probe" <<'END'
<script>
addEventListener('load',()=>{
  const wrong=[],all=selector=>[...document.querySelectorAll(selector)],must=(holds,what)=>{if(!holds)wrong.push(what)};
  all('details').forEach(each=>each.open=true);
  for(const svg of all('svg'))for(const text of svg.querySelectorAll('text')){
    const box=text.getBBox(),view=svg.viewBox.baseVal;
    must(box.x>-0.5&&box.x+box.width<view.width+0.5&&box.y+box.height<view.height+0.5,'cut: '+text.textContent+' of '+svg.ariaLabel);
  }
  must(document.documentElement.scrollWidth<=innerWidth,'wider than the screen');
  if(document.querySelector('#all')){
    const table=document.querySelector('#all').parentElement,rows=()=>all('#all tbody tr'),names=()=>rows().map(row=>row.cells[0].textContent);
    must(innerWidth<1000||table.scrollWidth<=table.clientWidth,'table is '+table.scrollWidth+' of '+table.clientWidth);
    const sort=title=>all('#all thead button').find(each=>each.textContent===title).click();
    sort('application');must(names().join()===names().sort().join(),'up: '+names());
    sort('application');must(names().join()===names().sort().reverse().join(),'down: '+names());
    sort('in time, now');
    const odds=rows().map(row=>+row.cells[[...row.parentElement.previousElementSibling.rows[0].cells].findIndex(each=>each.textContent==='in time, now')].dataset.v);
    must(odds.every((each,i)=>i===0||odds[i-1]>=each),'odds: '+odds);
    const only=document.querySelector('#only'),text=document.querySelector('#text'),seen=()=>rows().filter(row=>!row.hidden);
    for(const flag of [...only.options].map(each=>each.value).filter(Boolean)){
      only.value=flag;only.dispatchEvent(new Event('change'));
      must(seen().length===rows().filter(row=>row.dataset.is.split(' ').includes(flag)).length,flag);
      must(document.querySelector('#shown').textContent===seen().length+' of '+rows().length+' applications',flag+' is counted');
    }
    only.value='';text.value=names()[0].toUpperCase();text.dispatchEvent(new Event('input'));
    must(seen().length===1,'name');
  }
  parent.postMessage(innerWidth+' px: '+(wrong.join('; ')||'nothing wrong')+' on '+getComputedStyle(document.body).backgroundColor,'*');
});
</script>
END
for page in backtest report; do cat "$place/$page.html" "$place/probe" >"$place/probed_$page.html"; done
name=frames
{
  echo "<script>onmessage=told=>document.body.append(told.data,document.createElement('br'))</script>"
  for page in backtest report; do
    for width in 400 1400; do echo "<iframe src=\"probed_$page.html\" width=\"$width\" height=\"900\" style=\"border:0\"></iframe>"; done
  done
} >"$place/$name.html"
for scheme in 1:255,\ 255,\ 255 0:20,\ 23,\ 26; do
  browse --blink-settings=preferredColorScheme=${scheme%%:*} --virtual-time-budget=20000 --dump-dom >"$place/$name.dom"
  for width in 400 1400; do
    found=$(grep -oE "(^|>)$width px: [^<]*" "$place/$name.dom" | sed 's/^>//') || true
    [ "$(grep -cxF "$width px: nothing wrong on rgb(${scheme#*:})" <<<"$found")" = 2 ] || {
      echo "expected of both pages \"$width px: nothing wrong on rgb(${scheme#*:})\", found: $found"
      exit 1
    }
  done
done
for name in backtest report; do
  browse --print-to-pdf="$place/$name.pdf"
  [ "$(stat -c %s "$place/$name.pdf")" -gt 20000 ] || { echo "expected $name.html in print with contents"; exit 1; }
done
