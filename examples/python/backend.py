"""scikit-build-core, whose source archives also take the C++ sources, which stand outside of this folder."""

import os
import shutil
import tempfile
from pathlib import Path

import scikit_build_core.build as wrapped
from scikit_build_core.build import *  # noqa: F403

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
INSIDE = "library"
#: Of the library, the C interface and the program.
PARTS = ("CMakeLists.txt", "LICENSE", "include", "bench/support", "examples/CMakeLists.txt", "examples/bellamy", "examples/c",
         "examples/mpi", "examples/quickstart.cpp", "examples/scheduler.cpp", "examples/support", "examples/tutorial.cpp")


def build_sdist(sdist_directory, config_settings=None):
    if (HERE / INSIDE).exists():  # an archive of an archive
        return wrapped.build_sdist(sdist_directory, config_settings)
    wanted = os.path.abspath(sdist_directory)
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "bellamy"
        shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__", "build*", "dist", "*.so"))
        for part in PARTS:
            made = source / INSIDE / part
            made.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(ROOT / part, made) if (ROOT / part).is_dir() else shutil.copy(ROOT / part, made)
        settings = source / "pyproject.toml"
        settings.write_text(settings.read_text().replace("../../include", f"{INSIDE}/include"))
        os.chdir(source)
        try:
            return wrapped.build_sdist(wanted, config_settings)
        finally:
            os.chdir(before)
