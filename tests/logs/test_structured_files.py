"""Finding and opening trace files, and what is said of those that are none."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from pathlib import Path

import pytest

from compilescope.errors import InputError
from compilescope.logs.structured import is_trace, read_trace
from compilescope.model import Compiled, Recompiled

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DATA = Path(__file__).parents[1] / "data/traces"
LIMIT = lzma.decompress((DATA / "limit.log.xz").read_bytes())
COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
    ".bz2": bz2.compress,
    "": bytes,
}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressions(tmp_path, suffix):
    path = tmp_path / f"trace.log{suffix}"
    path.write_bytes(COMPRESS[suffix](LIMIT))
    assert is_trace(path)
    assert read_trace([path]).events == read_trace([DATA / "limit.log.xz"]).events


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst", ".bz2"])
def test_a_compressed_file_that_is_cut(tmp_path, suffix):
    path = tmp_path / f"trace.log{suffix}"
    data = COMPRESS[suffix](LIMIT)
    path.write_bytes(data[:-20])
    if suffix == ".bz2":  # one block: nothing comes out without its end
        with pytest.raises(InputError) as caught:
            read_trace([path])
        assert "uncompressed" in caught.value.cause
    else:
        log = read_trace([path])
        assert any(gap.what == "file cut short" for gap in log.gaps)
        assert any(isinstance(event, Compiled) for event in log.events)


def test_a_folder_with_other_files_in_it(tmp_path):
    inner = tmp_path / "a/b"
    inner.mkdir(parents=True)
    (inner / "dedicated_log_torch_trace_x.log").write_bytes(LIMIT)
    (tmp_path / "train.log").write_text("epoch 1\n")
    (tmp_path / "notes.md").write_text("x")
    (tmp_path / "empty.log").touch()
    assert len(read_trace([tmp_path]).processes) == 1


def test_the_same_trace_in_two_forms_counts_once(tmp_path):
    for suffix in ("", ".gz"):
        (tmp_path / f"trace.log{suffix}").write_bytes(COMPRESS[suffix](LIMIT))
    (tmp_path / "start.log").write_bytes(LIMIT[:3000])
    log = read_trace([tmp_path, tmp_path / "trace.log"])
    assert log.events == read_trace([DATA / "limit.log.xz"]).events
    assert [gap.what for gap in log.gaps] == ["file left out", "file left out"]


def test_two_ranks(tmp_path):
    for source in DATA.glob("ranks_*.log.xz"):
        name = source.name.removeprefix("ranks_").replace("_.log", "_abc.log")
        (tmp_path / name).write_bytes(source.read_bytes())
    log = read_trace([tmp_path])
    assert [process.rank for process in log.processes] == [0, 1]
    assert {event.process for event in log.events} == {0, 1}
    assert sum(isinstance(event, Recompiled) for event in log.events) == 2


def test_the_rank_in_the_records_serves_where_the_name_has_none(tmp_path):
    path = tmp_path / "renamed.log.xz"
    path.write_bytes((DATA / "ranks_dedicated_log_torch_trace_rank_1_.log.xz").read_bytes())
    assert read_trace([path]).processes[0].rank == 1


def test_two_files_of_one_process(tmp_path):
    half = LIMIT.index(b'{"artifact": {"name": "recompile_reasons"')
    half = LIMIT.rindex(b"\n", 0, half) + 1
    strings = b"".join(line for line in LIMIT.splitlines(True) if b'{"str": ' in line[:120])
    (tmp_path / "a.log").write_bytes(LIMIT[:half])
    (tmp_path / "b.log").write_bytes(strings + LIMIT[half:])
    log = read_trace([tmp_path])
    assert len(log.processes) == 1
    assert log.events == read_trace([DATA / "limit.log.xz"]).events


def test_one_pid_twice_is_two_processes_where_both_began_the_same_compile(tmp_path):
    (tmp_path / "monday.log").write_bytes(LIMIT)
    (tmp_path / "tuesday.log").write_bytes(LIMIT.replace(b"V1129 17:", b"V1130 17:"))
    log = read_trace([tmp_path])
    assert len(log.processes) == 2
    assert sum(isinstance(event, Compiled) for event in log.events) == 4


TEXT_LOG = (
    "V1129 13:26:03.464000 18476 torch/_dynamo/guards.py:5396] [0/1] [__recompiles] Recompiling\n"
)


@pytest.mark.parametrize(
    ("content", "cause", "hint"),
    [
        (b"", "nothing was compiled", "TORCH_TRACE"),
        (b"\x7fELF\x01\x02\0\0\xff" * 99, "binary", "TORCH_TRACE"),
        (b"hello\nworld\n", "no line has the form", "TORCH_TRACE"),
        (TEXT_LOG.encode(), "TORCH_LOGS text", "compilescope logs"),
        (b'{"version": 1}', "no line has the form", "TORCH_TRACE"),
        (gzip.compress(LIMIT, mtime=0)[:40], "", ""),
    ],
)
def test_what_is_not_a_trace(tmp_path, content, cause, hint):
    path = tmp_path / "file.log"
    path.write_bytes(content)
    assert not is_trace(path)
    with pytest.raises(InputError) as caught:
        read_trace([path])
    assert cause in caught.value.cause
    assert hint in caught.value.hint


def test_paths_that_cannot_be_read(tmp_path):
    for path, words in (
        (tmp_path / "missing", "does not exist"),
        (tmp_path / "a\0b", "cannot read"),
        (tmp_path, "no trace in"),
    ):
        with pytest.raises(InputError, match=words):
            read_trace([path])
    with pytest.raises(InputError):
        read_trace([])


def test_a_folder_with_empty_traces_says_so(tmp_path):
    (tmp_path / "dedicated_log_torch_trace_x.log").touch()
    with pytest.raises(InputError) as caught:
        read_trace([tmp_path])
    assert "empty" in caught.value.cause


def test_a_file_without_permission(tmp_path, monkeypatch):
    path = tmp_path / "trace.log"
    path.write_bytes(LIMIT)
    (tmp_path / "other.log").write_bytes(LIMIT)
    open_ = Path.open

    def refuse(self, *args, **kwargs):
        if self == path:
            raise PermissionError(13, "Permission denied")
        return open_(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError) as caught:
        read_trace([path])
    assert caught.value.cause == "Permission denied"
    log = read_trace([tmp_path])  # the other one is read, and the gap is told
    assert [gap.what for gap in log.gaps] == ["file that cannot be read"]
