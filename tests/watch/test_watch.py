"""`compilescope.watch()` in this process, on the installed torch."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import warnings

import pytest

import compilescope
from compilescope import store
from compilescope.errors import UsageError
from compilescope.live import WatchFailure

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@torch.compile(backend="eager")
def scaled(x):
    return x * 2


@torch.compile(backend="eager")
def reported(x):
    print("a side effect")
    return x + 1


def test_a_recompile_fails_with_cause_line_and_fix():
    with compilescope.watch() as w:
        for size in (3, 3, 4):
            scaled(torch.ones(size))
    with pytest.raises(WatchFailure) as failed:
        w.assert_no_recompiles(after=2)
    text = str(failed.value)
    assert "crossed  max-recompiles: 1 recompile after call 2, 0 allowed" in text
    line = scaled.__wrapped__.__code__.co_firstlineno + 2
    assert f"test_watch.py:{line} in scaled" in text
    assert "`x` had 3 elements when this graph was compiled; call 2 had 4" in text
    assert "fix: Mark dimension 0 of `x` dynamic before the first call" in text
    w.assert_graphs(2)
    w.assert_no_graph_breaks()
    w.assert_no_fallback()


def test_what_earlier_code_compiled_is_forgotten():
    scaled(torch.ones(3))
    scaled(torch.ones(4))
    with compilescope.watch() as w:
        scaled(torch.ones(5))
    w.assert_graphs(1)
    w.assert_no_recompiles()


def test_calls_are_seen_after_the_program_froze_its_objects():
    early = torch.compile(lambda x: x - 1, backend="eager")
    gc.freeze()
    try:
        with compilescope.watch() as w:
            early(torch.ones(3))
    finally:
        gc.unfreeze()
    assert [len(series.seconds) for series in w.diagnosis.calls] == [1]


def test_without_a_reset_a_warm_function_is_served():
    with compilescope.watch() as cold:
        scaled(torch.ones(3))
        scaled(torch.ones(4))
    cold.assert_graphs(2)
    with compilescope.watch(reset=False) as warm:
        scaled(torch.ones(5))
    warm.assert_graphs(0)
    warm.assert_no_recompiles()
    with compilescope.watch() as reset:
        scaled(torch.ones(5))
    with pytest.raises(WatchFailure, match="1 graph, 0 expected"):
        reset.assert_graphs(0)


def test_a_graph_break_fails(capsys):
    with compilescope.watch() as w:
        reported(torch.ones(3))
    assert capsys.readouterr().out == "a side effect\n"
    with pytest.raises(WatchFailure, match=r"`print` writes to the outside world") as failed:
        w.assert_no_graph_breaks()
    assert "if not torch.compiler.is_compiling():" in str(failed.value)
    w.assert_no_recompiles()


def test_nothing_compiled_is_not_success():
    with compilescope.watch() as w:
        pass
    for hold in (w.assert_no_recompiles, w.assert_no_graph_breaks, w.assert_no_fallback):
        with pytest.raises(WatchFailure, match="nothing was compiled"):
            hold()
    with compilescope.watch(reset=False) as w:
        pass
    with pytest.raises(WatchFailure, match="nothing was compiled"):
        w.assert_no_recompiles()


def test_a_warm_up_that_was_never_left_is_not_success():
    with compilescope.watch() as w:
        scaled(torch.ones(3))
    with pytest.raises(WatchFailure, match="nothing ran after the warm-up"):
        w.assert_no_recompiles(after=1)


def test_a_fallback_fails():
    limited = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    with compilescope.watch() as w, torch._dynamo.config.patch(recompile_limit=2):
        for size in range(2, 7):
            limited(torch.ones(size))
    with pytest.raises(WatchFailure, match="reached the recompile limit"):
        w.assert_no_fallback()
    assert w.diagnosis.fallbacks[0].calls_eager == 3


def test_assertions_inside_the_block_see_what_came_so_far():
    with compilescope.watch() as w:
        scaled(torch.ones(3))
        w.assert_graphs(1)
        scaled(torch.ones(4))
        w.assert_graphs(2)


def test_functions_compiled_inside_the_block_are_seen():
    with compilescope.watch() as w:
        torch.compile(lambda x: x - 1, backend="eager")(torch.ones(3))
    assert w.diagnosis.counts.calls == 1
    w.assert_graphs(1)


def test_watches_may_be_nested():
    with compilescope.watch(reset=False) as outer:
        scaled(torch.ones(3))
        with compilescope.watch() as inner:
            scaled(torch.ones(4))
        scaled(torch.ones(4))
    assert inner.diagnosis.counts.calls == 1
    assert outer.diagnosis.counts.calls == 3
    inner.assert_graphs(1)


def test_a_reset_inside_the_block_is_said_and_does_not_pass():
    with compilescope.watch() as w:
        scaled(torch.ones(3))
        torch._dynamo.reset()
        scaled(torch.ones(3))
    with pytest.raises(WatchFailure, match="an id that was given out before"):
        w.assert_no_recompiles()


def test_an_exception_of_the_block_is_its_own():
    def fail():
        with compilescope.watch():
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        fail()


def state():
    from torch._dynamo.eval_frame import OptimizeContext

    loggers = [logging.getLogger("torch.__trace"), logging.getLogger("torch._dynamo.convert_frame"),
               logging.getLogger("torch._inductor.utils.__perf_hints")]  # fmt: skip
    contexts = [c for c in gc.get_referrers(OptimizeContext) if isinstance(c, OptimizeContext)]
    return (
        OptimizeContext.__init__,
        [(list(logger.filters), list(logger.handlers), logger.level) for logger in loggers],
        {id(context): list(context.enter_exit_hooks) for context in contexts},
    )


def test_everything_is_left_as_it_was():
    before = state()
    with compilescope.watch() as w:
        scaled(torch.ones(3))
        assert state() != before
    assert state() == before
    folder = w._folder
    assert os.path.isdir(folder)
    w.session  # noqa: B018  reading it is the act
    assert not os.path.exists(folder)


def test_a_forked_child_leaves_the_record_alone():
    with compilescope.watch() as w:
        scaled(torch.ones(3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of forks in programs with threads
            pid = os.fork()
        if pid == 0:
            scaled(torch.ones(4))
            os._exit(0)
        os.waitpid(pid, 0)
    w.assert_graphs(1)
    assert len(w.session.processes) == 1


def test_the_session_is_one_like_any_other(tmp_path):
    with compilescope.watch(name="mine") as w:
        scaled(torch.ones(3))
    w.save(tmp_path / "run.cscope.json.gz")
    session = store.load(tmp_path / "run.cscope.json.gz")
    assert session == w.session
    assert session.name == "mine"
    assert session.environment.torch == torch.__version__
    assert session.environment.config["dynamo.recompile_limit"] == "8"
    assert not w.diagnosis.ended
    assert "Nothing to fix" in w.report()
    assert "mine" in w.report("markdown")


def test_a_watch_serves_once():
    w = compilescope.watch()
    with pytest.raises(UsageError, match="nothing was watched yet"):
        w.session  # noqa: B018
    with w:
        pass
    with pytest.raises(UsageError, match="used once"), w:
        pass


def test_nothing_is_imported_before_a_block_begins():
    code = (
        "import sys, compilescope; compilescope.watch()\n"
        "assert not {'torch', 'rich', 'jinja2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_trace_of_the_users_own_is_not_counted_too(tmp_path):
    code = (
        "import torch, compilescope\n"
        "f = torch.compile(lambda x: x * 2, backend='eager')\n"
        "f(torch.ones(3))\n"
        "with compilescope.watch(reset=False) as w:\n"
        "    for n in (4, 5): f(torch.ones(n))\n"
        "w.assert_graphs(1)\n"
        "assert w.diagnosis.counts.recompiles == 1\n"
    )
    environment = {**os.environ, "TORCH_TRACE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert list(tmp_path.glob("*.log"))
