"""What an entry of the advice on graph breaks consists of, and the fixes that many share.

Of the entries whose ids or type match, the first counts whose `about` is found in the reason, the
context or the user's line; else the first without an `about`.
"""

from __future__ import annotations

from dataclasses import dataclass

from compilescope import wording


@dataclass(frozen=True)
class Fix:
    """A way out of a graph break."""

    id: str
    text: str
    snippet: str = ""  # {code} is the user's line
    since: str = ""
    until: str = ""
    price: str = ""
    limits: str = ""


@dataclass(frozen=True)
class Advice:
    """Why a kind of code cannot be captured, and the ways out."""

    ids: tuple[str, ...]
    type: str  # regular expression over PyTorch's name or, in old logs, text
    why: str
    fixes: tuple[Fix, ...] = ()
    about: str = ""  # regular expression over reason, context and line


GUARD = Fix(
    "is_compiling_guard",
    wording.USE_GUARD,
    "if not torch.compiler.is_compiling():\n    {code}",
    since="2.1",
    limits="it then does not happen in compiled calls",
)
MOVE_OUT = Fix("move_out", "Move it out of the compiled function, before or after the call")
DISABLE = Fix(
    "disable",
    "Or keep the break and make it explicit: put the call in a function under "
    "`torch.compiler.disable`",
    "@torch.compiler.disable",
    since="2.1",
    price="the break stays, at a place that you choose",
)
CUSTOM_OP = Fix(
    "custom_op",
    "Wrap the function as a custom operator, which the graph calls without looking inside",
    '@torch.library.custom_op("mine::name", mutates_args=())',
    since="2.4",
    price="a fake implementation (`register_fake`) must be written too",
)
NONSTRICT = Fix(
    "nonstrict_trace",
    "Or let the compiler trace through it without checks",
    "@torch._dynamo.nonstrict_trace",
    since="2.7",
    limits="side effects and branches inside are not checked",
)
WHERE = Fix(
    "torch_where",
    wording.USE_WHERE,
    price="both sides are computed",
)
COND = Fix(
    "torch_cond",
    "Or `torch.cond(condition, true_fn, false_fn, operands)`, which runs one side only",
    since="2.4",
    limits="both functions must return tensors of the same shape and dtype and change nothing",
)
KEEP_TENSOR = Fix("keep_tensor", wording.USE_TENSOR)
SCALARS = Fix(
    "capture_scalar_outputs",
    "Or capture the number as a symbolic value, before the first compile",
    "torch._dynamo.config.capture_scalar_outputs = True",
    since="2.0",
    limits="not where the number decides an `if`, a `range()` or goes into `math.*`",
)
DYNAMIC_SHAPES = Fix(
    "capture_dynamic_output_shape_ops",
    "Or let the graph hold sizes that depend on data, before the first compile",
    "torch._dynamo.config.capture_dynamic_output_shape_ops = True",
    since="2.1",
    limits="branches on such a size still break the graph",
)
MASK = Fix("mask", wording.USE_MASK)
INIT = Fix("build_in_init", "Create it once in `__init__`")
