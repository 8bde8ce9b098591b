#!/usr/bin/env python3
"""Whether the pages stay short, lead where they say, and tell of all that users have.

    documents.py SOURCE                lengths, commands, links, options of the program, headers, rooms
    documents.py SOURCE --functions    the public functions of C++, C and Python that no page names (needs universal-ctags)
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

from pages import PAGES_THAT_ARE_RUN, blocks, is_command, pages

MOST_LINES = {"README.md": 150, "bench/README.md": 200}
MOST_WORDS = {"README.md": 1600}
MOST_COMMAND = 120  # characters of a line
MOST_CELL = 100
GENERATED = "bench/results/README.md"
WRITTEN_OUT = "tests/contract/pages.md"  # lists the pages of which no test runs the commands, and why
FIRST_COMMANDS = ["examples/try", "tests/run"]
# What only its authors understand, by the word that says it: for the program's texts and JSON, and the pages about it.
PRIVATE_WORDS = {"blend of experts": "best mode", "cold start": "other jobs", "keeps the deadline": "meets the deadline",
                 "the size now keeps": "the size now meets", "present size keeps": "present size meets",
                 "keep the deadline": "meet the deadline", "limit met": "in time", "mean deviate": "standard deviations",
                 "not judged": "not compared", "size told": "size known", "% asked for": "% required"}


def lengths(page, text):
    for name, limits, found in (("lines", MOST_LINES, text.count("\n")), ("words", MOST_WORDS, len(text.split()))):
        if found > limits.get(page, found):
            yield f"{page}: expected at most {limits[page]} {name}, found {found}"
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    for line in without_code.splitlines():
        if line.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", line)[1:-1]:
                if len(cell.strip()) > MOST_CELL:
                    yield f"{page}: expected cells of at most {MOST_CELL} characters, found {len(cell.strip())}: {cell.strip()}"


def commands(page, text):
    for language, content in blocks(text):
        if language == "sh" and page not in PAGES_THAT_ARE_RUN:
            yield f"{page}: expected commands that no test runs in a block of text, found a block of sh: {content.splitlines()[0]}"
        if language == "sh" or (language == "text" and is_command(content)):
            for line in content.splitlines():
                if len(line) > MOST_COMMAND:
                    yield f"{page}: expected lines of at most {MOST_COMMAND} characters, found {len(line)}: {line}"


def pages_not_run(source):
    """Pages with commands that no test runs must be in the list with the reasons, and no others."""
    found = {page for page in pages(source) if page != GENERATED
             for language, content in blocks((source / page).read_text()) if language == "text" and is_command(content)}
    section = re.search(r"^## Commands that no test runs\n(.*?)(?=^## |\Z)", (source / WRITTEN_OUT).read_text(), re.S | re.M)
    listed = set(re.findall(r"`([\w/]+\.md)`(?=.*\|.*\|)", section[1])) if section else set()
    for page in sorted(found ^ listed):
        fault = "without such commands" if page in listed else "missing"
        yield f"{WRITTEN_OUT}, Commands that no test runs: expected {sorted(found)}, found {page} {fault}"


def anchors(text):
    """GitHub's names of the headings of a page."""
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    headings = re.findall(r"^#+ (.*)$", without_code, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(source, page, text):
    without_code = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (source / page).parent / path if path else source / page
        if not file.exists():
            yield f"{page}: expected a file at the end of a link, found none: {target}"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"{page}: expected the heading of a link, found none: {target}"


def options(source, text_of_examples):
    """The options that the program and the MPI programs declare."""
    declared = set()
    sources = [*(source / "examples/bellamy/commands").glob("*.cpp"), *(source / "examples/support").glob("*.hpp"),
               *(source / "examples/mpi").glob("*.[ch]pp")]
    declaration = re.compile(r"""\b(?:add_\w+|name =)\s*(?:\((?:app,)?)?\s*"((?:-\w,)?--[a-z][a-z0-9-]*)""")
    for file in sources:
        declared.update(name.split(",")[-1] for name in declaration.findall(file.read_text()))
    if len(declared) < 70:
        yield f"expected at least 70 options in the sources of the program, found {len(declared)}"
    for name in sorted(declared):
        if not re.search(re.escape(name) + r"(?![\w-])", text_of_examples):
            yield f"expected every option on a page of examples, found none that names {name}"


def options_of_commands(source, page, text):
    """Commands that no test runs at least name programs and options that exist."""
    for language, content in blocks(text):
        if language != "text" or not is_command(content):
            continue
        for command in content.replace("\\\n", "").splitlines():
            program = re.search(r"(?:^|\s)(?:build/(bench|examples)/(\w+)|(bench/\w+\.py))(?=\s|$)", command)
            if not program:
                continue
            folder, name, script = program.groups()
            shared = [*(source / "examples/support").glob("*.hpp"), *(source / "examples/mpi").glob("*.hpp")]
            if script:
                files, name, shared = [source / script], script, []
            else:
                place = source / folder
                files = [*place.glob(f"{name}.cpp"), *place.glob(f"mpi/{name}.cpp"), *place.glob(f"{name}/commands/*.cpp")]
                shared += (source / "bench/support").glob("*.hpp")
            if not files or not files[0].exists():
                yield f"{page}: expected a program of the sources, found none for {command}"
                continue
            known = "".join(file.read_text() for file in [*files, *shared])
            for option in re.findall(r"\s(--[a-z][a-z0-9-]*)", command[program.end():]):
                if f'{option}"' not in known:
                    yield f"{page}: expected an option of {name}, found {option}"


def functions(source):
    """Public functions, free and of classes, of the public headers; those of detail and of enumerations' texts are none."""
    headers = [file for file in (source / "include/bellamy").rglob("*.hpp")
               if not {"detail", "definitions", "models"} & set(file.relative_to(source / "include/bellamy").parts)]
    command = ["ctags", "--output-format=json", "--fields=+aKS", "--c++-kinds=pf", "--language-force=C++", "-D", "BELLAMY_ABI=v0",
               "-o", "-"]
    listed = subprocess.run([*command, *map(str, headers)], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        tag = json.loads(line)
        scope = tag.get("scope", "")
        if "detail" in scope or tag.get("access", "public") != "public" or tag.get("scopeKind") == "function":
            continue
        if tag["name"].startswith(("__anon", "operator", "~")) or tag["name"] in ("to_string", scope.rsplit("::")[-1]):
            continue
        yield pathlib.Path(tag["path"]).relative_to(source / "include").as_posix(), tag["name"]


def c_functions(source):
    for file in [source / "include/bellamy/c.h", *sorted((source / "include/bellamy/c").glob("*.h"))]:
        for name in re.findall(r"\b(bellamy_\w+)\s*\(", file.read_text()):
            yield file.relative_to(source / "include").as_posix(), name


def python_names(source):
    text = (source / "examples/python/src/bellamy/__init__.py").read_text()
    exported = re.search(r"^__all__ = [\[(](.*?)[\])]", text, re.S | re.M)
    for name in re.findall(r'"(\w+)"', exported[1]):
        if not name.startswith("__"):
            yield "the Python package", name


def unnamed_functions(source):
    everything = "\n".join((source / page).read_text() for page in pages(source))
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", everything))))
    public = {*functions(source), *c_functions(source), *python_names(source)}
    if len(public) < 250:
        yield f"expected at least 250 public functions, found {len(public)}"
    for header, name in sorted(public):
        if name not in named:
            yield f"expected every public function on a page, found none that names {name} of {header}"


def private_words(source):
    texts = {page: (source / page).read_text() for page in pages(source) if re.match(r"README|examples/(?!jni|python)", page)}
    texts["examples/bellamy/schema.json"] = (source / "examples/bellamy/schema.json").read_text()
    for file in [*(source / "examples").rglob("*.[ch]pp"), *(source / "include/bellamy").glob("*.hpp")]:
        texts[file.relative_to(source).as_posix()] = "\n".join(re.findall(r'"[^"\n]*"', file.read_text()))
    for place, text in texts.items():
        for word, plain in PRIVATE_WORDS.items():
            is_explained = place.endswith(".md") and word == "cold start"
            if word in text and not is_explained:
                yield f'{place}: expected words that every user knows, such as "{plain}", found "{word}"'


def headers_and_rooms(source):
    """The page of headers has every public header and no other, the page of rooms every room."""
    include = source / "include/bellamy"
    public = {file.relative_to(include).as_posix() for file in include.rglob("*.hpp")}
    public = {name for name in public if not re.match(r"(detail|definitions|models)/", name)}
    listed = set(re.findall(r"`((?:\w+/)?\w+\.hpp)`", (include / "HEADERS.md").read_text()))
    for name in sorted(public ^ listed):
        yield f"include/bellamy/HEADERS.md: expected the public headers, found {name} {'only there' if name in listed else 'missing'}"
    rooms = re.search(r"^set\(rooms (.*)\)$", (source / "tests/contract/rooms.cmake").read_text(), re.M)[1].split()
    rooms = [room for room in rooms if "/" not in room]
    shown = re.findall(r"^\| `(\w+)` \|", (include / "detail/README.md").read_text(), re.M)
    if shown != rooms:
        yield f"include/bellamy/detail/README.md: expected the rooms in their order, {rooms}, found {shown}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="SOURCE", type=pathlib.Path)
    parser.add_argument("--functions", action="store_true")
    given = parser.parse_args()
    source = given.source.resolve()
    if not (source / "README.md").is_file():
        parser.error(f"expected a folder with the sources, found no README.md in {source}")
    if given.functions:
        if not shutil.which("ctags") or b"json" not in subprocess.run(["ctags", "--list-features"], capture_output=True, check=False).stdout:
            print("skipped: no ctags that writes JSON on this machine (Debian: apt-get install universal-ctags)")
            return
        faults = list(unnamed_functions(source))
    else:
        faults = [*pages_not_run(source), *headers_and_rooms(source), *private_words(source)]
        for page in pages(source):
            text = (source / page).read_text()
            faults += [*commands(page, text), *links(source, page, text), *options_of_commands(source, page, text)]
            if page != GENERATED:
                faults += lengths(page, text)
        first = [content.strip() for language, content in blocks((source / "README.md").read_text()) if language == "sh"][:2]
        if first != FIRST_COMMANDS:
            faults.append(f"README.md: expected the first commands {FIRST_COMMANDS}, found {first}")
        examples = "\n".join((source / page).read_text() for page in pages(source) if page.startswith("examples/"))
        faults += options(source, examples)
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
