"""Every reason of the shared cases and traces is understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compilescope.logs.guards import parse_reason

INDEX = Path(__file__).parents[3] / "shared/cases/guards/index.json"
# Categories that name a format, a limit or a situation, and not the guard that failed first.
SITUATIONS = ("cudagraphs", "control", "format.", "frame.", "gb.", "limit.", "trace.", "perf_")
# Cases about something that the failing guard's text does not show, or that another guard hides:
# the category of the case, and what its texts say.
NOT_IN_THE_TEXT = {
    # an earlier guard of the entry, or a later recompile of the same program, is what is printed
    ("tensor.stride", "tensor.size"),
    ("attr.missing", "attr.object"),
    ("container.defaultdict", "type.container"),
    ("container.key", "container.len"),
    ("container.key", "tensor.type"),
    ("global_state.functorch", "tensor.dispatch_key"),
    ("global_state.inference_mode", "global_state.grad_mode"),
    ("global_state.inference_mode", "tensor.dispatch_key"),
    ("global_state.allow_fp16_reduce", "global_state.allow_bf16_reduce"),
    ("global_state.allow_fp16_reduce", "global_state.multiple"),
    ("index.missing", "container.len"),
    ("key.missing", "attr.object"),
    ("module.int_attr", "tensor.requires_grad"),
    ("shape.zero_one", "tensor.size"),
    ("tensor.nested", "tensor.size"),
    # the program's own line tells more than the guard does
    ("closure", "const.float"),
    ("closure", "const.int"),
    ("const.int_zero_one", "const.int"),
    ("const.size", "const.int_in_container"),
    ("global_state.default_device", "global_state.torch_function_mode"),
    ("id.class", "id.object"),
    ("alias.object", "alias.expected"),
    ("module.dtype", "tensor.dtype"),
    ("shape.floordiv", "shape.range"),
    ("shape.or", "shape.sum"),
    ("type.scalar", "const.int"),
    # the kind is narrower than the category
    ("attr.hasattr", "attr.missing"),
    ("const.numpy", "tensor.numpy"),
    ("container.len", "container.set"),
    ("global", "global.function"),
    ("key.missing", "attr.environ"),
    ("shape.eq", "shape.duck"),
    ("shape.stride", "tensor.stride"),
    ("tensor.nested", "type.tensor"),
}


@pytest.fixture(scope="module")
def reasons():
    if not INDEX.exists():
        pytest.skip("the shared cases are not here")
    cases = json.loads(INDEX.read_text())
    return [(case["category"], reason["reason"]) for case in cases for reason in case["reasons"]]


def test_no_reason_is_unknown(reasons):
    assert [text for _, text in reasons if parse_reason(text).kind == "unknown"] == []


def test_the_kind_is_the_cases_category(reasons):
    other = {
        (category, parse_reason(text).kind)
        for category, text in reasons
        if not category.startswith(SITUATIONS)
    }
    assert {pair for pair in other if pair[0] != pair[1]} <= NOT_IN_THE_TEXT
