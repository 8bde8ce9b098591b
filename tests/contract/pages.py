"""The pages that people read, and what stands in them."""

import re

# Their blocks of `sh` are run by page_commands.py.
PAGES_THAT_ARE_RUN = ["README.md", "include/bellamy/README.md", "include/bellamy/BUILDING.md", "examples/import.md", "examples/table.md", "examples/backtest.md", "examples/models.md", "examples/recommend.md", "examples/ledger.md", "examples/explore.md",
                      "examples/report.md", "examples/running.md", "examples/placement.md", "examples/placement_days.md", "examples/c/README.md"]

COMMAND = re.compile(
    r"(build/|bench/|tests/|examples/|cmake |ctest |python3? |pip |mvn |mpirun |java |spark-submit |kubectl |apt-get |g\+\+ |gcc |mkdir |"
    r"source |\$?SPARK_HOME|[A-Z_]+=\S+ \w)"
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|^(#+ [^\n]*)$", re.S | re.M)


def pages(source):
    """Every page below `source`, as a path relative to it; what was built beside them is no page."""
    found = ["README.md"]
    for folder in ("bench", "examples", "include", "tests"):
        for path in sorted((source / folder).rglob("*.md")):
            name = path.relative_to(source).as_posix()
            if not re.search(r"/(target|build|__pycache__|node_modules)/", name):
                found.append(name)
    return found


def blocks(text):
    """The blocks of a page in order, as language and content; a heading is a block of the language "heading"."""
    return [("heading", match[3]) if match[3] else (match[1], match[2]) for match in BLOCK.finditer(text)]


def is_command(content):
    return COMMAND.match(content) is not None
