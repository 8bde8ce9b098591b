#!/usr/bin/env python3
"""Writes the tables of the pages from the figures in bench/results/*.json.

    bench/tables.py            writes them below the markers of the pages, and bench/results/README.md anew
    bench/tables.py --check    writes nothing; fails and shows the difference where a page is not what it would write

A marker is a comment: <!-- table FILE.TABLE; columns: A as B | C; rows: X | Y --> right above it. Without columns or rows it is the
whole table; a row is named by its first column, or by the first two. A column has a form: "{mean:.1f} / {median:.1f}[; {pinball}]", where a part in brackets is left out without its values;
a marker may give another one: columns: k=0 {mean:.1f}. In {low} without a format numbers are written as they are.
"""

import argparse
import difflib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PAGES = ["README.md", "bench/README.md", "include/bellamy/RECORDING.md", "include/bellamy/BUILDING.md", "examples/jni/README.md",
         "examples/python/README.md"]
MARKER = re.compile(r"^(<!-- table ([\w.]+)((?:; *(?:columns|rows):.*?)*) -->\n)((?:\|.*\n)*)", re.M)


class BadTable(Exception):
    pass


def number(value, spec):
    return format(value, spec or ",")


def filled(form, values):
    """`form` with its values; a bracketed part whose values are missing is left out."""
    inner = re.compile(r"\[([^\[\]]*)\]")
    while inner.search(form):
        form = inner.sub(lambda part: filled(part[1], values) if all(name in values for name in names_of(part[1])) else "", form)
    return re.sub(r"\{(\w+):?([^}]*)\}", lambda place: number(values[place[1]], place[2]), form)


def names_of(form):
    return re.findall(r"\{(\w+)", form)


def cell(form, value):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    values = value if isinstance(value, dict) else {"value": value}
    try:
        return filled(form or "{value}", values)
    except KeyError as missing:
        raise BadTable(f"expected {missing} for \"{form}\", found {value}") from None


def selected_columns(table, text):
    known = {column["name"]: column for column in table["columns"]}
    if text is None:
        return [(column["name"], column["name"], column.get("form")) for column in table["columns"]]
    result = []
    for part in text.split(" | "):
        name, _, title = part.partition(" as ")
        name, brace, form = name.partition(" {")
        if name not in known:
            raise BadTable(f"expected one of {sorted(known)}, found \"{name}\"")
        result.append((name, title or name, "{" + form if brace else known[name].get("form")))
    return result


def selected_rows(table, text):
    if text is None:
        return table["rows"]
    label, second = (column["name"] for column in table["columns"][:2])
    known = {}
    for row in table["rows"]:
        known.setdefault(str(row[label]), []).append(row)
        known.setdefault(f"{row[label]} {row[second]}", []).append(row)
    names = text.split(" | ")
    for name in names:
        if name not in known:
            raise BadTable(f"expected one of {sorted(known)}, found \"{name}\"")
    return [row for name in names for row in known[name]]


def markdown(table, columns=None, rows=None):
    chosen = selected_columns(table, columns)
    lines = ["| " + " | ".join(title for _, title, _ in chosen) + " |", "|" + "---|" * len(chosen)]
    for row in selected_rows(table, rows):
        lines.append("| " + " | ".join(cell(form, row.get(name)) for name, _, form in chosen) + " |")
    return "\n".join(lines) + "\n"


def selection(text, name):
    match = re.search(name + r": *([^;]*)", text)
    return match[1].strip() if match else None


def page_with_tables(text, results, page):
    def table(match):
        file, _, name = match[2].partition(".")
        try:
            content = results[file]["tables"][name]
        except KeyError:
            raise BadTable(f"{page}: no table {match[2]} in bench/results") from None
        return match[1] + markdown(content, selection(match[3], "columns"), selection(match[3], "rows"))

    if text.count("<!-- table ") != len(MARKER.findall(text)):
        raise BadTable(f"{page}: expected markers as in the help of this script, found another one")
    return MARKER.sub(table, text)


def results_page(results):
    lines = [
        "# All figures",
        "",
        "Written by `bench/tables.py` from the files beside this page. [bench/README.md](../README.md) says what they mean,",
        "[METHOD.md](../METHOD.md) how they were measured. To change a figure, change its file and run that script. What has no commit",
        "was measured before commits were noted, and cannot be repeated exactly.",
    ]
    for name, result in results.items():
        lines += ["", f"## {result['title']}", ""]
        if result.get("command"):
            lines += ["```text", *result["command"], "```", ""]
        lines += [f"- {key}: {result[key]}" for key in ("machine", "compiler", "peers", "commit") if result.get(key)]
        lines += [f"- file: [{name}.json]({name}.json)"]
        for table in result["tables"].values():
            lines += ["", table["caption"], "", markdown(table).rstrip("\n")]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Writes the tables of the pages from bench/results/*.json.")
    parser.add_argument("--check", action="store_true", help="fail where a page is not what would be written")
    check = parser.parse_args().check
    try:
        results = {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}
        if not results:
            raise BadTable(f"expected files of figures in {RESULTS}, found none")
        wanted = {page: page_with_tables((ROOT / page).read_text(), results, page) for page in PAGES}
        wanted["bench/results/README.md"] = results_page(results)
    except (BadTable, ValueError) as error:
        sys.exit(f"tables.py: {error}")
    failed = False
    for page, text in wanted.items():
        path = ROOT / page
        found = path.read_text() if path.exists() else ""
        if check and found != text:
            failed = True
            sys.stdout.writelines(difflib.unified_diff(found.splitlines(True), text.splitlines(True), page, "as tables.py writes it"))
        elif not check:
            path.write_text(text)
    sys.exit("expected the tables that bench/tables.py writes, found others" if failed else 0)


if __name__ == "__main__":
    main()
