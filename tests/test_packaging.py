"""What is built: the right packages, and none of ours at the top level."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_packages_listed_are_the_packages_there_are():
    listed = {
        name for name in SETTINGS["packages"] if name.split(".")[:2] != ["compilescope", "rules"]
    }
    listed -= {"compilescope.reports"}
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "compilescope").rglob("__init__.py")
        if path.parent.parent.name != "agent"
    }
    assert found == listed


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "-o", str(out), str(ROOT)],
        check=True,
        capture_output=True,
        text=True,
    )
    return out


@pytest.mark.slow
def test_wheel_holds_the_package_and_nothing_beside_it(built: Path):
    names = zipfile.ZipFile(next(built.glob("*.whl"))).namelist()
    assert {name.split("/")[0] for name in names} <= {
        "compilescope",
        next(name.split("/")[0] for name in names if ".dist-info/" in name),
    }
    assert "compilescope/reports/data.py" in names
    assert "compilescope/rules/__init__.py" in names
    assert "compilescope/reports/schema/diagnosis-v1.json" in names
    assert "compilescope/probe/agent/sitecustomize.py" in names
    assert "compilescope/py.typed" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


@pytest.mark.slow
def test_sdist_can_build_the_wheel(built: Path):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = archive.getnames()
    inside = {name.split("/", 1)[1] for name in names if "/" in name}
    assert {"pyproject.toml", "LICENSE", "rules/__init__.py", "reports/data.py"} <= inside


def test_top_level_names_are_not_taken():
    code = (
        "import importlib.util as u, sys; sys.path = [p for p in sys.path if p not in ('', '.')];"
        "print([n for n in ('rules', 'reports', 'tests') if u.find_spec(n)])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd="/"
    )
    assert out.stdout.strip() == "[]"
