"""Graph breaks where Python needs to know a value: branches, numbers, shapes."""

from __future__ import annotations

from compilescope import wording
from compilescope.diagnose.break_advice_types import (
    COND,
    DYNAMIC_SHAPES,
    KEEP_TENSOR,
    MASK,
    MOVE_OUT,
    SCALARS,
    WHERE,
    Advice,
    Fix,
)

ADVICE: tuple[Advice, ...] = (
    # explicit
    Advice(
        ("GB0025",),
        r"graph_break\(\)",
        "Library code called at this line ends the graph on purpose; `Optimizer.step` does so.",
        (
            Fix(
                "leave", "Nothing to do for an optimizer: compile its step as a function of its own"
            ),
        ),
        about=r"optim[/\\.](optimizer|lr_scheduler)|\n(?![^\n]*graph_break)[^\n]+\Z",
    ),
    Advice(
        ("GB0025",),
        r"graph_break\(\)",
        "`torch._dynamo.graph_break()` ends the graph here on purpose.",
        (Fix("remove", "Delete the call, if it was left over from debugging"),),
    ),
    Advice(
        ("GB0098",),
        r"compiler\.disable|disable\(\)`?d",
        "The called function is under `torch.compiler.disable`, so it runs eagerly.",
        (
            Fix("leave", "Leave it if it must stay eager"),
            Fix("move_out", "Or call it before the compiled function and pass in the result"),
        ),
    ),
    # data-dependent control flow
    Advice(
        ("GB0170",),
        r"[Dd]ata.dependent (branch|jump|control)|generic_jump",
        wording.MESSAGE,
        (
            Fix(
                "constant_message",
                wording.USE_CONSTANT,
                limits="it raises RuntimeError, not AssertionError",
            ),
            Fix("move_out", "Or check outside the compiled function"),
        ),
        about=r"(?m)^\s*assert\b",
    ),
    Advice(
        ("GB0170",),
        r"[Dd]ata.dependent (branch|jump|control)|generic_jump",
        wording.CHECK,
        (
            Fix(
                "assert",
                wording.USE_ASSERT,
                limits="it raises RuntimeError, not the exception of before",
            ),
            Fix("move_out", "Or check outside the compiled function"),
        ),
        about=r"(?m)\braise\b",
    ),
    Advice(
        ("GB0170",),
        r"[Dd]ata.dependent (branch|jump|control)|generic_jump",
        wording.LOOP,
        (
            Fix(
                "fixed_steps",
                wording.USE_FIXED_STEPS,
                price="rounds that were not needed",
            ),
            Fix("compile_body", "Or compile the body of the loop and loop in eager code"),
        ),
        about=r"(?m)^\s*while\b",
    ),
    Advice(
        ("GB0170",),
        r"[Dd]ata.dependent (branch|jump|control)|generic_jump",
        wording.BRANCH,
        (
            WHERE,
            COND,
            Fix(
                "move_out",
                "Or decide outside the compiled function and pass a bool",
                limits="a bool argument is compiled once for each value",
            ),
        ),
    ),
    # numbers out of tensors
    Advice(
        ("GB0124",),
        r"Tensor\.item|\.item\(\)|_local_scalar_dense",
        "The number of rounds is read out of a tensor, so the loop cannot be unrolled.",
        (
            Fix(
                "fixed_steps", "Loop over a size that is known, or use `arange` over it and a mask"
            ),
            Fix(
                "pass_in",
                "Or pass the number as a Python int from outside",
                limits="each value of a loop count is compiled",
            ),
        ),
        about=r"(?m)^.*\brange\(.*$",
    ),
    Advice(
        ("GB0124",),
        r"Tensor\.item|\.item\(\)|_local_scalar_dense",
        "A tensor is indexed with a Python number that is read out of another tensor.",
        (
            Fix(
                "index_select",
                "Select with the tensor: `x.index_select(0, i.reshape(1)).squeeze(0)`",
                limits="`x[i]` alone only moves the break into the backend",
            ),
            SCALARS,
        ),
        about=r"(?m)\w\[[^\]:]*\.item\(\)[^\]:]*\]",
    ),
    Advice(
        ("GB0124",),
        r"Tensor\.item|\.item\(\)|_local_scalar_dense",
        wording.ITEM,
        (
            KEEP_TENSOR,
            SCALARS,
            Fix("return_tensor", "For logging: return the detached tensor and read it outside"),
        ),
    ),
    Advice(
        ("GB0109",),
        r"tolist",
        "`tolist()` turns tensor values into Python numbers, and only integers can be captured.",
        (Fix("keep_tensor", "Work on the tensor, or take it apart with `unbind()`"),),
    ),
    Advice(
        ("GB0033",),
        r"[Dd]ata.dependent operator",
        wording.EQUAL,
        (
            Fix(
                "keep_tensor",
                wording.USE_COMPARED,
                limits="an `if` on the result still breaks",
            ),
        ),
        about=r"aten\.(equal|allclose)",
    ),
    Advice(
        ("GB0033",),
        r"[Dd]ata.dependent operator",
        wording.LIST,
        (
            Fix("keep_tensor", wording.USE_OFFSETS),
            SCALARS,
        ),
        about=r"tolist",
    ),
    Advice(
        ("GB0033",),
        r"[Dd]ata.dependent operator",
        wording.MATH,
        (Fix("torch_math", wording.USE_TORCH),),
        about=r"\bmath\.\w+",
    ),
    Advice(
        ("GB0033",),
        r"[Dd]ata.dependent operator",
        wording.NOT,
        (Fix("logical_not", wording.USE_LOGICAL_NOT), WHERE),
        about=r"(?m)\bnot\b",
    ),
    Advice(
        ("GB0033",),
        r"[Dd]ata.dependent operator",
        "The operator returns a Python value that depends on the tensor's data.",
        (KEEP_TENSOR, SCALARS),
    ),
    # shapes that depend on data
    Advice(
        ("GB0036",),
        r"[Dd]ynamic shape operator|dynamic output shape",
        wording.COUNTED,
        (
            Fix("fixed_bins", wording.USE_FIXED_BINS),
            MOVE_OUT,
            DYNAMIC_SHAPES,
        ),
        about=r"aten\.(_?unique|bincount|histc)",
    ),
    Advice(
        ("GB0036",),
        r"[Dd]ynamic shape operator|dynamic output shape",
        wording.REPEATED,
        (Fix("output_size", wording.USE_OUTPUT_SIZE), DYNAMIC_SHAPES),
        about=r"repeat_interleave",
    ),
    Advice(
        ("GB0036",),
        r"[Dd]ynamic shape operator|dynamic output shape",
        wording.SELECTED,
        (
            MASK,
            Fix(
                "nonzero_static",
                "Or `torch.nonzero_static(mask, size=n)` with a fixed size",
                since="2.2",
            ),
            DYNAMIC_SHAPES,
        ),
    ),
    Advice(
        ("GB0246",),
        r"one_hot",
        "`one_hot` without `num_classes` looks at the data for the largest class.",
        (Fix("num_classes", "Pass the number of classes: `F.one_hot(x, num_classes)`"),),
    ),
)
