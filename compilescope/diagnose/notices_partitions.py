"""Parts of a graph that stay outside of CUDA graphs while the rest is recorded."""

from __future__ import annotations

from compilescope.diagnose.notices_cudagraphs import (
    FIXED_COUNT,
    MASKED,
    MOVE_OUT,
    NOTHING,
    WHERE,
    Note,
    fix,
)

_OUTSIDE = "The part stays outside of CUDA graphs and splits the rest."
_ON_THE_GPU = fix(
    "cpu_scalars",
    "Create it on the GPU, or pass a number that you have as a Python value",
    "x = x + torch.tensor(value, device=x.device)",
)
_UNSAFE = "^CUDAGraph-unsafe custom ops"

PARTITIONS = (
    Note(
        r"^(?:cpu|non gpu|None) ops",
        "A part of the graph works on the CPU. " + _OUTSIDE,
        (_ON_THE_GPU,),
    ),
    Note(
        r"^(?:DeviceCopy|cross-device) ops",
        "A part of the graph copies between devices, or reads tensors of two. " + _OUTSIDE,
        (_ON_THE_GPU,),
    ),
    Note(
        r"^(?:unbacked binding ops|uses cudagraph-unsafe unbacked)",
        "A size in this part is known only when it has run. " + _OUTSIDE,
        (
            fix(
                "known_size",
                "Use an operator whose output size is known before, or pad to a fixed size",
                "torch.nonzero_static(mask, size=most)",
            ),
        ),
    ),
    Note(
        r"^dynamic shape ops",
        "`cudagraph_skip_dynamic_graphs` is set, so parts with variable sizes are not recorded. "
        + _OUTSIDE,
        (fix("pad", "Pad to a few fixed sizes, so that the graphs are static"),),
    ),
    Note(
        r"^(?:Conditional|Switch) ops",
        "A branch in this part is decided by the CPU. " + _OUTSIDE,
        (WHERE,),
    ),
    Note(
        r"^custom partition op: (?P<name>[\w.:]+)",
        "`custom_should_partition_ops` keeps `{name}` outside of CUDA graphs. " + NOTHING,
    ),
    Note(
        _UNSAFE + r": (?:aten\.)?_?(?:unsafe_)?index_put",
        "Assigning through a boolean mask needs the number of hits on the CPU. " + _OUTSIDE,
        (MASKED,),
    ),
    Note(
        _UNSAFE + r": while_loop",
        "The rounds of a loop are decided by the CPU. " + _OUTSIDE,
        (FIXED_COUNT,),
    ),
    Note(
        _UNSAFE + r": (?P<name>[\w.:]+)",
        "`{name}` cannot be recorded in a CUDA graph. " + _OUTSIDE,
        (MOVE_OUT,),
    ),
    Note(
        _UNSAFE,
        "An operator here cannot be recorded in a CUDA graph. " + _OUTSIDE,
        (MOVE_OUT,),
    ),
)
