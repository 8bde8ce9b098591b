#!/usr/bin/env python3
"""How large the library is, and whether it can be read: tokens, headers, and what editors see of them.

    tests/size.py                          tokens by folder; headers, their includers, the longest
    tests/size.py --most-tokens 250000     fails where a limit is passed (the test of that name has the limits)
    tests/size.py --preprocessed           tokens of a unit that includes a public header, for each of them
    tests/size.py --outline                the functions that ctags names of those that clang lists (pip install libclang,
                                           of the version of clang++)

--include FOLDER reads another tree, for comparisons.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\.?\d(?:\'?[\w.]|[eEpP][+-])*'
    r"|::|->\*?|<<=|>>=|<=>|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|\+\+|--|\.\.\.|\S"
)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*")', re.S)
INCLUDE = re.compile(r"^#include <(bellamy/[^>]+)>", re.M)


def tokens_of(text):
    return len(TOKEN.findall(COMMENT.sub(lambda found: found.group(1) or " ", text)))


def headers_of(include):
    """Every header but the embedded models, which are data."""
    headers = [p for p in sorted((include / "bellamy").rglob("*.h*")) if p.parent.name != "models" or "detail" in p.parts]
    return {str(p.relative_to(include)): p.read_text(encoding="utf-8") for p in headers}


def print_sizes(headers, limits):
    by_folder = {}
    for name, text in headers.items():
        folder = by_folder.setdefault(os.path.dirname(name), [0, 0])
        folder[0] += tokens_of(text)
        folder[1] += 1
    for folder, (tokens, count) in sorted(by_folder.items()):
        print(f"{tokens:8} tokens  {count:4} headers  {folder}")
    includers = {}
    for name, text in headers.items():
        for included in INCLUDE.findall(text):
            includers.setdefault(included, set()).add(name)
    detail = [name for name in headers if "/detail/" in name]
    single = [name for name in detail if len(includers.get(name, ())) == 1]
    longest = max(headers, key=lambda name: headers[name].count("\n"))
    found = {
        "tokens": sum(tokens for tokens, _ in by_folder.values()),
        "headers": len(detail),
        "single": len(single),
        "lines": headers[longest].count("\n"),
    }
    print(
        f"{found['tokens']} tokens; {found['headers']} headers in detail, {found['single']} of them with one includer; "
        f"the longest has {found['lines']} lines ({longest})"
    )
    passed = True
    for name, limit in limits.items():
        if limit is not None and found[name] > limit:
            print(f"expected at most {limit} {name}, found {found[name]}")
            passed = False
    return passed


def print_preprocessed(headers, include, compiler, eigen):
    for name in headers:
        if "/detail/" in name or "/definitions" in name:
            continue
        command = [compiler, "-std=c++20", "-E", "-P", f"-I{include}", "-isystem", eigen, "-x", "c++", "-"]
        unit = subprocess.run(command, input=f"#include <{name}>\n", capture_output=True, text=True, check=True).stdout
        print(f"{len(TOKEN.findall(unit)):9} {name}")
    return True


def print_outline(include, eigen):
    try:
        from clang import cindex
    except ImportError:
        print("skipped: no libclang for Python (pip install libclang==14.0.6, or of the version of clang++)")
        return True
    for program in ("clang++", "ctags"):
        if shutil.which(program) is None:
            print(f"skipped: no {program} on this machine (Debian: apt-get install clang universal-ctags)")
            return True
    kinds = cindex.CursorKind
    functions = {kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.FUNCTION_TEMPLATE, kinds.CONSTRUCTOR, kinds.CONVERSION_FUNCTION}
    search = subprocess.run(["clang++", "-E", "-x", "c++", "-v", "/dev/null"], capture_output=True, text=True, check=True).stderr
    folders = re.findall(r"^ (/\S+)$", search, re.M)
    arguments = ["-x", "c++", "-std=c++20", f"-I{include}", "-isystem", eigen, "-DBELLAMY_C_IMPLEMENTATION"]
    for folder in folders:
        arguments += ["-isystem", folder]
    unit = cindex.Index.create().parse(
        "everything.cpp",
        args=arguments,
        unsaved_files=[("everything.cpp", "#include <bellamy/bellamy.hpp>\n#include <bellamy/c.h>\n")],
    )
    errors = [str(problem) for problem in unit.diagnostics if problem.severity >= cindex.Diagnostic.Error]
    if errors:
        sys.exit("expected a unit that compiles, found: " + "; ".join(errors[:3]))
    listed = set()
    root = str(include / "bellamy")

    def walk(cursor):
        for child in cursor.get_children():
            file = child.location.file
            if file is None or not file.name.startswith(root):
                continue
            if child.kind in functions:
                listed.add((os.path.realpath(file.name), child.location.line, child.spelling.split("<")[0]))
            else:
                walk(child)

    walk(unit.cursor)
    files = sorted({file for file, _, _ in listed})
    tags = subprocess.run(
        ["ctags", "--output-format=json", "--fields=+n", "--language-force=C++", "--c++-kinds=fp", "-f", "-", *files],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    named = {(os.path.realpath(tag["path"]), tag["name"].replace("operator ", "operator")) for tag in map(json.loads, tags.splitlines())}
    missing = sorted(entry for entry in listed if (entry[0], entry[2].replace("operator ", "operator")) not in named)
    share = 100 * (1 - len(missing) / len(listed))
    for file, line, name in missing[:40]:
        print(f"not named: {os.path.relpath(file, include)}:{line} {name}")
    print(f"ctags names {share:.1f} % of {len(listed)} functions")
    return share >= 95


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "include")
    parser.add_argument("--preprocessed", action="store_true")
    parser.add_argument("--outline", action="store_true")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--eigen", default="/usr/include/eigen3")
    for limit in ("tokens", "headers", "single", "lines"):
        parser.add_argument(f"--most-{limit}", type=int)
    options = parser.parse_args()
    include = options.include.resolve()
    headers = headers_of(include)
    if not headers:
        sys.exit(f"expected headers below {include}/bellamy, found none")
    if options.preprocessed:
        return print_preprocessed(headers, include, options.compiler, options.eigen)
    if options.outline:
        return print_outline(include, options.eigen)
    limits = {name: getattr(options, f"most_{name}") for name in ("tokens", "headers", "single", "lines")}
    return print_sizes(headers, limits)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
