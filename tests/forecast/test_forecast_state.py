"""What the program holds beside its inputs; the guards' texts are from torch 2.13."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from compilescope.reports import forecast_words

from compilescope import probe
from compilescope.diagnose import diagnose
from compilescope.forecast.exposure import Scratch, exposure
from compilescope.forecast.findings import Findings
from compilescope.forecast.state import states
from compilescope.logs.guards import parse_reason
from compilescope.model import (
    Callable,
    Called,
    Compiled,
    Forecast,
    ForecastCall,
    ForecastCallable,
    ForecastChange,
    Frame,
    Input,
    Recompiled,
    Session,
)

F = Frame("/home/me/serve/net.py", 16, "forward")
OWN = "TYPE_MATCH: ___check_type_id(L['self'], 94659812511456), type=<class '__main__.Net'>"
DEPTH = "EQUALS_MATCH: L['self'].exit_at == {}"


def session(*graphs: tuple[str, ...], reasons: tuple[str, ...] = ()) -> Session:
    events: list[Compiled | Recompiled] = []
    for number, guards in enumerate(graphs):
        if number and number <= len(reasons):
            failure = parse_reason(f"0/{number - 1}: {reasons[number - 1]}")
            events.append(Recompiled(0, f"0/{number}", F, reasons=(failure,)))
        events.append(Compiled(0, f"0/{number}", F, guards=guards, recompile=number > 0))
    return Session(events=tuple(events), sources={F.path: {16: "def forward(self, x):"}})


def told(made: Session) -> dict[str, tuple[tuple[str, ...], bool, int]]:
    diagnosis = diagnose(made)
    happened = Counter(one.cause for one in diagnosis.recompiles)
    return {
        entry.source: (entry.values, entry.varied, entry.happened)
        for entry in states(made, diagnosis, 0, happened)
    }


def test_an_int_of_a_module_that_recompiled_with_each_value_is_named():
    made = session(
        *((OWN, DEPTH.format(depth)) for depth in (8, 7, 6)),
        reasons=("self.exit_at == 8", "self.exit_at == 7"),
    )
    assert told(made) == {"self.exit_at": (("8", "7", "6"), True, 2)}


def test_a_number_that_the_last_graph_leaves_open_is_not():
    symbolic = "TYPE_MATCH: ___check_type_id(L['self'].lr, 140469533495808), type=<class 'float'>"
    made = session(
        (OWN, "EQUALS_MATCH: L['self'].lr == 0.1"), (OWN, symbolic), reasons=("self.lr == 0.1",)
    )
    assert told(made) == {}


def test_a_flag_of_which_both_values_came_has_no_other():
    flag = "{}_MATCH: L['self'].warm == {}"
    made = session(
        (OWN, flag.format("TRUE", True)),
        (OWN, flag.format("FALSE", False)),
        reasons=("self.warm == True",),
    )
    assert told(made) == {}


def test_what_never_varied_is_named_where_the_users_own_class_holds_it():
    library = "___check_type_id({}, 1), type=<class 'torch.nn.modules.batchnorm.BatchNorm2d'>"
    request = "TYPE_MATCH: ___check_type_id(L['config'], 2), type=<class 'serve.net.Sampling'>"
    made = session(
        (
            OWN,
            request,
            "FALSE_MATCH: L['config'].greedy == False",
            "TYPE_MATCH: " + library.format("L['self']._modules['bn']"),
            "EQUALS_MATCH: L['self']._modules['bn'].momentum == 0.1",
            "EQUALS_MATCH: L['self'].param_groups[0]['betas'][0] == 0.9",
            "EQUALS_MATCH: L['self'].param_groups[0]['eps'] == 1e-08",
            "EQUALS_MATCH: G['SETTINGS']['kl_weight'] == 0.1",
            "EQUALS_MATCH: G['WARMUP'] == 6",
            "EQUALS_MATCH: L['step'] == 3",
            "EQUALS_MATCH: L['mask'].__closure__[0].cell_contents == 2",
            "EQUALS_MATCH: G['wrap'].__closure__[0].cell_contents == 2",
        )
    )
    assert told(made) == {
        "config.greedy": (("False",), False, 0),
        "self.param_groups[0]['betas'][0]": (("0.9",), False, 0),
        "SETTINGS['kl_weight']": (("0.1",), False, 0),
        "mask.__closure__[0].cell_contents": (("2",), False, 0),
    }


def test_what_varied_in_one_layer_may_vary_in_the_others():
    layer = "{}_MATCH: L['self']._modules['stages']._modules['{}'].training == {}"
    first = (layer.format("FALSE", 0, False), layer.format("FALSE", 1, False))
    made = session(
        (*first, layer.format("FALSE", 2, False)),
        (*first, layer.format("TRUE", 2, True)),
        reasons=("self._modules['stages']._modules['2'].training == False",),
    )
    (entry,) = states(made, diagnose(made), 0, Counter())
    assert (entry.source, entry.values, entry.alike) == (
        "self.stages[0].training",
        ("False",),
        1,
    )


def test_the_sentence_does_not_say_that_nothing_would_recompile():
    made = session(
        *((OWN, DEPTH.format(depth)) for depth in (8, 7)), reasons=("self.exit_at == 8",)
    )
    diagnosis = diagnose(made)
    found = states(made, diagnosis, 0, Counter(one.cause for one in diagnosis.recompiles))
    forecast = Forecast(callables=(ForecastCallable(0, tried=1),), state=found)
    assert forecast_words.sentence(forecast) == (
        "No input that varied so far would recompile: 1 input tried, no other graph needed. "
        "New values that the program holds would."
    )
    assert forecast_words.state(found[0]) == "self.exit_at, so far 8 and 7; happened 1 time"


def test_calls_that_all_raised_are_the_reason_for_an_empty_forecast():
    failed = Called(0, 0, 0, 1.0, 0.1, error="torch.fx.ConstraintViolationError")
    made = Session(events=(failed,), callables=(Callable(0, "model"),))
    found = exposure(made, Scratch(Session(), Findings(finished=True, found=True)))
    assert found.stopped == "every call so far raised: ConstraintViolationError"
    fine = Session(events=(failed, Called(0, 0, 1, 2.0, 0.1)), callables=(Callable(0, "model"),))
    assert exposure(fine, Scratch(Session(), Findings(finished=True, found=True))).stopped == ""


def test_numbers_are_tried_on_both_sides_of_the_limits_near_those_seen(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(probe.__file__).parent / "agent"))
    from _compilescope_agent.forecast_sizes import Group, crossed

    guards = (
        "LAMBDA_GUARD: 1.0 + ((-1)*L['decay']) >= 0.5",
        "EQUALS_MATCH: L['other'] == 0.3",
        "LAMBDA_GUARD: not math.isnan(L['decay'])",
        "LAMBDA_GUARD: L['x'].size()[0] >= 0.4",
    )
    group = Group(((0, None),), [0.2, 0.4])
    # 1.0 is further from what came than all that came lies apart.
    assert crossed(group, guards) == pytest.approx([0.49, 0.51])
    assert crossed(Group(((0, None),), [10.0, 10.5]), guards) == []


def test_inputs_of_one_title_are_told_apart_by_the_numbers_they_came_with():
    size = (ForecastChange("x", 0, "0"),)
    calls = [
        ForecastCall(0, "graph", size, inputs=(Input("last", value=value), Input("n", value="3")))
        for value in ("True", "False")
    ]
    assert forecast_words.inputs_of(calls) == [
        "x.shape[0] = 0, last = True",
        "x.shape[0] = 0, last = False",
    ]
    assert forecast_words.inputs_of(calls[:1]) == ["x.shape[0] = 0"]


@pytest.mark.parametrize("shape", [(9, 1), (1, 9), (9,)])
def test_a_view_of_another_size_is_a_view(monkeypatch, shape):
    # torch 2.13 has guards on the size of the tensor behind a view.
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(Path(probe.__file__).parent / "agent"))
    from _compilescope_agent.forecast_inputs import _of_base

    held = torch.ones(*[12 if size == 9 else size for size in shape])
    made = _of_base(held.view(12), torch.arange(9.0))
    assert tuple(made._base.shape) == shape
    assert made.tolist() == list(range(9))
    alone = torch.arange(9.0)
    assert _of_base(torch.ones(12), alone) is alone
    assert _of_base(torch.ones(24)[:12], alone) is alone
