"""CUDA graphs whose memory moved under them: recorded again, given up, or overwritten."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.notices_cudagraphs import PAD, STATIC_ADDRESS, STEP_BEGIN, Note, fix

if TYPE_CHECKING:
    from compilescope.diagnosis import Remedy

_STATIC_MOVED = (
    "An input that should stay in place (a parameter, a buffer, or one marked static) was at "
    "another address, so the CUDA graph was recorded again."
)
_MANAGED_MOVED = (
    "An output of an earlier CUDA graph came back as an input from another place in its memory, so "
    "the CUDA graph was recorded again."
)
_STILL_ALIVE = (
    "An output of an earlier call was still in use that had been dropped when the CUDA graph was "
    "recorded, so it was recorded again."
)
_AGAIN = "A CUDA graph was recorded again, because something it relies on had changed."
_OVERWRITTEN = (
    "A CUDA graph writes its outputs into the same memory at each call. This one was read after a "
    "later call had begun to write there."
)
_KEEP_INPUTS = fix(
    "keep_inputs", "Reuse the same input and parameter tensors: copy new data into them"
)
_CLONE_KEPT = fix(
    "clone_output",
    "Clone, outside the compiled function, what you keep over the next call",
    "kept = output.clone()",
    price="a copy of each kept output",
)
_CLONE_LIVE = fix(
    "clone_live",
    "Or let PyTorch clone the outputs that are still in use",
    'torch._inductor.config.triton.cudagraph_trees_generation_cloning = "user_visible"',
    since="2.14",
    price="a copy of each output that is kept",
)
_DROP_OUTPUTS = fix("drop_outputs", "Drop each step's outputs before the next call")
_GIVEN_UP = "So the CUDA graph was recorded again and again and then given up."
_STABLE_GRAD = fix(
    "stable_grad",
    "Set `.grad` to None before each backward, or allocate the gradients before the first one",
    "optimizer.zero_grad(set_to_none=True)",
)


def moved(reason: str, inputs: tuple[str, ...]) -> tuple[str, tuple[Remedy, ...]]:
    """Why a CUDA graph was recorded again, and what to do; `reason` is PyTorch's."""
    named = f" PyTorch calls it `{inputs[0]}`." if len(inputs) == 1 else ""
    if len(inputs) > 1:
        named = f" {len(inputs)} inputs moved at once."
    if "static input" in reason:
        return _STATIC_MOVED + named, (_KEEP_INPUTS, STATIC_ADDRESS)
    if "managed" in reason:
        return _MANAGED_MOVED + named, (_CLONE_KEPT, STEP_BEGIN)
    if "dead indices" in reason:
        return _STILL_ALIVE, (_DROP_OUTPUTS, STEP_BEGIN)
    return _AGAIN, (_KEEP_INPUTS, STEP_BEGIN)


def overwritten(*, gradient: bool) -> tuple[str, tuple[Remedy, ...]]:
    """Why reading an output failed, and what to do."""
    kept = (_CLONE_KEPT, STEP_BEGIN, _CLONE_LIVE)
    return _OVERWRITTEN, (_STABLE_GRAD,) if gradient else kept


def recording_failed(text: str, *, compiled: bool) -> tuple[str, tuple[Remedy, ...]]:
    """Why a recording raised `text`, and what to do; "" and none for any other error.

    Args:
        text: The error.
        compiled: Whether compiled functions use CUDA graphs, so that one of theirs may have failed.
    """
    notes = _ERRORS if compiled else _ERRORS[1:]  # the first comes from any recording
    found = next((note for note in notes if re.search(note.pattern, text)), None)
    return (found.why, found.remedies) if found else ("", ())


_ERRORS = (
    Note(
        r"not permitted when stream is capturing|StreamCaptureUnsupported"
        r"|operation failed due to a previous error during capture",
        "An operation waits for the GPU or allocates around PyTorch, which cannot be recorded in a "
        "CUDA graph. Custom operators and libraries that synchronise do so.",
        (
            fix(
                "unsafe_operator",
                "Say so of the operator, and the graph is split there",
                'torch.library.define("mine::op", "(Tensor x) -> Tensor",\n'
                "    tags=(torch._C.Tag.cudagraph_unsafe,))",
                since="2.8",
                limits="on torch 2.8 with `torch._inductor.config.graph_partition = True`",
            ),
            fix(
                "no_cudagraphs",
                "Or compile this function without CUDA graphs",
                'torch.compile(function, mode="max-autotune-no-cudagraphs")',
                price="kernels are launched one by one",
            ),
        ),
    ),
    Note(
        r"tensor\(s\) in the cudagraph pool not tracked|in the cudagraph pool but not",
        "A tensor that was made inside of the compiled function is kept outside of it, and is not "
        "among its outputs. A CUDA graph would overwrite it at the next call.",
        (
            fix(
                "return_it",
                "Return that tensor, or clone it outside of the compiled function before it is "
                "kept",
            ),
        ),
    ),
    Note(
        r"storage data ptrs are not allocated in pool",
        "An output does not lie in the memory of the CUDA graph, as when a custom operator returns "
        "its input although it is declared to return a new tensor.",
        (fix("true_schema", "Return a copy, or declare the alias in the operator's schema"),),
    ),
)

MOVES = (
    Note(
        r"re-recording limit.* due to cudagraph managed|managed input re-recording threshold",
        "An output of an earlier CUDA graph comes back as an input, each time from another place "
        "in its memory. " + _GIVEN_UP,
        (_CLONE_KEPT, STEP_BEGIN),
    ),
    Note(
        r"re-recording limit.* due to expected dead indices",
        "Outputs of earlier calls are still in use that had been dropped when the CUDA graph was "
        "recorded. " + _GIVEN_UP,
        (_DROP_OUTPUTS, STEP_BEGIN),
    ),
    Note(
        r"max re-recording limit|(?:static input|tensor) data pointer changed",
        "Inputs that should stay in place move from call to call. " + _GIVEN_UP,
        (
            _KEEP_INPUTS,
            STATIC_ADDRESS,
        ),
    ),
    Note(
        r"cudagraph_dynamic_shape_rerecord_limit=(?P<n>\d+)",
        "The limit of {n} sizes was reached: those recorded before still run as CUDA graphs, new "
        "ones run without.",
        (
            PAD,
            fix(
                "raise_limit",
                "Or allow more",
                "torch._inductor.config.triton.cudagraph_dynamic_shape_rerecord_limit = None",
                since="2.15",
                price="memory for each size",
            ),
        ),
    ),
    Note(
        r"[Rr]e-recording",
        "A CUDA graph was recorded again, because something it relies on had moved.",
        (
            fix(
                "keep_inputs", "Reuse the same input tensors, and drop outputs before the next call"
            ),
        ),
    ),
)
