"""What is installed and archived: one version, types, no file too many, and a source archive that stands alone."""

import importlib.metadata
import inspect
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import bellamy
import pytest

PACKAGE = Path(__file__).parents[2] / "examples/python"


def test_the_version_is_that_of_the_library():
    assert bellamy.__version__ == importlib.metadata.version("bellamy")
    assert bellamy.__version__ == os.environ.get("BELLAMY_LIBRARY_VERSION", bellamy.__version__)


def test_what_is_installed_are_the_package_and_the_licences():
    files = {re.sub(r"_native\..*so$", "_native.so", str(each)) for each in importlib.metadata.files("bellamy") or []
             if "__pycache__" not in str(each)}
    sources = {f"bellamy/{each.name}" for each in (PACKAGE / "src/bellamy").iterdir() if each.is_file()}
    program = {each for each in files if re.search(r"bin/bellamy$|bellamy/lib\w+\.so[.0-9]*$", each)}
    facts = {f"bellamy-{bellamy.__version__}.dist-info/{each}" for each in ("METADATA", "RECORD", "WHEEL", "licenses/LICENSE")}
    of_others = {each for each in files if re.search(
        r"/licenses/(nanobind|robin-map|simdjson|[\w-]+-dev)/(LICENSE|copyright|LGPL-2\.1|Apache-2\.0)$", each)}
    assert files - {each for each in files if each.endswith(("/INSTALLER", "/REQUESTED", "/direct_url.json"))} == (
        sources | facts | of_others | {"bellamy/_native.so"} | program)


def test_the_package_says_that_it_is_typed_and_its_stub_has_what_is_compiled():
    installed = Path(bellamy.__file__).parent
    assert (installed / "py.typed").exists()
    stub = (installed / "_native.pyi").read_text()
    for name, made in vars(bellamy._native).items():
        if name.startswith("__"):
            continue
        assert re.search(rf"^(class|def) {name}\b", stub, re.M), name
        if inspect.isclass(made):
            body = re.search(rf"^class {name}:\n(( .*)?\n)+", stub, re.M).group()
            for method in vars(made):
                assert method.startswith("__") or re.search(rf"\b{method}\b", body), (name, method)


def test_the_package_brings_the_program():
    programs = [each.locate() for each in importlib.metadata.files("bellamy") or [] if str(each).endswith("bin/bellamy")]
    # Its record says where it is beside site-packages; `pip install --target` has the folder bin below the target.
    programs = [each if Path(each).exists() else Path(bellamy.__file__).parents[1] / "bin/bellamy" for each in programs]
    if not programs:
        pytest.skip("the package was built without the program")
    version = subprocess.run([programs[0], "--version"], capture_output=True, text=True, check=False)
    if version.returncode == 127:
        pytest.skip(version.stderr)
    assert version.stdout == f"bellamy {bellamy.__version__}\n"
    sample = PACKAGE.parent / "sample/history.jsonl.zst"
    done = subprocess.run([programs[0], "recommend", sample, "--deadline", "10m"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "daily report" in done.stdout


def test_types_are_consistent():
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "src/bellamy"], cwd=PACKAGE,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_source_archive_has_all_that_it_is_built_from(tmp_path):
    build = "import backend, sys; print(backend.build_sdist(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=PACKAGE, check=True, capture_output=True)
    archive = tmp_path / f"bellamy-{bellamy.__version__}.tar.gz"
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path)
    root = tmp_path / f"bellamy-{bellamy.__version__}"
    for needed in ("library/include/bellamy/c.h", "library/examples/c/bellamy.cpp", "library/CMakeLists.txt",
                   "library/LICENSE", "library/examples/bellamy/bellamy.cpp", "native/native.cpp", "src/bellamy/__init__.py", "backend.py", "PKG-INFO"):
        assert (root / needed).exists(), needed
    # Told by the version.hpp within.
    (tmp_path / "again").mkdir()
    again = subprocess.run([sys.executable, "-c", build, str(tmp_path / "again")], cwd=root, check=True, capture_output=True,
                           text=True)
    assert again.stdout.strip().endswith(archive.name)


def configured(folder, *settings):
    """What CMake says of a build in `folder`."""
    done = subprocess.run(["cmake", "-S", str(PACKAGE), "-B", str(folder), f"-DPython_EXECUTABLE={sys.executable}", *settings],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_simdjson_is_linked_in_from_its_source_and_without_that_copied(tmp_path):
    copied = re.compile(r"no archives to link for \S*simdjson\S*: installed beside the program")
    if not copied.search(configured(tmp_path / "without", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON")):
        pytest.skip("no libraries for the program, or an archive of simdjson")
    for file in ("include/simdjson.h", "src/simdjson.cpp"):
        (tmp_path / "source" / file).parent.mkdir(parents=True)
        (tmp_path / "source" / file).touch()
    assert not copied.search(configured(tmp_path / "with", f"-DFETCHCONTENT_SOURCE_DIR_SIMDJSON={tmp_path / 'source'}"))


def eigen_of_a_build(folder, *settings):
    """The folder of the CMake package of Eigen that a build takes."""
    configured(folder, "-DBELLAMY_PROGRAM=OFF", *settings)
    return Path(re.search(r"^Eigen3_DIR:PATH=(.*)$", (folder / "CMakeCache.txt").read_text(), re.M).group(1))


def test_eigen_is_the_systems_or_that_of_the_builds_requirements(tmp_path):
    try:
        required = importlib.metadata.distribution("cmeel-eigen").locate_file("cmeel.prefix")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("no Eigen of a Python package (pip install cmeel-eigen)")
    first = eigen_of_a_build(tmp_path / "first")
    if first.is_relative_to(required):
        pytest.skip("no Eigen of the system")
    assert eigen_of_a_build(tmp_path / "second", f"-DCMAKE_IGNORE_PATH={first}").is_relative_to(required)


@pytest.mark.parametrize("missing", [[], ["matplotlib", "pandas", "numpy"]])
def test_the_tutorial_runs_and_ends_in_a_plot(tmp_path, missing):
    program = ("import runpy, sys; sys.modules.update(dict.fromkeys(sys.argv[3:])); tutorial = sys.argv[1]; sys.argv[1:] = [sys.argv[2]]; "
               "runpy.run_path(tutorial, run_name='__main__')")
    done = subprocess.run([sys.executable, "-c", program, str(PACKAGE / "tutorial.py"), str(tmp_path / "plot.svg"), *missing],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Take [1-9]\d* nodes: .*deadline with probability 0\.9\d\.$", done.stdout, re.MULTILINE)
    plot = (tmp_path / "plot.svg").read_text()
    assert "<svg" in plot and "scale-out (nodes)" in plot


def test_the_readme_shows_what_runs():
    readme = (PACKAGE / "README.md").read_text()
    programs = re.findall(r"```python\n(.*?)```", readme, re.S)
    assert programs
    for program in programs:
        done = subprocess.run([sys.executable, "-c", program], cwd=PACKAGE.parents[1], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
