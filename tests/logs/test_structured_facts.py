"""What a reader of structured traces must get right, each on a trace made here."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os

import pytest

from compilescope.logs.structured import read_trace
from compilescope.model import (
    Compiled,
    Errored,
    FellBack,
    GraphBroke,
    Guarded,
    Recompiled,
    Specialized,
    Symbol,
    Warned,
)

NAMES = ["/home/user/project/model.py", "/venv/site-packages/torch/nn/modules/module.py"]
BREAK = """Graph break in user code at /home/user/project/model.py:9
Graph Break Reason: Data-dependent branching
  Explanation: Detected data-dependent branching.
  Hint: Use `torch.cond`.

  Developer debug context: x

 For more details about this graph break, please visit: https://example.org/gb/gb0170.html

User code traceback:
  File "/home/user/project/model.py", line 9, in forward
    if x.sum() > 0:
"""
LIMIT = """Dynamo recompile limit exceeded
  Explanation: Dynamo attempted to recompile the code object too many times (currently set to 8).

  Developer debug context: Limit type: accumulated_recompile_limit"""


class Trace:
    """Writes records as torch does."""

    def __init__(self, *, pid=100, month_day="1129", names=NAMES):
        self.lines = []
        self.pid = pid
        self.month_day = month_day
        self.second = 0.0
        for number, name in enumerate(names):
            self.add({"str": [name, number]}, context=None)

    def add(self, record, payload=None, *, context="0/0", attempt=0, md5=True, **more):
        header = dict(record)
        if context is not None:
            parts = context.split("/")
            if parts[0].startswith("!"):
                header["compiled_autograd_id"] = int(parts.pop(0)[1:])
            if parts:
                header["frame_id"], header["frame_compile_id"] = map(int, parts)
            if attempt is not None:
                header["attempt"] = attempt
        header.update(more)
        if payload is not None and md5:
            header["has_payload"] = hashlib.md5(payload.encode()).hexdigest()
        self.second += 0.001
        stamp = f"13:26:{self.second:09.6f}"
        line = f"V{self.month_day} {stamp} {self.pid} torch/_dynamo/x.py:7] {json.dumps(header)}"
        self.lines.append(line)
        if payload is not None:
            self.lines.extend("\t" + part for part in payload.split("\n"))
        return self

    def start(self, context="0/0", *, attempt=0, name="forward", line=4, above=()):
        stack = [*above, {"line": line, "name": name, "filename": 0}]
        return self.add({"dynamo_start": {"stack": stack}}, context=context, attempt=attempt)

    def graph(self, context="0/0", attempt=0):
        return self.add({"dynamo_output_graph": {}}, "graph", context=context, attempt=attempt)

    def metrics(self, context="0/0", *, kind="compilation_metrics", attempt=0, **fields):
        fields = {"compile_id": context, "co_name": "forward", "restart_reasons": [], **fields}
        return self.add({kind: fields}, context=context, attempt=attempt)

    def reasons(self, *reasons, context="0/1"):
        text = reasons[0] if len(reasons) == 1 else json.dumps(reasons, indent=0)
        return self.artifact("recompile_reasons", text, context=context)

    def artifact(self, name, payload, **more):
        return self.add({"artifact": {"name": name, "encoding": "string"}}, payload, **more)

    def compiled(self, context="0/0", **fields):
        return self.start(context).graph(context).metrics(context, **fields)

    def write(self, path, *, end="\n", prefix=b"", cut=0):
        data = prefix + (end.join(self.lines) + end).encode()
        path.write_bytes(data[: len(data) - cut])
        return path


@pytest.fixture
def read(tmp_path):
    def read(trace, name="dedicated_log_torch_trace_abc.log", **how):
        return read_trace([trace.write(tmp_path / name, **how)])

    return read


def of(log, kind):
    return [event for event in log.events if isinstance(event, kind)]


def test_attempts_are_one_compile(read):
    trace = Trace().start().artifact("dynamo_graph_break_reason", BREAK)
    trace.graph(attempt=1).metrics(
        attempt=1, restart_reasons=["Data-dependent branching"], dynamo_time_before_restart_s=0.5
    )
    (compiled,) = of(read(trace), Compiled)
    assert (compiled.compile_id, compiled.attempts) == ("0/0", 2)
    assert compiled.restarts == ("Data-dependent branching",)
    assert compiled.wasted == 0.5


def test_a_failed_compile_wasted_nothing_on_restarts(read):
    # A compile that fails has its whole time in the field for the time before a restart.
    trace = Trace().start().metrics(fail_type="RuntimeError", dynamo_time_before_restart_s=0.5)
    assert of(read(trace), Compiled)[0].wasted == 0.0


@pytest.mark.parametrize(
    ("context", "compile_id"), [("!0", "!0"), ("!0/1/0", "!0/1/0"), ("3/2", "3/2")]
)
def test_compile_ids(read, context, compile_id):
    assert of(read(Trace().compiled(context)), Compiled)[0].compile_id == compile_id


def test_one_reason_is_bare_text_and_several_are_a_list(read):
    trace = Trace().compiled().reasons("0/0: n == 2").compiled("0/1")
    trace.reasons("0/1: n == 3", "0/0: n == 2", context="0/2").compiled("0/2")
    one, two = of(read(trace), Recompiled)
    assert [(f.entry, f.source, f.required) for f in one.reasons] == [("0/0", "n", "2")]
    assert [failure.entry for failure in two.reasons] == ["0/1", "0/0"]  # as cached: newest first


def test_a_list_of_one_reason(read):
    # torch 2.6 writes a list even then.
    trace = Trace().compiled().artifact("recompile_reasons", '["0/0: n == 2"]', context="0/1")
    (event,) = of(read(trace.compiled("0/1")), Recompiled)
    assert [failure.entry for failure in event.reasons] == ["0/0"]


def test_reasons_of_a_cut_list(read):
    trace = Trace().compiled()
    trace.artifact("recompile_reasons", '[\n"0/1: n == 3",\n"0/0: n =', context="0/2")
    (event,) = of(read(trace), Recompiled)
    assert [failure.entry for failure in event.reasons] == ["0/1"]


def test_a_reason_with_its_stack(read):
    text = (
        '0/0: n == 2\nUser stack trace:\n  File "/home/user/project/model.py", line 8, in f\n    n'
    )
    (event,) = of(read(Trace().compiled().reasons(text).compiled("0/1")), Recompiled)
    assert event.reasons[0].frame.line == 8


def test_without_reasons_a_later_compile_is_no_recompile(read):
    log = read(Trace().compiled().compiled("0/1"))
    assert [event.recompile for event in of(log, Compiled)] == [False, False]
    assert not of(log, Recompiled)


def test_the_reason_in_the_metrics_serves_where_the_artifact_is_missing(read):
    trace = Trace().compiled().compiled("0/1", recompile_reason="0/0: n == 2")
    log = read(trace)
    assert len(of(log, Recompiled)) == 1
    assert of(log, Compiled)[1].recompile


def limited(fail_type="Unsupported", fail_reason="", **fields):
    trace = Trace().compiled().reasons("0/0: n == 2", context="0/1")
    return trace.metrics(
        "0/1", co_name=None, fail_type=fail_type, fail_reason=fail_reason, **fields
    )


@pytest.mark.parametrize(
    ("fail_type", "fail_reason", "name", "limit"),
    [
        (
            "Unsupported",
            LIMIT,
            "accumulated_recompile_limit",
            8,
        ),
        ("Unsupported", "cache_size_limit reached", "cache_size_limit", 5),
        ("<class 'torch._dynamo.exc.RecompileLimitExceeded'>", "", "recompile_limit", 5),
        (None, None, "recompile_limit", None),
    ],
)
def test_the_limit_refuses(read, fail_type, fail_reason, name, limit):
    config = json.dumps({"recompile_limit": 5, "cache_size_limit": 5})
    log = read(limited(fail_type, fail_reason, dynamo_config=config))
    (recompiled,) = of(log, Recompiled)
    assert recompiled.refused
    assert recompiled.frame.function == "forward"  # known from 0/0: 0/1 has no dynamo_start
    (fell,) = of(log, FellBack)
    assert (fell.limit_name, fell.limit, fell.compile_id) == (name, limit, "0/1")
    assert fell.frame.line == 4
    assert [event.compile_id for event in of(log, Compiled)] == ["0/0"]
    assert not of(log, Errored)


def test_a_limit_that_raises_is_no_fallback(read):
    log = read(limited("FailOnRecompileLimitHit", "Hard failure due to fullgraph=True"))
    assert of(log, Recompiled)[0].refused
    assert not of(log, FellBack)
    assert of(log, Errored)[0].kind == "FailOnRecompileLimitHit"


def test_a_compile_whose_start_was_lost_is_not_the_limit(read):
    trace = Trace().compiled().reasons("0/0: n == 2").metrics("0/1", co_firstlineno=4)
    log = read(trace)
    assert [event.recompile for event in of(log, Compiled)] == [False, True]
    assert not of(log, Recompiled)[0].refused
    assert not of(log, FellBack)


def test_reasons_at_the_end_of_a_cut_trace_are_not_the_limit(read):
    log = read(Trace().compiled().reasons("0/0: n == 2"))
    assert not of(log, Recompiled)[0].refused
    assert not of(log, FellBack)


def test_error_on_recompile(read):
    text = (
        "Recompiling function f in m.py:4\n    triggered by the following guard failure(s):\n"
        "    - 0/1: n == 3\n    - User stack trace:\n    -   x\n    - 0/0: n == 2"
    )
    trace = (
        Trace()
        .compiled()
        .metrics("0/1", co_name=None, fail_type="RecompileError", fail_reason=text)
    )
    log = read(trace)
    (event,) = of(log, Recompiled)
    assert [failure.entry for failure in event.reasons] == ["0/1", "0/0"]
    assert not event.refused
    assert of(log, Errored)[0].kind == "RecompileError"


@pytest.mark.parametrize(
    ("fields", "records", "outcome"),
    [
        ({}, ("graph",), "compiled"),
        ({}, (), "empty"),
        ({"fail_type": "Unsupported", "fail_reason": "x"}, ("break",), "skipped"),
        ({"fail_type": "Unsupported", "fail_reason": "x"}, (), "failed"),
        ({"fail_type": "BackendCompilerFailed", "fail_reason": "x"}, ("graph",), "failed"),
        (None, ("graph",), "unfinished"),
        (None, ("error",), "failed"),
    ],
)
def test_outcomes(read, fields, records, outcome):
    trace = Trace().start()
    if "graph" in records:
        trace.graph()
    if "break" in records:
        trace.artifact("dynamo_graph_break_reason", BREAK)
    if "error" in records or (fields and "fail_type" in fields):
        trace.artifact("dynamo_error", "Traceback (most recent call last):\n  File\nKeyError: 'k'")
    if fields is not None:
        trace.metrics(**fields)
    log = read(trace)
    assert of(log, Compiled)[0].outcome == outcome
    assert len(of(log, Errored)) == (outcome == "failed")


def test_phases_add_up(read):
    trace = Trace().compiled(
        dynamo_cumulative_compile_time_us=10_000_000,
        aot_autograd_cumulative_compile_time_us=9_000_000,
        inductor_cumulative_compile_time_us=5_000_000,
        inductor_code_gen_cumulative_compile_time_us=4_000_000,
        triton_compile_time_us=3_000_000,
    )
    (compiled,) = of(read(trace), Compiled)
    assert compiled.phases == {
        "dynamo": 1.0,
        "aot": 4.0,
        "inductor": 1.0,
        "codegen": 1.0,
        "kernels": 3.0,
    }
    assert compiled.seconds == 10.0


def test_phases_of_older_metrics(read):
    trace = Trace().compiled(
        entire_frame_compile_time_s=2.0,
        backend_compile_time_s=1.5,
        inductor_compile_time_s=1.0,
        code_gen_time_s=0.25,
    )
    (compiled,) = of(read(trace), Compiled)
    assert compiled.phases == {"dynamo": 0.5, "aot": 0.5, "inductor": 0.75, "codegen": 0.25}


def test_parts_larger_than_the_whole_are_not_shown(read):
    trace = Trace().compiled(entire_frame_compile_time_s=1.0, backend_compile_time_s=1.5)
    assert of(read(trace), Compiled)[0].phases == {"dynamo": 1.0}


def test_backward_and_first_run(read):
    trace = Trace().compiled(entire_frame_compile_time_s=1.0)
    for _ in range(2):
        trace.metrics(kind="bwd_compilation_metrics", co_name=None, duration_us=250_000)
    trace.metrics(
        kind="compilation_metrics_runtime",
        attempt=None,
        co_name=None,
        runtime_triton_autotune_time_us=500_000,
        is_runtime=True,
    )
    forward, backward = of(read(trace), Compiled)
    assert forward.phases == {"dynamo": 1.0, "autotune": 0.5}
    assert (forward.seconds, forward.attempts) == (1.5, 1)
    assert backward.backward
    assert (backward.compile_id, backward.seconds) == ("0/0", 0.5)
    assert backward.frame == forward.frame


def test_stack_without_torch_and_a_number_that_is_not_in_the_table(read):
    above = [
        {"line": 20, "name": "<module>", "filename": 0, "loc": "main()"},
        {"line": 1779, "name": "_wrapped_call_impl", "filename": 1},
        {"line": 3, "name": "inner", "filename": 99},
        {"line": 3, "name": "built-in", "filename": -1},
    ]
    log = read(Trace().start(above=above).graph().metrics())
    (compiled,) = of(log, Compiled)
    assert [frame.function for frame in compiled.stack] == ["<module>", "inner", "built-in"]
    assert compiled.stack[0].code == "main()"
    assert compiled.stack[1].path == ""
    (gap,) = log.gaps
    assert gap.what == "stack frames whose file is not in the log"
    assert gap.count == 1


def test_resume_functions_keep_their_name(read):
    name = "torch_dynamo_resume_in_forward_at_9"
    (compiled,) = of(read(Trace().start(name=name, line=9).metrics()), Compiled)
    assert (compiled.frame.function, compiled.frame.line) == (name, 9)


def describe(trace, number, source, **more):
    tensor = {
        "id": number,
        "describer_id": 0,
        "ndim": 2,
        "dtype": "torch.float32",
        "device": "device(type='cuda', index=0)",
        "size": [4, 3],
        "stride": [3, 1],
        **more,
    }
    trace.add({"describe_tensor": tensor})
    return trace.add({"describe_source": {"describer_id": 0, "id": number, "source": source}})


def test_inputs(read):
    trace = Trace().start()
    describe(trace, 0, "L['x']", requires_grad=True)
    describe(trace, 1, "L['batch']['mask'][0]")
    describe(trace, 2, "L['self']._parameters['w']", is_parameter=True)
    describe(trace, 3, "L['s']", size=["s0", 3])
    first, second, third = of(read(trace.graph().metrics()), Compiled)[0].inputs
    assert (first.source, first.shape, first.stride) == ("x", (4, 3), (3, 1))
    assert (first.dtype, first.device, first.requires_grad) == ("torch.float32", "cuda:0", True)
    assert second.source == "batch['mask'][0]"
    assert (third.source, third.shape) == ("s", None)


def test_inputs_of_an_earlier_attempt_are_void(read):
    trace = describe(Trace().start(), 0, "L['x']")
    trace.add({"describe_tensor": {"id": 0, "describer_id": 1, "size": [9]}}, attempt=1)
    trace.add({"describe_source": {"describer_id": 1, "id": 0, "source": "L['y']"}}, attempt=1)
    (compiled,) = of(read(trace.metrics(attempt=1)), Compiled)
    assert [(item.source, item.shape) for item in compiled.inputs] == [("y", (9,))]


GUARDS = """
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GLOBAL_STATE: ___check_global_state() against {"a":0}
| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x'), type=<class 'x'>
| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[None, 3])  # return x  # m.py:4 in f
| | +- DIMENSION_DYNAMIC_MARKING_GUARD: hasattr(L['x'], '_dynamo_dynamic_indices') == False
| +- EQUALS_MATCH: L['mode'] == 'a  # b'                                # if mode  # m.py:5 in f
| +- EQUALS_MATCH: L['n'] == 2                                           # n  # m.py:6 in f
| +- EQUALS_MATCH: L['n'] == 2                                           # n  # m.py:7 in f
+- LAMBDA_GUARD: 2 <= L['x'].size()[0]  # return x  # m.py:4 in f (user code shown is first use)

Guard latency = 12.5 us"""


def test_guards(read):
    trace = Trace().start().graph().add({"dynamo_cpp_guards_str": {}}, GUARDS)
    (compiled,) = of(read(trace.metrics(guard_count=9)), Compiled)
    assert compiled.guards == (
        "TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[None, 3])",
        "EQUALS_MATCH: L['mode'] == 'a  # b'",
        "EQUALS_MATCH: L['n'] == 2",
        "LAMBDA_GUARD: 2 <= L['x'].size()[0]",
    )
    assert compiled.guard_count == 9
    assert compiled.guard_latency == pytest.approx(12.5e-6)


def test_guards_are_bounded_and_those_over_sizes_stay(read):
    many = "\n".join(f"| +- TYPE_MATCH: ___check_type_id(L['m{n}'], {n})" for n in range(2000))
    tree = f"{many}\n+- LAMBDA_GUARD: 2 <= L['x'].size()[0]  # a"
    trace = Trace().start().add({"dynamo_cpp_guards_str": {}}, tree)
    guards = of(read(trace.metrics()), Compiled)[0].guards
    assert len(guards) == 300
    assert guards[-1] == "LAMBDA_GUARD: 2 <= L['x'].size()[0]"


def test_symbols_once_over_all_attempts(read):
    user_stack = [{"line": 9, "name": "forward", "filename": 0, "loc": "x + y"}]
    trace = Trace().start()
    for attempt in range(2):
        trace.add(
            {
                "create_symbol": {
                    "symbol": "s77",
                    "val": "8",
                    "vr": "[2, int_oo]",
                    "source": "L['x'].size()[0]",
                    "user_stack": user_stack,
                    "stack": [],
                }
            },
            attempt=attempt,
        )
        trace.add(
            {"create_unbacked_symbol": {"symbol": "u0", "vr": "[0, 4]", "user_stack": user_stack}},
            attempt=attempt,
        )
        trace.add({"guard_added_fast": {"expr": "s77 > 5", "user_stack": []}}, attempt=attempt)
        trace.add(
            {
                "symbolic_shape_specialization": {
                    "symbol": "s77",
                    "sources": ["L['x'].size()[0]"],
                    "value": "8",
                    "reason": "constant",
                    "user_stack": user_stack,
                }
            },
            attempt=attempt,
        )
    log = read(trace)
    backed, unbacked = of(log, Symbol)
    assert (backed.name, backed.value, backed.range) == ("s77", "8", "[2, int_oo]")
    assert (backed.frame.line, backed.frame.code) == (9, "x + y")
    assert (unbacked.name, unbacked.backed, unbacked.source) == ("u0", False, "")
    assert [event.expression for event in of(log, Guarded)] == ["s77 > 5"]
    assert [(event.symbol, event.value) for event in of(log, Specialized)] == [("s77", "8")]


def test_breaks_and_errors(read):
    error = (
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\nKeyError: 1\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\n'
        "torch._dynamo.exc.UserError: Could not guard\non u0 > 6\n\nfrom user code:\n"
        '   File "/home/user/project/model.py", line 9, in forward\n    if u > 6:\n\n'
        "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace"
    )
    trace = Trace().compiled().artifact("dynamo_graph_break_reason", BREAK)
    trace.start("1/0").artifact("dynamo_error", error, context="1/0")
    log = read(trace)
    assert of(log, GraphBroke)[0].frame.line == 9
    (event,) = of(log, Errored)
    assert (event.kind, event.text) == ("UserError", "Could not guard\non u0 > 6")
    assert event.frame.line == 9


def test_warnings_are_counted(read):
    trace = Trace().compiled(cudagraph_skip_reason="skipping cudagraphs due to cpu device (x)")
    for _ in range(3):
        trace.add({"propagate_real_tensors": {"expr": "u0 > 2", "result": "True", "stack": []}})
    log = read(trace)
    assert {event.kind: event.times for event in of(log, Warned)} == {
        "cudagraph_skip": 1,
        "propagate_real_tensors": 3,
    }
    assert "cpu device" in of(log, Compiled)[0].cudagraph_skip


def test_a_skip_of_cuda_graphs_has_its_line(read):
    stack = '  File "/home/u/a.py", line 3, in f\n    return x + scale\n'
    skipped = "skipping cudagraphs due to "
    reason = f"{skipped}{skipped}cpu device (x). Found from : \n {stack}"
    (skip,) = of(read(Trace().compiled(cudagraph_skip_reason=reason)), Warned)
    assert skip.text == f"{skipped}cpu device (x)"
    assert (skip.frame.line, skip.frame.code) == (3, "return x + scale")


def test_equal_skips_at_two_lines_are_two(read):
    reason = (
        'skipping cudagraphs due to cpu device (x). Found from : \n   File "/home/u/a.py", line {}'
    )
    trace = Trace()
    for number, line in enumerate((3, 9)):
        trace.compiled(f"{number}/0", cudagraph_skip_reason=reason.format(line))
    assert [skip.frame.line for skip in of(read(trace), Warned)] == [3, 9]


def test_caches(read):
    trace = Trace().start().graph().artifact("fx_graph_cache_bypass", "{}")
    trace.metrics(aotautograd_local_cache_hit_count=1)
    assert of(read(trace), Compiled)[0].caches == {"fx_graph": "bypass", "aotautograd": "hit"}


def test_environment(read):
    trace = Trace().artifact("torch_version", '"2.13.0+cpu"', context=None)
    trace.compiled(
        pytorch_version="2.13.0",
        python_version="3.11.7 (main)",
        triton_version="3.6.0",
        dynamo_config='{"recompile_limit": 8}',
        inductor_config='{"freezing": false}',
    )
    environment = read(trace).environment
    assert environment.torch == "2.13.0+cpu"
    assert (environment.python, environment.triton) == ("3.11.7", "3.6.0")
    assert environment.config == {"dynamo.recompile_limit": "8", "inductor.freezing": "false"}


def test_chromium_events_tell_the_time_and_are_not_decoded(read):
    trace = Trace()
    unix = dt.datetime(2024, 11, 29, 18, 26, tzinfo=dt.timezone.utc).timestamp()
    trace.add({"chromium_event": {}}, f'{{\n"name": "dynamo",\n"ts": {unix * 1e6}\n}}')
    trace.add({"chromium_event": {}}, "{ not JSON")
    log = read(trace.compiled())
    # Line times are 13:26:00 and some milliseconds, in a zone five hours behind UTC.
    assert of(log, Compiled)[0].at == pytest.approx(unix, abs=0.1)
    assert log.processes[0].started == pytest.approx(unix, abs=0.1)
    assert not log.gaps


def test_metrics_tell_the_time_where_there_is_no_chromium_event(read):
    trace = Trace().compiled().reasons("0/0: n == 2")
    trace.compiled("0/1", start_time=1_795_959_993.9, entire_frame_compile_time_s=0.1)
    assert of(read(trace), Recompiled)[0].at == pytest.approx(1_795_959_960, abs=450)


@pytest.mark.parametrize(("day", "year"), [("0610", 2026), ("0701", 2025)])
def test_without_any_the_year_is_the_last_possible(tmp_path, day, year):
    path = Trace(month_day=day).compiled().write(tmp_path / "t.log")
    changed = dt.datetime(2026, 6, 12, tzinfo=dt.timezone.utc).timestamp()
    os.utime(path, (changed, changed))
    at = of(read_trace([path]), Compiled)[0].at
    assert dt.datetime.fromtimestamp(at, tz=dt.timezone.utc).year == year


def test_the_year_may_end(read):
    trace = Trace(month_day="1231")
    trace.add({"chromium_event": {}}, '{\n"ts": 1735651560000000.0\n}')
    trace.compiled()
    trace.month_day = "0101"
    first, second = of(read(trace.compiled("1/0")), Compiled)
    assert 0 < second.at - first.at < 86_401


def test_windows_line_ends(read):
    trace = Trace().compiled().reasons("0/0: n == 2").compiled("0/1")
    log = read(trace, end="\r\n")
    assert [failure.required for failure in of(log, Recompiled)[0].reasons] == ["2"]
    assert not log.gaps


def test_a_carriage_return_in_a_payload_is_the_payloads(read):
    log = read(Trace().compiled().reasons("0/0: s == 'a'\r\nmore"))
    assert not log.gaps


def test_byte_order_mark_and_nul_bytes(read):
    trace = Trace().compiled()
    assert of(read(trace, prefix=b"\xef\xbb\xbf"), Compiled)
    log = read(trace, prefix=b"\0" * 5000)
    assert of(log, Compiled)[0].frame.path == NAMES[0]
    assert not log.gaps


def test_a_cut_last_line(read):
    log = read(Trace().compiled().compiled("1/0"), cut=30)
    assert [event.outcome for event in of(log, Compiled)] == ["compiled", "unfinished"]
    assert [gap.what for gap in log.gaps] == ["records that cannot be read"]


def test_a_cut_payload(read):
    log = read(Trace().compiled().reasons("0/0: n == 2\nUser stack trace:\n  x"), cut=8)
    (gap,) = log.gaps
    assert (gap.what, gap.count, gap.share) == ("payloads that are cut or altered", 1, 1.0)
    assert of(log, Recompiled)[0].reasons[0].required == "2"


def test_a_missing_checksum_is_no_damage(read):
    trace = Trace().compiled()
    trace.artifact("recompile_reasons", "0/0: n == 2", context="0/1", md5=False)
    log = read(trace)
    assert len(of(log, Recompiled)[0].reasons) == 1
    assert not log.gaps


def test_unknown_kinds_are_told_with_their_share(read):
    trace = Trace().start().add({"made_in_2031": {"a": 1}}, "payload")
    (gap,) = read(trace).gaps
    assert gap.what == "records of the unknown kind `made_in_2031`"
    assert (gap.count, gap.share) == (1, 0.25)


def test_lines_of_others(read):
    trace = Trace().compiled()
    trace.lines[2:2] = ["Epoch 1: loss 0.5", ""]
    log = read(trace)
    assert of(log, Compiled)
    assert [(gap.what, gap.count) for gap in log.gaps] == [("lines that belong to no record", 1)]


def test_records_without_a_compile_have_a_stack(read):
    trace = Trace().add({"describe_storage": {"id": 0}}, context=None, stack=[{"line": 1}])
    assert not read(trace.compiled()).gaps


def test_types_that_no_torch_writes_cost_one_record(read):
    trace = Trace().compiled().add({"compilation_metrics": {"guard_count": "many"}}, context="1/0")
    log = read(trace)
    assert len(of(log, Compiled)) == 1
    assert [gap.what for gap in log.gaps] == ["records that cannot be read"]


def test_a_forked_child_in_its_parents_file(read):
    trace = Trace().compiled()
    trace.pid = 101
    log = read(trace.compiled())
    assert [process.pid for process in log.processes] == [100, 101]
    assert [event.process for event in of(log, Compiled)] == [0, 1]


def test_ids_that_repeat_are_two_compiles(read):
    # Builds after 2.13 number the frames of each isolated region anew.
    trace = Trace().compiled().start(name="other", line=30).graph().metrics()
    assert [event.frame.line for event in of(read(trace), Compiled)] == [4, 30]


def test_threads_interleave_whole_records(read):
    trace = Trace().start("0/0").start("1/0", name="g").graph("1/0").graph("0/0")
    trace.metrics("1/0", graph_op_count=1).metrics("0/0", graph_op_count=2)
    assert [event.graph_ops for event in of(read(trace), Compiled)] == [2, 1]


def test_a_payload_larger_than_a_block(read, monkeypatch):
    monkeypatch.setattr("compilescope.logs.records.BLOCK", 1000)
    trace = Trace().start().add({"inductor_output_code": {}}, "code\n" * 5000).graph()
    trace.add({"dynamo_cpp_guards_str": {}}, GUARDS + "\n" + "x" * 20_000)
    log = read(trace.metrics().reasons("0/0: n == 2"))
    (compiled,) = of(log, Compiled)
    assert len(compiled.guards) == 4
    assert not log.gaps


@pytest.mark.parametrize("block", [1, 2, 7, 64])
def test_any_block_size_reads_the_same(read, monkeypatch, block):
    trace = describe(Trace().start(), 0, "L['x']").graph()
    trace.metrics().reasons("0/0: n == 2", "0/0: n == 3")
    expected = read(trace).events
    monkeypatch.setattr("compilescope.logs.records.BLOCK", block)
    assert read(trace).events == expected
