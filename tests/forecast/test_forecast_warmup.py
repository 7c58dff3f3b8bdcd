"""The warm-up file: order, and that it runs on another sample without compilescope."""

from __future__ import annotations

import ast

from compilescope.forecast.order import ordered
from compilescope.forecast.warmup import title, warmup
from compilescope.model import (
    Callable,
    Forecast,
    ForecastCall,
    ForecastChange,
    ForecastLeaf,
    ForecastWarmup,
    Session,
)


def call(what, shape, changes=(), **fields):
    leaf = ForecastLeaf(("args", 0), shape, (1,), "torch.float32")
    return ForecastCall(0, what, changes=changes, leaves=(leaf,), **fields)


EMPTY = call("graph", (0,), (ForecastChange("x", 0, "0"),))
GENERAL = call("general", (7,))
SEEN = call("observed", (9,), call=0)


def test_ordinary_sizes_come_first_and_special_ones_last():
    assert ordered([SEEN, EMPTY, GENERAL], 0) == [2, 0, 1]


def test_one_input_is_called_once():
    assert ordered([GENERAL, call("observed", (7,), call=3)], 0) == [0]


def test_what_no_call_can_cover_is_left_out():
    repeat = call("graph", (9,), repeat=True)
    failing = call("graph", (1,), (ForecastChange("x", 0, "1"),), error="Unsupported: no")
    assumed = call("assumed", (3,), (ForecastChange("x", 0, "3"),))
    assert ordered([repeat, failing, assumed, GENERAL], 0) == [3]


def test_titles_name_the_places_of_one_value_together():
    changes = (
        ForecastChange("edges", 1, "0"),
        ForecastChange("scale", 0, "0"),
        ForecastChange("count", None, "3"),
    )
    found = call("graph", (0,), changes, layout="transposed")
    assert title(found) == "edges.shape[1] = scale.shape[0] = 0, count = 3; transposed"


def test_the_file_is_python_that_needs_torch_alone():
    session = Session(callables=(Callable(0, "Net"),), forecast=Forecast(calls=(GENERAL, EMPTY)))
    text = warmup(session)
    tree = ast.parse(text)
    imported = {
        name.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert imported == {"contextlib", "copy", "torch"}
    assert "def warm_up(" in text
    assert text.index("ordinary sizes") < text.index("x.shape[0] = 0")


def test_only_the_calls_of_the_smallest_set_are_made():
    forecast = Forecast(calls=(GENERAL, SEEN, EMPTY), warmup=ForecastWarmup(calls=(0, 2)))
    text = warmup(Session(callables=(Callable(0, "Net"),), forecast=forecast))
    assert "call 0 of the program" not in text
    assert "2 calls" in text


def test_what_the_program_brings_itself_is_left_to_it():
    def parts(value):
        return (
            ForecastLeaf(("args", 0), (7,), (1,), "torch.float32"),
            ForecastLeaf(("args", 1), value=value),
        )

    same = Forecast(calls=(ForecastCall(0, "general", leaves=parts("3")),))
    other = Forecast(calls=(*same.calls, ForecastCall(0, "graph", leaves=parts("None"))))
    texts = [
        warmup(Session(callables=(Callable(0, "Net"),), forecast=one)) for one in (same, other)
    ]
    assert "('args', 1), \"value\"" not in texts[0]
    assert "('args', 1), \"value\", None)" in texts[1]


def test_several_callables_get_a_function_each():
    other = ForecastCall(1, "general", leaves=GENERAL.leaves)
    session = Session(
        callables=(Callable(0, "Net"), Callable(0, "Net")),
        forecast=Forecast(calls=(GENERAL, other)),
    )
    names = [node.name for node in ast.parse(warmup(session)).body
             if isinstance(node, ast.FunctionDef)]  # fmt: skip
    assert "warm_up_net" in names
    assert "warm_up_net_1" in names
