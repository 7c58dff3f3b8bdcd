"""Sessions survive files, and what is not a session is said to be none."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from compilescope import store
from compilescope.errors import InputError, VersionError
from compilescope.model import Called, Compiled, Frame, Input, Session, Signature

SESSION = Session(
    name="train.py",
    events=(
        Compiled(process=0, compile_id="0/0", frame=Frame("m.py", 3, "f"), phases={"dynamo": 0.5}),
        Called(process=0, callable=0, index=0, at=1.5, seconds=0.25, compiles=("0/0",)),
    ),
    signatures=(Signature((Input("x", shape=(2, 3), stride=(3, 1)),)),),
    sources={"m.py": {3: "def f(x):"}},
)


@pytest.mark.parametrize(
    "name", ["a.cscope.json", "a.cscope.json.gz", "new/folder/a.cscope.json.gz"]
)
def test_what_is_saved_is_loaded(tmp_path: Path, name: str):
    store.save(SESSION, tmp_path / name)
    assert store.load(tmp_path / name) == SESSION


def test_saving_the_same_session_gives_the_same_bytes(tmp_path: Path):
    for name in ("a", "b"):
        store.save(SESSION, tmp_path / f"{name}.cscope.json.gz")
    assert (tmp_path / "a.cscope.json.gz").read_bytes() == (
        tmp_path / "b.cscope.json.gz"
    ).read_bytes()


def test_a_page_that_embeds_a_session_is_one(tmp_path: Path):
    page = tmp_path / "page.html"
    embedded = store.encode(SESSION).replace(b"<", b"\\u003c")
    page.write_bytes(
        b'<p>x</p><script type="application/json" id="session">' + embedded + b"</script>"
    )
    assert store.load(page) == SESSION


def test_a_session_of_a_newer_version_says_so(tmp_path: Path):
    path = tmp_path / "a.cscope.json"
    path.write_bytes(store.encode(SESSION).replace(b'"version":1', b'"version":9'))
    path.write_text('{"version": 9}')
    with pytest.raises(VersionError, match="session version 9") as caught:
        store.load(path)
    assert "upgrade" in caught.value.hint


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a session"),
        (b"hello", "not a session"),
        (b"\x00\x01\x02\xff", "not a session"),
        (b"[]", "not a session"),
        (b'{"version": 1, "colour": 3}', "colour"),
        (b'{"version": 1, "events": [{"event": "sang"}]}', "sang"),
        (gzip.compress(store.encode(SESSION))[:-20], "damaged"),
        (b"\x1f\x8bnot gzip at all", "damaged"),
        (b"<html>no session here</html>", "not a session"),
    ],
)
def test_what_is_not_a_session_is_refused_with_a_hint(tmp_path: Path, content: bytes, words: str):
    path = tmp_path / "a.cscope.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        store.load(path)
    assert words in str(caught.value)
    assert caught.value.hint


def test_a_folder_and_a_missing_file_are_told_apart(tmp_path: Path):
    with pytest.raises(InputError, match="is a folder"):
        store.load(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        store.load(tmp_path / "none.cscope.json")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_no_permission_is_said(tmp_path: Path):
    path = tmp_path / "a.cscope.json"
    store.save(SESSION, path)
    path.chmod(0)
    with pytest.raises(InputError, match="cannot read"):
        store.load(path)


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "a.cscope.json"
    store.save(SESSION, path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match="cannot write"):
        store.save(Session(name="other"), path)
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == [path.name]
