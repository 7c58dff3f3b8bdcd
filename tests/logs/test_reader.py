"""The front door: whatever the paths hold."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import shutil
from pathlib import Path

import pytest

from compilescope import store
from compilescope.errors import InputError
from compilescope.logs.log import Log
from compilescope.logs.merge import join, merge
from compilescope.logs.reader import read
from compilescope.logs.structured import read_trace
from compilescope.logs.text import read_text
from compilescope.model import Compiled, Errored, FellBack, Frame, GraphBroke, Recompiled, Session

DATA = Path(__file__).parents[1] / "data"
TEXT = DATA / "logs" / "torch213.txt"
TRACE = DATA / "logs" / "torch213.trace.log.xz"


def count(session, kind):
    return sum(isinstance(event, kind) for event in session.events)


def test_a_text_log_is_a_session():
    session = read([TEXT])
    assert (session.source, session.name) == ("logs", "torch213.txt")
    assert session.created[4] == "-"
    assert count(session, Recompiled) == 4
    assert any("times" in gap.what for gap in session.gaps)


def test_standard_input():
    session = read([], stdin=io.BytesIO(TEXT.read_bytes()))
    assert (session.name, count(session, Recompiled)) == ("standard input", 4)


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress), ("", bytes)]
)
def test_compressed(tmp_path, suffix, pack):
    path = tmp_path / f"log.txt{suffix}"
    path.write_bytes(pack(TEXT.read_bytes()))
    assert count(read([path]), Recompiled) == 4


def test_cut_compressed_text_is_read_up_to_the_damage(tmp_path):
    path = tmp_path / "log.txt.gz"
    path.write_bytes(gzip.compress(TEXT.read_bytes())[:-40])
    session = read([path])
    assert any(gap.what == "end of a log" for gap in session.gaps)


def test_trace_and_text_of_one_run_are_not_counted_twice():
    traced, both = read([TRACE]), read([TRACE, TEXT])
    assert both.source == "trace"
    for kind in (Compiled, Recompiled, GraphBroke, FellBack, Errored):
        assert count(both, kind) == count(traced, kind)
    assert len(both.processes) == len(traced.processes) == 1
    assert not any("times" in gap.what for gap in both.gaps)


def test_text_of_another_run_is_kept_apart(tmp_path):
    other = tmp_path / "other.txt"
    other.write_bytes(TEXT.read_bytes().replace(b" 29202 ", b" 555 "))
    both = read([TRACE, other])
    assert len(both.processes) == 2
    assert count(both, Recompiled) == count(read([TRACE]), Recompiled) + 4


def test_text_adds_the_limit_that_a_trace_lacks():
    frame = Frame("a.py", 1, "f")
    from compilescope.model import Process

    fell = FellBack(process=0, frame=frame, compile_id="0/8")
    told = FellBack(process=0, frame=frame, compile_id="0/8", limit=8)
    trace = Log(events=[fell], processes=[Process(pid=7)])
    merged = merge(trace, Log(events=[told], processes=[Process(pid=7)]))
    assert merged.events == [told]


def test_two_copies_of_a_text_count_once():
    one, two = read_text(TEXT), read_text(TEXT)
    assert len(one.events) > 4
    assert join([one, two]).events == one.events


def test_a_folder_is_searched(tmp_path):
    shutil.copy(TEXT, tmp_path / "stderr.log")
    shutil.copy(TRACE, tmp_path / "dedicated_log_torch_trace_x.log.xz")
    (tmp_path / "notes.md").write_text("nothing")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0\0")
    session = read([tmp_path])
    assert (session.source, count(session, Recompiled)) == ("trace", 4)


def test_a_session_is_read_back(tmp_path):
    path = tmp_path / "run.cscope.json.gz"
    store.save(Session(name="x"), path)
    assert read([path]).name == "x"
    plain = tmp_path / "run.json"
    store.save(Session(name="y"), plain)
    assert read([plain]).name == "y"


def test_a_session_stands_alone(tmp_path):
    path = tmp_path / "run.cscope.json"
    store.save(Session(), path)
    with pytest.raises(InputError, match="together"):
        read([path, TEXT])


def test_a_tlparse_report(tmp_path):
    raw = DATA / "logs" / "tlparse"
    session = read([raw / "raw.jsonl"])
    assert (session.source, count(session, Recompiled)) == ("trace", 4)
    assert all(event.reasons for event in session.events if isinstance(event, Recompiled))


def test_a_payload_outside_of_the_report_is_not_read(tmp_path):
    (tmp_path / "secret.txt").write_text("0/0: secret")
    report = tmp_path / "report"
    report.mkdir()
    line = (
        '{"artifact":{"name":"recompile_reasons","encoding":"json"},"frame_id":0,'
        '"frame_compile_id":1,"attempt":0,"has_payload":"x","payload_filename":"../secret.txt",'
        '"timestamp":"2026-11-29T13:45:35.338000Z","thread":1,"pathname":"torch/a.py","lineno":3}'
    )
    (report / "raw.jsonl").write_text('{"string_table":[]}\n' + line + "\n")
    session = read([report / "raw.jsonl"])
    assert "secret" not in store.encode(session).decode()


def test_sources_come_from_files_that_exist(tmp_path):
    script = tmp_path / "app.py"
    script.write_text("\n".join(f"line{number}" for number in range(1, 21)))
    log = tmp_path / "log.txt"
    log.write_bytes(TEXT.read_bytes().replace(b"/home/user/project", str(tmp_path).encode()))
    assert read([log]).sources[str(script)][5] == "line5"


def failure(paths, **options):
    with pytest.raises(InputError) as caught:
        read(paths, **options)
    return str(caught.value)


def test_errors_say_what_is_wrong(tmp_path):
    assert "does not exist" in failure([tmp_path / "none.txt"])
    (tmp_path / "empty.txt").touch()
    assert "is empty" in failure([tmp_path / "empty.txt"])
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0\0")
    assert "binary" in failure([tmp_path / "binary"])
    (tmp_path / "story.txt").write_text("once upon a time\n" * 3)
    assert "none of 3 lines" in failure([tmp_path / "story.txt"])
    (tmp_path / "folder").mkdir()
    assert "no log in" in failure([tmp_path / "folder"])
    assert "no log was named" in failure([])
    assert "standard input is empty" in failure([], stdin=io.BytesIO(b""))
    for text in ("empty.txt", "binary", "story.txt", "folder"):
        assert "hint: " in failure([tmp_path / text])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("x")
    path.chmod(0)
    assert "ermission" in failure([path])


def test_a_file_that_is_no_log_beside_one_is_told(tmp_path):
    (tmp_path / "story.txt").write_text("once\n")
    session = read([TEXT, tmp_path / "story.txt"])
    assert any("story.txt" in gap.detail for gap in session.gaps)
    assert read_trace([TRACE]).processes
