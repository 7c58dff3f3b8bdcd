"""The same log in every wrapping, and every version's format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compilescope.logs.text import read_text
from compilescope.model import Compiled, FellBack, GraphBroke, Recompiled

DATA = Path(__file__).parents[1] / "data" / "logs"
RECORDED = (DATA / "torch213.txt").read_bytes()
FIRST = b"V1129 "


def facts(log):
    """What was told, without the times and the processes that a format may lack."""
    found = []
    for event in log.events:
        if isinstance(event, Recompiled):
            kinds = [(reason.kind, reason.source, reason.entry) for reason in event.reasons]
            found.append(("recompiled", event.compile_id, event.frame, kinds, event.refused))
        elif isinstance(event, GraphBroke):
            found.append(("broke", event.gb_id, event.frame, event.hints, event.duplicate))
        elif isinstance(event, Compiled):
            found.append(("compiled", event.compile_id, event.frame, event.recompile))
    return found


def wrapped(front: bytes) -> bytes:
    return b"".join(front + line + b"\n" for line in RECORDED.splitlines())


EXPECTED = facts(read_text(RECORDED.splitlines()))
WRAPPINGS = {
    "rank once": RECORDED.replace(FIRST, b"[rank0]:" + FIRST),
    "rank twice": wrapped(b"[rank0]:[rank0]:"),
    "torchrun default": wrapped(b"[default3]:"),
    "crlf": RECORDED.replace(b"\n", b"\r\n"),
    "colours": RECORDED.replace(FIRST, b"\x1b[33m" + FIRST).replace(b"\n", b"\x1b[0m\n"),
    "quoted": wrapped(b"> "),
    "quoted twice": wrapped(b"> > "),
    "code fence": b"Here is my log:\n```\n" + RECORDED + b"```\nWhat is wrong?\n",
    "docker": wrapped(b"2026-11-29T13:26:03.464Z "),
    "kubectl prefix": wrapped(b"[pod/train-0/main] 2026-11-29T13:26:03.464123456Z "),
    "container runtime": wrapped(b"2026-11-29T13:26:03.464123456Z stderr F "),
    "compose": wrapped(b"trainer-1  | "),
    "journald": wrapped(b"Nov 29 13:26:03 host python3[812]: "),
    "another tool": wrapped(b"[2026-11-29 13:26:03.296] "),
    "ray": wrapped(b"(RayTrainWorker pid=77, ip=10.0.0.1) "),
    "progress bars": RECORDED.replace(FIRST, b" 50%|####     | 1/2\r" + FIRST),
    "docker json": b"".join(
        json.dumps({"log": line + "\n", "stream": "stderr"}).encode() + b"\n"
        for line in RECORDED.decode().splitlines()
    ),
    "byte order mark": b"\xef\xbb\xbf" + RECORDED,
    "program output between": RECORDED.replace(b"\n" + FIRST, b"\nstep 1 loss 0.3\n" + FIRST),
    "installed path": RECORDED.replace(b" torch/", b" /opt/venv/site-packages/torch/"),
    "windows path": RECORDED.replace(b" torch/_dynamo/", b" Lib\\site-packages\\torch\\_dynamo\\"),
}


def test_the_recorded_log_tells_recompiles_and_breaks():
    kinds = [fact[0] for fact in EXPECTED]
    assert kinds.count("recompiled") == 4
    assert kinds.count("broke") == 3


@pytest.mark.parametrize("name", WRAPPINGS)
def test_wrapping_changes_nothing(name):
    assert facts(read_text(WRAPPINGS[name].split(b"\n"))) == EXPECTED


def test_utf16_as_powershell_writes_it(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes(RECORDED.decode().replace("\n", "\r\n").encode("utf-16"))
    assert facts(read_text(path)) == EXPECTED


@pytest.mark.parametrize("form", ["short", "empty"])
def test_formats_without_prefix_on_every_line(form):
    assert facts(read_text(DATA / f"torch213_{form}_format.txt")) == EXPECTED


def test_prefix_on_the_first_line_only():
    lines = RECORDED.decode().splitlines()
    kept = []
    for line in lines:
        _, bracket, text = line.partition("] [__")
        text = text.partition("] ")[2] if bracket else line
        new = not bracket or text.startswith(("Recompiling", "Graph break"))
        kept.append(line if new else text)
    assert facts(read_text([line.encode() for line in kept])) == EXPECTED


def test_two_processes_whose_lines_alternate():
    other = RECORDED.replace(b" 29202 ", b" 29203 ")
    assert other != RECORDED
    pairs = zip(RECORDED.splitlines(), other.splitlines(), strict=True)
    log = read_text([line for pair in pairs for line in pair])
    assert sorted(process.pid for process in log.processes) == [29202, 29203]
    for process in (0, 1):
        mine = read_text([])
        mine.events = [event for event in log.events if event.process == process]
        assert facts(mine) == EXPECTED


def test_ranks_are_kept():
    log = read_text(WRAPPINGS["rank twice"].split(b"\n"))
    assert [process.rank for process in log.processes] == [0]


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_a_log_cut_at_both_ends_says_so_or_is_whole(cut):
    lines = RECORDED.splitlines()[cut:-2]
    log = read_text(lines)
    told = [event for event in log.events if isinstance(event, Recompiled)]
    assert all(reason.kind != "unknown" for event in told for reason in event.reasons)
    assert any(gap.what == "records cut short" for gap in log.gaps) or cut == 0 or told


def of(name, kind):
    return [event for event in read_text(DATA / name).events if isinstance(event, kind)]


def reasons(event):
    return [(reason.kind, reason.source) for reason in event.reasons]


def test_torch_20():
    first, second = of("torch20.txt", FellBack)
    assert (first.limit, first.limit_name, first.frame.function) == (
        64,
        "cache_size_limit",
        "forward",
    )
    assert reasons(first) == [("tensor.stride", "edge_index")]
    assert reasons(second) == [("id.object", "self")]
    (broke,) = of("torch20.txt", GraphBroke)
    assert (broke.type, broke.frame.line) == ("Data-dependent branching", 31)


def test_torch_21_logs_a_tuple():
    first, second = of("torch21.txt", Recompiled)
    assert reasons(first) == [("const.int", "t")]
    assert (second.frame.line, reasons(second)) == (0, [("tensor.size", "x")])


def test_torch_22_has_one_reason_an_entry_and_no_ids():
    first, second = of("torch22.txt", Recompiled)
    assert (first.compile_id, second.compile_id) == ("?0/1", "?0/2")
    assert len(second.reasons) == 2
    (broke,) = of("torch22.txt", GraphBroke)
    assert (broke.frame.line, broke.frame.code) == (11, "n = x.sum().item()")


def test_torch_23_has_thread_ids_and_the_reason_in_the_exception():
    log = read_text(DATA / "torch23.txt")
    assert [process.pid for process in log.processes] == [0]
    (broke,) = of("torch23.txt", GraphBroke)
    assert broke.type == "Failed to trace builtin operator"
    assert broke.frame.path == "/home/u/m.py"


def test_torch_24_skips_a_frame_and_refuses_at_the_limit():
    (refused,) = of("torch24.txt", Recompiled)
    assert refused.refused
    (fell,) = of("torch24.txt", FellBack)
    assert reasons(fell) == [("tensor.dtype", "tgt")]
    (broke,) = of("torch24.txt", GraphBroke)
    assert broke.whole_frame


def test_torch_26():
    first, empty = of("torch26.txt", Recompiled)
    assert reasons(first) == [("tensor.size", "y")]
    assert [reason.entry for reason in empty.reasons] == ["0/1"]
    one, again = of("torch26.txt", GraphBroke)
    assert (one.duplicate, again.duplicate) == (False, True)
    assert one.frame == again.frame


def test_torch_28_on_windows():
    (recompiled,) = of("torch28_windows.txt", Recompiled)
    assert recompiled.frame.path == r"C:\ComfyUI\ldm\flux\model.py"
    (fell,) = of("torch28_windows.txt", FellBack)
    assert (fell.limit, fell.limit_name) == (256, "accumulated_recompile_limit")
