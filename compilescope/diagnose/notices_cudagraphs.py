"""CUDA graphs that were skipped or recorded again: why, and whether to act."""

from __future__ import annotations

from dataclasses import dataclass

from compilescope.diagnosis import Remedy

NOTHING = "There is nothing to do."
EAGER_LAUNCH = "These kernels are launched one by one, as without cudagraphs."


@dataclass(frozen=True)
class Note:
    """What one text means."""

    pattern: str
    why: str
    remedies: tuple[Remedy, ...] = ()


def fix(
    name: str, text: str, snippet: str = "", *, since: str = "", price: str = "", limits: str = ""
) -> Remedy:
    """A remedy for what a notice says."""
    return Remedy(name, text, snippet, since=since, price=price, limits=limits)


STATIC_ADDRESS = fix(
    "mark_static_address",
    "Keep the tensor in place and say so before the first call",
    "torch._dynamo.mark_static_address(tensor)",
    since="2.1",
    limits="a new tensor at another address is recorded or compiled again",
)

STEP_BEGIN = fix(
    "mark_step_begin",
    "Mark where each step begins",
    "torch.compiler.cudagraph_mark_step_begin()",
    since="2.2",
)
PAD = fix("pad", "Pad to a few sizes")
WHERE = fix("torch_where", "Where both sides are cheap: use `torch.where`")
FIXED_COUNT = fix(
    "fixed_count", "Where the number of rounds is known: a Python `for`, which is unrolled"
)
MOVE_OUT = fix("move_out", "Move that operator into a compiled function of its own, or outside")
MASKED = fix("torch_where", "Write `x = torch.where(mask, value, x)`")
_ON_THE_GPU = (
    fix("same_device", "Create it on the GPU, or move it there before: `device=x.device`"),
    fix(
        "graph_partition",
        "Or let the parts without CPU work be recorded",
        "torch._inductor.config.graph_partition = True",
        since="2.7",
        limits="on by default since 2.9",
    ),
)

CUDAGRAPHS = (
    Note(
        r"(?:mutated inputs|input mutation)",
        "The compiled function writes into one of its inputs, which a CUDA graph may not do. "
        + EAGER_LAUNCH,
        (
            fix("clone", "Return a new tensor instead of writing into the input"),
            STATIC_ADDRESS,
        ),
    ),
    Note(
        r"input storage mutation",
        "The compiled function replaces an input's storage (`set_`), which a CUDA graph may not "
        "do.",
        (fix("copy", "Write with `copy_` into a buffer, or return the new tensor"),),
    ),
    Note(
        r"cpu device \((?P<name>[^)]+)\)",
        "A tensor on the CPU takes part in this graph; PyTorch calls it `{name}`. " + EAGER_LAUNCH,
        _ON_THE_GPU,
    ),
    Note(
        r"cpu device",
        "A tensor on the CPU takes part in this graph. " + EAGER_LAUNCH,
        _ON_THE_GPU,
    ),
    Note(
        r"multiple devices: device\(type='(?!cuda)(?P<name>\w+)'[^)]*\)$",
        "This graph runs on `{name}`, for which PyTorch has no CUDA graphs. " + NOTHING,
    ),
    Note(
        r"multiple devices",
        "Tensors of several devices take part in this graph; a CUDA graph belongs to one. "
        + EAGER_LAUNCH,
        (fix("same_device", "Keep each compiled function on one device"),),
    ),
    Note(
        r"control flow operator: (?P<name>torch\.while_loop)",
        "The graph holds `{name}`, whose rounds are decided by the CPU. " + EAGER_LAUNCH,
        (FIXED_COUNT,),
    ),
    Note(
        r"control flow operator: (?P<name>[\w.]*\w)",
        "The graph holds `{name}`, whose branch is chosen by the CPU. " + EAGER_LAUNCH,
        (WHERE,),
    ),
    Note(
        r"index_put_",
        "Assigning through a boolean mask needs the number of hits on the CPU. " + EAGER_LAUNCH,
        (MASKED,),
    ),
    Note(
        r"incompatible op \(?(?P<name>[\w.:]+)",
        "The graph holds `{name}`, which cannot be recorded in a CUDA graph. " + EAGER_LAUNCH,
        (MOVE_OUT,),
    ),
    Note(
        r"incompatible op",
        "The graph holds an operator that cannot be recorded in a CUDA graph. " + EAGER_LAUNCH,
        (MOVE_OUT,),
    ),
    Note(
        r"complex memory overlap",
        "Elements of an input overlap in memory, as the windows of `unfold` or `as_strided` do. "
        + EAGER_LAUNCH,
        (
            fix(
                "contiguous",
                "Copy that input before the call",
                "x = x.clone(memory_format=torch.contiguous_format)",
                price="a copy of the tensor",
            ),
        ),
    ),
    Note(
        r"non-Tensor inputs",
        "An input of the graph is neither a tensor nor an integer, a float for instance. "
        + EAGER_LAUNCH,
        (
            fix(
                "as_tensor",
                "Pass that number as a tensor on the GPU",
                "scale = torch.tensor(scale, device=x.device)",
            ),
        ),
    ),
    Note(
        r"user CUDA MemPool contexts",
        "The function allocates from a `MemPool` of its own, and a CUDA graph has its own pool. "
        + EAGER_LAUNCH,
        (fix("no_pool", "Leave `torch.cuda.use_mem_pool` out of the compiled function"),),
    ),
    Note(
        r"sparsity not handled",
        "Sparse weights are not supported in CUDA graphs. " + EAGER_LAUNCH + " " + NOTHING,
    ),
    Note(
        r"symbolic shapes inputs",
        "`cudagraph_skip_dynamic_graphs` is set, so graphs with variable sizes are not recorded. "
        + EAGER_LAUNCH,
        (fix("pad", "Pad to a few fixed sizes, so that the graphs are static"),),
    ),
    Note(
        r"requires the caching allocator",
        "The caching allocator is off, which CUDA graphs need. " + EAGER_LAUNCH,
        (
            fix(
                "unset",
                "Remove PYTORCH_NO_CUDA_MEMORY_CACHING from the environment, and "
                "`caching_allocator_enable(False)` from the code",
            ),
        ),
    ),
    Note(
        r"cpp-wrapper",
        "PyTorch's C++ wrapper does not know graph partitions yet, so CUDA graphs are off. "
        + EAGER_LAUNCH,
        (
            fix(
                "no_partition",
                "Record whole graphs",
                "torch._inductor.config.graph_partition = False",
                limits="graphs with CPU work are then not recorded at all",
            ),
        ),
    ),
    Note(
        r"force_disable_cudagraph|bisector",
        "A setting keeps CUDA graphs off for this graph. " + EAGER_LAUNCH + " " + NOTHING,
    ),
    Note(
        r"override_cudagraphs",
        "An annotation in the code switches CUDA graphs on or off for this graph. " + NOTHING,
    ),
    Note(
        r"below minimum size",
        "This part has fewer kernels than `cudagraph_min_partition_size` asks for. " + NOTHING,
    ),
    Note(
        r"CUDAGraph supports dynamic shapes.*?observed (?P<count>\d+) distinct sizes",
        "Each input size gets a CUDA graph of its own, with its memory: {count} when PyTorch "
        "warned.",
        (
            PAD,
            fix(
                "skip_dynamic",
                "Or use CUDA graphs for fixed sizes only",
                "torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True",
                since="2.4",
                price="variable sizes run without CUDA graphs",
            ),
            fix(
                "limit_sizes",
                "Or record only so many sizes",
                "torch._inductor.config.triton.cudagraph_dynamic_shape_rerecord_limit = 8",
                since="2.15",
                price="other sizes run without CUDA graphs",
            ),
        ),
    ),
    Note(
        r"CUDAGraph supports dynamic shapes",
        "Each input size gets a CUDA graph of its own, with its memory.",
        (PAD,),
    ),
    Note(
        r"Unable to hit fast path of CUDAGraphs",
        "Outputs of the step before still wait for their backward pass, so their memory cannot be "
        "reused and the fast path is not taken.",
        (
            STEP_BEGIN,
            fix("detach", "In inference: run under `torch.no_grad()`, or detach what you keep"),
        ),
    ),
    Note(
        r"will be copied during cudagraphs",
        "Where CUDA graphs are used, gradients are copied at each step, because they are not at a "
        "fixed address.",
        (STATIC_ADDRESS,),
    ),
    Note(r"Recording cudagraph tree", "A CUDA graph was recorded. " + NOTHING),
)
