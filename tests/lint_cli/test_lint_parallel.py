"""Sources that cannot know of each other are analysed, and cached, on their own."""

from __future__ import annotations

import pytest

from compilescope.lint import analysis, cache
from compilescope.lint.check import Analysis
from compilescope.lint.components import components, crosses
from compilescope.lint.settings import Settings


def groups(sources, most=100):
    return [sorted(group) for group in components(sources, most)]


@pytest.mark.parametrize(
    "line",
    [
        "import b",
        "import os, b as c",
        "from b import c",
        "from . import b",
        "from .b import c",
        "from pkg import (\n    a,\n    b,\n)",
        "    from pkg.b import c",
        "if x:\n    import b",
    ],
)
def test_an_import_joins(line):
    sources = {"/r/a.py": line, "/r/b.py": "", "/r/z.py": "x = 'import b'\n"}
    assert ["/r/a.py", "/r/b.py"] in groups(sources)


def test_files_without_imports_of_each_other_stay_apart():
    sources = {"/r/a.py": "import os", "/r/b.py": "import torch", "/r/os/x.py": ""}
    assert len(groups(sources)) == 3


def test_a_package_is_known_by_its_folder():
    sources = {"/r/a.py": "from pkg import Net", "/r/pkg/__init__.py": "", "/r/z.py": ""}
    assert groups(sources)[0] == ["/r/a.py", "/r/pkg/__init__.py"]


def test_joining_goes_on():
    sources = {"/a.py": "import b", "/b.py": "import c", "/c.py": "", "/d.py": "import c"}
    assert groups(sources) == [sorted(sources)]


def test_no_more_groups_than_wanted_and_nothing_lost():
    sources = {f"/{number}.py": "x" * number for number in range(50)}
    found = groups(sources, 7)
    assert len(found) == 7
    assert sorted(path for group in found for path in group) == sorted(sources)


def test_crossing_is_seen():
    pair = [{"/a.py": ""}, {"/b.py": ""}]
    assert crosses(pair, [{"/b.py"}, set()])
    assert not crosses(pair, [{"/a.py", "/other.py"}, {"/other.py"}])


@pytest.fixture
def settings(tmp_path):
    return Settings(root=tmp_path, codes=frozenset())


SOURCE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return print(self.layer(x))


net = torch.compile(Net())
"""


def test_processes_find_what_one_process_finds(settings, monkeypatch):
    many = [{f"/r/m{number}.py": SOURCE} for number in range(6)]
    many.append({"/r/bad.py": "x = (\n"})
    alone = analysis.analyse_groups(many, settings)
    assert any(list(part.findings) for part in alone)
    monkeypatch.setattr(analysis, "PAYS", 0)
    monkeypatch.setattr(analysis, "_cores", lambda: 2)
    together = analysis.analyse_groups(many, settings)
    assert [list(part.findings) for part in together] == [list(part.findings) for part in alone]
    assert str(together[-1].errors["/r/bad.py"]) == str(alone[-1].errors["/r/bad.py"])


class Counting:
    """An engine that counts the files it is shown."""

    def __init__(self, read=()):
        self.seen = []
        self.read = dict(read)

    def __call__(self, groups, settings):
        self.seen += [sorted(group) for group in groups]
        return [Analysis([], {}, self.read.get(min(group), ())) for group in groups]


def test_a_change_costs_only_what_it_can_reach(tmp_path, settings):
    engine = Counting()
    cached = cache.Cache(tmp_path / "cache", engine, "")
    sources = {"/a.py": "import b", "/b.py": "", "/c.py": "", "/d.py": ""}
    cached(sources, settings)
    engine.seen.clear()
    cached({**sources, "/c.py": "x = 1"}, settings)
    assert engine.seen == [["/c.py"]]
    cached({**sources, "/b.py": "x = 1"}, settings)
    assert engine.seen[1:] == [["/a.py", "/b.py"]]


def test_files_that_meet_through_a_third_are_analysed_together(tmp_path, settings):
    engine = Counting({"/a.py": {"/b.py", "/outside.py"}})
    cached = cache.Cache(tmp_path / "cache", engine, "")
    sources = {"/a.py": "import outside", "/b.py": ""}
    for _ in range(2):
        engine.seen.clear()
        cached({**sources, "/b.py": "x = 1"}, settings)
        cached(sources, settings)
        assert ["/a.py", "/b.py"] in engine.seen or not engine.seen


@pytest.mark.parametrize("text", ["x = (", "x = '\x00'", "-" * 100_000 + "1"])
@pytest.mark.parametrize("head", ["", "import torch\n"])
def test_what_cannot_be_parsed_is_an_error_of_its_file_only(settings, head, text):
    sources = {"/r/a.py": head + text, "/r/b.py": "x = 1"}
    assert list(analysis.analyse(sources, settings).errors) == ["/r/a.py"]
