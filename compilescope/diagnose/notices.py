"""Performance hints, cudagraph skips and warnings: what they mean and whether to act."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compilescope.diagnose.notices_cudagraphs import CUDAGRAPHS, EAGER_LAUNCH, NOTHING, Note, fix
from compilescope.diagnose.notices_moves import MOVES
from compilescope.diagnose.notices_partitions import PARTITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.diagnosis import Remedy


def explain(kind: str, text: str) -> tuple[str, tuple[Remedy, ...]]:
    """What the notice means, and what to do; it says so where there is nothing to do.

    Args:
        kind: `Warned.kind`, "cudagraph_skip" for instance.
        text: The message.

    Returns:
        The explanation and the remedies; "" and none for a text that we have no words for.
    """
    for note in _NOTES:
        found = re.search(note.pattern, text)
        if found:
            values = {key: value or "" for key, value in found.groupdict().items()}
            remedies = tuple(
                replace(one, snippet=one.snippet.format(**values)) if values else one
                for one in note.remedies
            )
            return note.why.format(**values), remedies
    return _KINDS.get(kind, ""), ()


_KINDS = {
    "cudagraph_skip": f"A graph was not recorded as a CUDA graph. {EAGER_LAUNCH}",
    "deprecated": "PyTorch will remove this option or function; it still works in this version.",
    "skip": "PyTorch leaves this function to Python, so it is not compiled.",
}

_TF32 = fix(
    "tf32",
    "Allow TF32, before the first compiled call",
    'torch.set_float32_matmul_precision("high")',
    price="about three decimal digits in matrix products",
    limits="set later, it recompiles every graph (`allow_tf32`)",
)
_CONTIGUOUS = fix("contiguous", "Order the dimensions so that the reduced one is last")

_HINTS = (
    Note(
        r"TensorFloat32.*Skipping pattern matching to fused flash-attention",
        "Matrix products in float32 do not use the GPU's tensor cores, and attention that is "
        "written out is not fused to one kernel for that reason.",
        (
            _TF32,
            fix(
                "sdpa",
                "Or call the fused attention itself",
                "torch.nn.functional.scaled_dot_product_attention(q, k, v)",
            ),
        ),
    ),
    Note(
        r"TensorFloat32|set_float32_matmul_precision",
        "Matrix products in float32 do not use the GPU's tensor cores.",
        (_TF32,),
    ),
    Note(
        r"flex FLASH: mask_mod could not be lowered",
        "The `mask_mod` of flex attention is evaluated for each element, not for 32 at a time, "
        "which can be much slower.",
        (
            fix(
                "lane_uniform",
                "Compare `q_idx` or `kv_idx` with a bound of the whole sequence",
                "return kv_idx < seq_lens[b]",
                limits="a mask that is looked up for each token cannot be written so",
            ),
        ),
    ),
    Note(
        r"Using FallbackKernel: (?P<name>[\w.:]+)",
        "`{name}` has no generated kernel: PyTorch's own is called and nothing is fused with it. "
        + NOTHING,
    ),
    Note(
        r"when cudagraphs is disabled",
        "CUDA graphs are not switched on, so no part of the graph is set aside for them. "
        + NOTHING,
    ),
    Note(
        r"failed while executing \w+\(\[VR\[",
        "PyTorch could not bound a symbolic size and goes on without the bound. " + NOTHING,
    ),
    Note(
        r"Skip comprehensive padding",
        "Tensors are not padded for alignment here; that is decided by device and settings. "
        + NOTHING,
    ),
    Note(
        r"optimal tiling with (?P<n>\d+) tiles",
        "A tiling with {n} tiles would suit this kernel better than the number that is allowed.",
        (
            fix(
                "max_tiles",
                "Try a higher limit and measure",
                "torch._inductor.config.triton.max_tiles = {n}",
                price="more kernels to compile",
            ),
        ),
    ),
    Note(
        r"[Rr]eduction over non-contiguous dims",
        "A sum or the like runs over dimensions that do not lie together in memory.",
        (
            fix(
                "tile_reductions",
                "Try tiled reductions and measure",
                "torch._inductor.config.triton.tile_reductions = True",
                since="2.8",
            ),
            _CONTIGUOUS,
        ),
    ),
    Note(
        r"possibly bad tiling",
        "Several ways to divide the work of this kernel fit, and the one that was picked may not "
        "be the best. It matters only if the kernel is among the slow ones.",
    ),
    Note(
        r"Not enough SMs",
        "The GPU is too small for matrix-product autotuning, so the library's kernels are used. "
        + NOTHING,
    ),
    Note(
        r"GPU arch does not support max_autotune",
        "This GPU does not support matrix-product autotuning; the library's kernels are used. "
        + NOTHING,
    ),
    Note(
        r"autotuning benchmarks failed",
        "No candidate kernel could be timed, so a default was taken.",
        (
            fix(
                "check_memory",
                "Check for lack of GPU memory or of shared memory in the log above it",
            ),
        ),
    ),
    Note(
        r"Precompilation timeout",
        "Candidate kernels took too long to compile and were left out.",
        (fix("fewer_choices", "Compile without `max-autotune`, or on more CPU cores"),),
    ),
    Note(
        r"Online softmax is disabled",
        "The softmax is split into several reductions, so the one-pass form is not used. "
        + NOTHING,
    ),
    Note(
        r"code generation for complex",
        "Complex numbers have no generated kernels and can be slower than in eager mode.",
        (fix("real", "Use real tensors inside: `torch.view_as_real`"),),
    ),
    Note(
        r"global hooks on modules",
        "Global module hooks run once more for the wrapper that `torch.compile(module)` makes.",
        (
            fix(
                "module_compile",
                "Compile the module in place, without a wrapper",
                "module.compile()",
                since="2.2",
            ),
        ),
    ),
    Note(
        r"Profiler record function",
        "A `record_function` range is left out of the graph. Results do not change. " + NOTHING,
    ),
    Note(
        r"make_fallback\(",
        "A message for PyTorch's developers about one operator. " + NOTHING,
    ),
    Note(
        r"Guards may run slower on Python 3\.13",
        "In Python 3.13.0 checking guards is slower; later patch releases are not affected.",
        (fix("upgrade_python", "Use Python 3.13.1 or newer"),),
    ),
    Note(
        r"propagate_real_tensors",
        "A value was read from the example inputs while tracing, so the graph may hold for such "
        "data only.",
    ),
    Note(
        r"functools\.lru_cache|`lru_cache`",
        "The cache of an `lru_cache` function is ignored: its body is traced and runs each time.",
        (fix("precompute", "Compute the value once outside and pass it in"),),
    ),
    Note(
        r"inline_inbuilt_nn_modules",
        "This option does nothing any more. Remove it where it is set.",
    ),
    Note(
        r"cache_size_limit is deprecated",
        "`cache_size_limit` is the old name of `recompile_limit`; it still works.",
    ),
)

_NOTES = PARTITIONS + MOVES + CUDAGRAPHS + _HINTS


def texts() -> Iterator[str]:
    """Every explanation, for the tests of style."""
    yield from (note.why for note in _NOTES)
    yield from _KINDS.values()
