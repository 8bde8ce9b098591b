#!/usr/bin/env python3
"""Where sources share a unit, a name in one's unnamed namespace must not be called in another: the call would take whichever function fits
better, without a word of the compiler. Arguments: folders with the units that CMake wrote."""
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
    if not any(pathlib.Path(folder).glob("*.cxx")):
        sys.exit(f"{folder}: expected units of CMake, found none")
for unit in (unit for folder in sys.argv[1:] for unit in pathlib.Path(folder).glob("*.cxx")):
    paths = re.findall(r'^#include "(.*\.cpp)"', unit.read_text(encoding="utf-8"), re.MULTILINE)
    texts = {pathlib.Path(path).name: pathlib.Path(path).read_text(encoding="utf-8") for path in paths}
    for name, text in texts.items():
        for other, other_text in texts.items():
            for both in sorted(set(defined(text)) & called(other_text)) if other != name else ():
                failed = True
                print(f"{both} of {name} is also called in {other}, which shares its unit: rename one")
sys.exit(failed)
