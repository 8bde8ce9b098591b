// What does not change from page to page of a report: its style, and the lines that filter and sort its table.
#ifndef BELLAMY_EXAMPLES_REPORT_PAGE_PARTS_HPP
#define BELLAMY_EXAMPLES_REPORT_PAGE_PARTS_HPP

#include <string_view>

namespace tools::detail {

// In print a button in a head that repeats is painted once alone, its text each time. Contrast is at least 4.5 of texts on
// their background and 3 of lines, those around and across the bands too, in both schemes.
inline constexpr std::string_view report_css = R"css(
:root{--back:#fff;--text:#1b1d1f;--dim:#565c63;--line:#d5d9de;--card:#f5f6f8;--blue:#0b5cad;--wide:#d3e5f5;--near:#9cc6e8;--red:#b3261e;--green:#19692c}
@media screen and (prefers-color-scheme:dark){:root{--back:#14171a;--text:#e8eaed;--dim:#a9b1ba;--line:#3a4148;--card:#1e2328;--blue:#86bdf5;--wide:#22394e;--near:#33597a;--red:#ff9389;--green:#7ed491}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:88rem;font:16px/1.45 system-ui,sans-serif;color:var(--text);background:var(--back)}
h1{font-size:1.6rem;margin:.2em 0}h2{font-size:1.25rem;margin:1.6em 0 .5em}h3{font-size:1rem;margin:0;display:inline}
a{color:var(--blue)}p{margin:.4em 0}.dim{color:var(--dim)}.bad{color:var(--red)}.good{color:var(--green)}
bdi,td,dd,p,li{overflow-wrap:anywhere}
dl.sums{display:grid;grid-template-columns:repeat(auto-fill,minmax(10.5rem,1fr));gap:.6rem;margin:1rem 0}
dl.sums div{background:var(--card);border-radius:.5rem;padding:.6rem .8rem}
dl.sums dt{font-size:.85rem;color:var(--dim)}dl.sums dd{margin:0;font-size:1.15rem;font-weight:600}
dl.answers dt{font-weight:600;margin-top:.8em}dl.answers dd{margin:.1em 0 .1em 1rem}
.tools{display:flex;flex-wrap:wrap;gap:.6rem 1.2rem;align-items:end;margin:.6rem 0}
.tools label{display:flex;flex-direction:column;font-size:.85rem;color:var(--dim)}
input,select,button{font:inherit;color:var(--text);background:var(--back);border:1px solid var(--dim);border-radius:.3rem;padding:.3rem .5rem}
:focus-visible{outline:3px solid var(--blue);outline-offset:1px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{padding:.35rem .5rem;text-align:right;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
thead th{vertical-align:bottom;font-weight:600}#all thead th{padding:0}thead button{border:0;border-radius:0;background:none;padding:.35rem .5rem;width:100%;text-align:inherit;font-weight:600;color:var(--blue);cursor:pointer}
th[aria-sort=ascending] button::after{content:"\00a0\25B2"}th[aria-sort=descending] button::after{content:"\00a0\25BC"}
th.word,td.word{text-align:left}tbody th{min-width:9rem}td{white-space:nowrap}td.word,td.wrap{white-space:normal}td.wrap{min-width:6.5rem}
@media screen and (min-width:40rem){#all{font-size:.86rem}#all td,#all tbody th,#all thead button{padding:.35rem}#all tbody th{min-width:7.5rem}}
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.5rem .8rem;content-visibility:auto;contain-intrinsic-size:auto 3rem}
summary{cursor:pointer}.pictures{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}.pictures svg{flex:1 1 20rem;max-width:30rem;width:100%}
pre{background:var(--card);padding:.6rem;border-radius:.3rem;overflow-x:auto;user-select:all}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.6rem 0}dl.facts dt{color:var(--dim)}dl.facts dd{margin:0}
svg{font:12px system-ui,sans-serif;color:var(--text)}svg text{fill:currentColor}svg .x{text-anchor:middle}svg .y{text-anchor:end}
svg path{fill:none;stroke:currentColor}svg .grid{stroke:var(--line)}svg .band90{fill:var(--wide);stroke:var(--blue);stroke-width:.7}svg .band50{fill:var(--near);stroke:var(--blue);stroke-width:.7}
svg .median{stroke:var(--blue);stroke-width:2}svg .deadline{stroke:var(--red);stroke-dasharray:7 4}svg .now{stroke:var(--dim);stroke-dasharray:2 3;stroke-width:2}
svg .proposed{stroke:var(--green);stroke-width:2}svg .run{fill:currentColor}svg .runline{stroke-width:6;stroke-dasharray:0 20;stroke-dashoffset:-7;stroke-linecap:round}svg .bad{stroke:var(--red);stroke-width:2}
svg .expected{stroke:var(--blue);stroke-width:3}svg .bar{fill:var(--blue)}
@media(max-width:40rem){.wide{display:none}body{padding:.6rem}table{font-size:.8rem}th,td,thead button{padding:.3rem .25rem}tbody th{min-width:4.5rem}pre{white-space:pre-wrap}dl.facts{grid-template-columns:1fr}dl.facts dd{margin-bottom:.4rem}}
.printed{display:none}
@media print{.printed{display:block}:root{font-size:10px}.tools{display:none}body{max-width:none;padding:0;font-size:1rem;print-color-adjust:exact}.scroll{overflow:visible}th,td,thead button{padding:.2rem .3rem}td.word,tbody th{min-width:0}thead button{display:contents;color:var(--text)}#all thead th{padding:.2rem .3rem}.wide{display:table-cell}pre{white-space:pre-wrap}details:not([open]){display:none}thead,tr,svg,dl.sums div,pre{break-inside:avoid}h2,h3,summary,dt{break-after:avoid}}
)css";

inline constexpr std::string_view report_js = R"js(
'use strict';
const body=document.querySelector('#all tbody'),rows=[...body.rows],text=document.querySelector('#text'),only=document.querySelector('#only'),shown=document.querySelector('#shown');
function filter(){
  const part=text.value.toLowerCase(),flag=only.value;let count=0;
  for(const row of rows){const fits=row.cells[0].textContent.toLowerCase().includes(part)&&(!flag||row.dataset.is.split(' ').includes(flag));row.hidden=!fits;if(fits)++count}
  shown.textContent=count+' of '+rows.length+' applications';
}
text.addEventListener('input',filter);only.addEventListener('change',filter);
const heads=[...document.querySelectorAll('#all thead th')];
heads.forEach((head,column)=>head.querySelector('button').addEventListener('click',()=>{
  const up=head.getAttribute('aria-sort')==='descending'||(head.classList.contains('word')&&head.getAttribute('aria-sort')!=='ascending');
  heads.forEach(each=>each.removeAttribute('aria-sort'));head.setAttribute('aria-sort',up?'ascending':'descending');
  const key=row=>row.cells[column].dataset.v;
  const number=!head.classList.contains('word');
  rows.sort((a,b)=>{const x=key(a),y=key(b);if(x===''||y==='')return (x==='')-(y==='');const order=number?x-y:x<y?-1:x>y?1:0;return up?order:-order});
  rows.forEach(row=>body.append(row));
}));
function open(){const at=location.hash&&document.getElementById(location.hash.slice(1));if(at&&at.tagName==='DETAILS'){at.open=true;at.scrollIntoView();at.querySelector('summary').focus()}}
addEventListener('hashchange',open);open();filter();
)js";

}  // namespace tools::detail

#endif
