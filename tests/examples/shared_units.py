#!/usr/bin/env python3
"""Where sources share a unit, a name in one's unnamed namespace must not be called in another: the call would take whichever function fits
better, without a word of the compiler. Arguments: folders with the units that CMake wrote."""
import itertools
import pathlib
import re
import sys

DEFINITION = re.compile(r"^(?=[A-Za-z\[])(?!using|namespace|static_assert|template)(?:[^({=]*[\s*&])?([A-Za-z_]\w*)(?:\(|\{| =| \{| :|;)")


def defined(text):
    """Names that a source in the project's format defines in unnamed namespaces."""
    inside = False
    for line in text.splitlines():
        if line in ("namespace {", "}  // namespace"):
            inside = line == "namespace {"
        elif inside and (match := DEFINITION.match(line)):
            yield match[1]


def called(text):
    """Names before a parenthesis or brace that are no members and have no namespace before them."""
    return set(re.findall(r"(?<![\w.:>~])([A-Za-z_]\w*)(?=[({])", re.sub(r'//.*|"(?:\\.|[^"\\])*"', "", text)))


failed = False
for folder in sys.argv[1:]:
    units = list(pathlib.Path(folder).glob("*.cxx"))
    if not units:
        sys.exit(f"{folder}: expected units of CMake, found none")
    for unit in units:
        sources = re.findall(r'^#include "(.*\.cpp)"', unit.read_text(encoding="utf-8"), re.MULTILINE)
        texts = {source: pathlib.Path(source).read_text(encoding="utf-8") for source in sources}
        names = {source: set(defined(text)) for source, text in texts.items()}
        calls = {source: called(text) for source, text in texts.items()}
        for source, other in itertools.permutations(texts, 2):
            for name in sorted(names[source] & calls[other]):
                failed = True
                print(f"{name} of {source} is also called in {other}, which shares its unit: rename one")
sys.exit(failed)
