"""Ahead of time within bounds, eager outside; bounds from a session."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from compilescope import store
from compilescope.errors import ProgramError, UsageError
from compilescope.model import Called, Input, Signature

torch = pytest.importorskip("torch")

from compilescope.mitigations import ahead, aot_or_eager, suggest_bounds  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x, y, scale=1):
        return self.layer(x) @ y * scale


class Graph:
    """Stands for a loaded package: the model itself, counting."""

    def __init__(self, model):
        self.model, self.calls, self.loaded = model, 0, []

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.model(*args, **kwargs)

    def get_constant_fqns(self):
        return ["layer.weight", "layer.bias"]

    def load_constants(self, used, **given):
        self.loaded.append(sorted(used))


@pytest.fixture
def made(tmp_path, monkeypatch):
    """`aot_or_eager` with torch's own export and bounds, and no compiler."""
    built = []

    def package(exported, *, package_path):
        built.append(exported)
        with open(package_path, "wb") as file:
            file.write(b"package")

    model = Net().eval()
    monkeypatch.setattr(torch._inductor, "aoti_compile_and_package", package)
    monkeypatch.setattr(ahead, "_load", lambda path: open(path).close() or Graph(model))

    def make(shapes=None, **given):
        sample = (torch.randn(6, 4), torch.randn(4, 5))
        return aot_or_eager(model, sample, shapes, cache_dir=tmp_path / "aot", **given)

    make.built, make.model, make.folder = built, model, tmp_path / "aot"
    return make


def rows():
    return ({0: torch.export.Dim("rows", min=2, max=64)}, None)


def test_inside_the_bounds_the_graph_runs_and_outside_eager_does(made, caplog):
    served = made(rows())
    wide = torch.randn(4, 5)
    with torch.no_grad():
        for size in (2, 6, 64):
            x = torch.randn(size, 4)
            assert torch.equal(served(x, wide), made.model(x, wide))
        assert served._graph.calls == 3
        for size in (65, 1, 0):
            x = torch.randn(size, 4)
            assert torch.equal(served(x, wide), made.model(x, wide))
    assert served._graph.calls == 3
    assert served.violations[0] == "size 0 of input 0 is 65, outside 2 to 64"
    assert "is 65, outside 2 to 64" in caplog.text
    assert served.counts == {"ahead": 3, "otherwise": 3}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x, y: ((x.double(), y), {}), "torch.float64"),
        (lambda x, y: ((x[0], y), {}), "1 dimensions"),
        (lambda x, y: ((x, y[:, :3]), {}), "is 3, not 5"),
        (lambda x, y: ((x, y, 2), {}), "other arguments"),
        (lambda x, y: ((x, 3), {}), "is 3"),
    ],
)
def test_another_kind_goes_to_eager_and_is_named(made, change, words):
    told = []
    served = made(rows(), on_violation=told.append, otherwise=lambda *_: "eager")
    args, kwargs = change(torch.randn(6, 4), torch.randn(4, 5))
    with torch.no_grad():
        assert served(*args, **kwargs) == "eager"
    assert words in told[0]


def test_gradients_autocast_and_training_go_to_eager(made):
    served = made(rows())
    x, y = torch.randn(6, 4), torch.randn(4, 5)
    assert served(x, y).requires_grad
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        assert served(x, y).dtype == torch.bfloat16
    made.model.train()
    with torch.no_grad():
        served(x, y)
    assert served._graph.calls == 0
    assert [text.split()[0] for text in served.violations] == ["gradients", "autocast", "the"]


def test_sizes_that_share_a_bound_must_be_equal(made, monkeypatch):
    both = torch.export.Dim("both", min=2, max=9)

    class Add(torch.nn.Module):
        def forward(self, x, y):
            return x + y

    sample = (torch.randn(3), torch.randn(3))
    served = aot_or_eager(Add(), sample, ({0: both}, {0: both}), cache_dir=made.folder)
    served._otherwise = lambda *_: "eager"
    assert served(torch.randn(4), torch.randn(5)) == "eager"
    assert "must be the same" in served.violations[0]


def test_a_package_is_made_once_and_anew_for_what_matters(made):
    made(rows())
    made(rows())
    assert len(made.built) == 1
    made(({0: torch.export.Dim("rows", min=2, max=32)}, None))
    assert len(made.built) == 2
    made.model.layer = torch.nn.Linear(4, 4, bias=False)
    made(rows())
    assert len(made.built) == 3


def test_a_damaged_package_is_made_anew(made, caplog):
    made(rows())
    for path in made.folder.glob("*.json"):
        path.write_text("{")
    with caplog.at_level(logging.WARNING):
        made(rows())
    assert len(made.built) == 2
    assert "cannot be loaded" in caplog.text


def test_the_live_weights_are_used(made):
    served = made(rows())
    assert served._graph.loaded == [["layer.bias", "layer.weight"]]
    with torch.no_grad():
        served(torch.randn(6, 4), torch.randn(4, 5))
        assert len(served._graph.loaded) == 1
        made.model.layer.weight.data = torch.zeros(4, 4)
        served(torch.randn(6, 4), torch.randn(4, 5))
    assert len(served._graph.loaded) == 2


def test_what_cannot_be_exported_says_why(made):
    class Branch(torch.nn.Module):
        def forward(self, x):
            return x + 1 if x.sum() > 0 else x

    with pytest.raises(ProgramError) as raised:
        aot_or_eager(Branch(), (torch.ones(3),), cache_dir=made.folder)
    assert raised.value.cause
    assert not list(made.folder.iterdir())


def test_a_package_that_kills_the_process_which_loads_it_is_told(made, monkeypatch):
    monkeypatch.setattr(ahead, "_on_gpu", lambda *_: True)
    monkeypatch.setattr(ahead, "_TRIAL", "import os; os.kill(os.getpid(), 11)")
    with pytest.raises(ProgramError, match="cannot load the ahead-of-time package") as found:
        made()
    assert "signal 11" in str(found.value.cause)


def test_only_modules_and_known_ways():
    with pytest.raises(UsageError, match="module"):
        aot_or_eager(lambda x: x, (torch.ones(2),))
    with pytest.raises(UsageError, match="panic"):
        aot_or_eager(Net(), (torch.ones(2),), otherwise="panic")


def session(*calls):
    signatures = tuple(
        Signature(tuple(Input(name, shape=shape) for name, shape in call.items())) for call in calls
    )
    events = tuple(
        Called(process=0, callable=0, index=n, at=0.0, seconds=0.0, signature=n)
        for n in range(len(calls))
    )
    named = (SimpleNamespace(name="Net"),)
    return SimpleNamespace(callables=named, signatures=signatures, events=events)


def test_bounds_are_what_calls_brought():
    found = suggest_bounds(
        session(
            {"x": (3, 8), "e": (2, 7), "w": (7, 1)},
            {"x": (9, 8), "e": (2, 5), "w": (5, 1)},
            {"x": (0, 8), "e": (2, 6), "w": (6, 1)},
        )
    )
    assert set(found) == {"x", "e", "w"}
    assert (found["x"][0].min, found["x"][0].max) == (3, 9)
    assert set(found["x"]) == {0}
    assert found["e"][1] is found["w"][0]


def test_bounds_from_a_recorded_session():
    from pathlib import Path

    path = Path(__file__).parents[1] / "data" / "sessions" / "shapes.cscope.json.gz"
    assert suggest_bounds(store.load(path))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # torch warns of its own code when it is first imported
def test_a_real_package_computes_what_eager_does(tmp_path):
    model = torch.nn.Linear(4, 4, bias=False).eval()
    shapes = ({0: torch.export.Dim("rows", min=2, max=64)},)
    with torch.no_grad():
        for _ in range(2):
            served = aot_or_eager(model, (torch.randn(6, 4),), shapes, cache_dir=tmp_path)
            for size in (5, 64, 65):
                x = torch.randn(size, 4)
                assert torch.allclose(served(x), model(x), atol=1e-6)
            model.weight.add_(1)
            assert torch.allclose(served(x[:9]), model(x[:9]), atol=1e-5)
            assert served.counts == {"ahead": 3, "otherwise": 1}
    assert len(list(tmp_path.glob("*.pt2"))) == 1
