"""The cache bundle: what it refuses, and that a second process compiles from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile

import pytest

from compilescope.errors import InputError, ProgramError, UsageError, VersionError

torch = pytest.importorskip("torch")

from compilescope.mitigations import cache as cache_module  # noqa: E402
from compilescope.mitigations import load_cache, place, save_cache  # noqa: E402

# Compiles, saves, forgets all of it and the cache folder too, loads, compiles again.
PROGRAM = """
import os, shutil, sys, torch
from torch._dynamo.utils import counters
from compilescope.mitigations import load_cache, save_cache
def model(x): return x @ x  # no kernel of its own, and so no C++ compiler
def run():
    counters.clear()
    torch.compile(model)(torch.ones(8, 8))
    print(counters["inductor"]["fxgraph_cache_miss"])
    print(counters["aot_autograd"]["autograd_cache_hit"])
run()
save_cache(sys.argv[1], model)
torch.compiler.reset()
shutil.rmtree(os.environ["TORCHINDUCTOR_CACHE_DIR"])
load_cache(sys.argv[1], model)
run()
"""


def model(x):
    return x + 1


class Info:
    artifacts = {"inductor": ["a", "b"], "pgo": []}


@pytest.fixture
def saved(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.compiler, "save_cache_artifacts", lambda: (b"artifacts", Info()))
    path = tmp_path / "bundle" / "cache.cscope"
    assert save_cache(path, model).artifacts == {"inductor": 2}
    return path


def rewritten(path, **changes):
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        content = archive.read("artifacts.bin")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({**manifest, **changes}))
        archive.writestr("artifacts.bin", changes.get("content", content))


def test_what_a_bundle_brings_is_not_compiled_again(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    variables = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(program), str(tmp_path / "cache.cscope")]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **variables}, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "0", "0", "1"]


def test_nothing_compiled_is_nothing_to_save(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.compiler, "save_cache_artifacts", lambda: None)
    with pytest.raises(ProgramError, match="no compile cache"):
        save_cache(tmp_path / "cache", model)
    assert not list(tmp_path.iterdir())


def test_a_bundle_for_another_place_names_each_difference(saved):
    rewritten(saved, torch="2.0.0", device="another GPU")
    with pytest.raises(InputError) as raised:
        load_cache(saved, model)
    assert "torch was 2.0.0, here it is" in raised.value.cause
    assert "device was another GPU" in raised.value.cause
    assert "python" not in raised.value.cause
    assert "save_cache" in raised.value.hint


def test_a_bundle_of_other_code_is_refused(saved):
    with pytest.raises(InputError) as raised:
        load_cache(saved, lambda x: x + 2)
    assert raised.value.cause == "the source of the model has changed"


@pytest.mark.parametrize(
    ("content", "error", "text"),
    [(b"", InputError, "not a compile cache"), (b"PK\x03\x04", InputError, "not a compile cache")],
)
def test_what_is_no_bundle_is_refused(saved, content, error, text):
    saved.write_bytes(content)
    with pytest.raises(error, match=text):
        load_cache(saved, model)


def test_a_damaged_or_newer_bundle_is_refused(saved):
    rewritten(saved, content="changed")
    with pytest.raises(InputError, match="damaged"):
        load_cache(saved, model)
    rewritten(saved, format="9")
    with pytest.raises(VersionError, match="format '9'"):
        load_cache(saved, model)


def test_a_failed_write_leaves_the_old_bundle(saved, monkeypatch):
    before = saved.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_module.files.os, "replace", full)
    with pytest.raises(InputError, match="cannot write"):
        save_cache(saved, model)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_an_address_goes_through_fsspec(saved, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setattr(torch.compiler, "load_cache_artifacts", lambda _: Info())
    save_cache("memory://bundles/cache", model)
    assert load_cache("memory://bundles/cache", model).artifacts == {"inductor": 2}
    assert fsspec.filesystem("memory").ls("/bundles", detail=False) == ["/bundles/cache"]


def test_an_address_without_fsspec_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(UsageError, match="fsspec is not installed"):
        load_cache("s3://bucket/cache", model)


class Inner(torch.nn.Module):
    def forward(self, x):
        return x * 2


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x)


def test_the_digest_follows_the_source_and_not_the_wrapping(monkeypatch):
    plain = place.code_digest(Outer())
    assert plain == place.code_digest(torch.compile(Outer(), backend="eager"))
    assert plain == place.code_digest(Outer().forward)
    text = place._text
    monkeypatch.setattr(place, "_text", lambda item: text(item).replace("x * 2", "x * 3"))
    assert plain != place.code_digest(Outer())
