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


_STATIC_ADDRESS = fix(
    "mark_static_address",
    "Keep the tensor in place and say so before the first call",
    "torch._dynamo.mark_static_address(tensor)",
    since="2.1",
    limits="a new tensor at another address is recorded or compiled again",
)

_STEP_BEGIN = fix(
    "mark_step_begin",
    "Mark where each step begins",
    "torch.compiler.cudagraph_mark_step_begin()",
    since="2.2",
)
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
        return _STATIC_MOVED + named, (_KEEP_INPUTS, _STATIC_ADDRESS)
    if "managed" in reason:
        return _MANAGED_MOVED + named, (_CLONE_KEPT, _STEP_BEGIN)
    if "dead indices" in reason:
        drop = fix("drop_outputs", "Drop each step's outputs before the next call")
        return _STILL_ALIVE, (drop, _STEP_BEGIN)
    return _AGAIN, (_KEEP_INPUTS, _STEP_BEGIN)


def overwritten(*, gradient: bool) -> tuple[str, tuple[Remedy, ...]]:
    """Why reading an output failed, and what to do."""
    return _OVERWRITTEN, (_STABLE_GRAD,) if gradient else (_CLONE_KEPT, _STEP_BEGIN)


CUDAGRAPHS = (
    Note(
        r"(?:mutated inputs|input mutation)",
        "The compiled function writes into one of its inputs, which a CUDA graph may not do. "
        + EAGER_LAUNCH,
        (
            fix("clone", "Return a new tensor instead of writing into the input"),
            _STATIC_ADDRESS,
        ),
    ),
    Note(
        r"input storage mutation",
        "The compiled function replaces an input's storage (`set_`), which a CUDA graph may not "
        "do.",
        (fix("copy", "Write with `copy_` into a buffer, or return the new tensor"),),
    ),
    Note(
        r"cpu device(?: \((?P<name>[^)]*)\))?",
        "A tensor on the CPU takes part in this graph. " + EAGER_LAUNCH,
        (
            fix("same_device", "Create or move it on the GPU: `device=x.device`"),
            fix(
                "graph_partition",
                "Or let the parts without CPU work be recorded",
                "torch._inductor.config.graph_partition = True",
                since="2.7",
                limits="on by default since 2.9",
            ),
        ),
    ),
    Note(
        r"multiple devices",
        "Tensors of several devices take part in this graph; a CUDA graph belongs to one. "
        + EAGER_LAUNCH,
        (fix("same_device", "Keep each compiled function on one device"),),
    ),
    Note(
        r"control flow operator:? ?(?P<name>[\w.]*)",
        "The graph holds a control-flow operator, whose branch is chosen by the CPU. "
        + EAGER_LAUNCH,
        (fix("torch_where", "Where both sides are cheap: use `torch.where`"),),
    ),
    Note(
        r"index_put_",
        "Assigning through a boolean mask needs the number of hits on the CPU. " + EAGER_LAUNCH,
        (fix("torch_where", "Write `x = torch.where(mask, value, x)`"),),
    ),
    Note(
        r"incompatible op(?:s)?:? ?\(?(?P<name>[\w.:]*)",
        "The graph holds an operator that cannot be recorded in a CUDA graph. " + EAGER_LAUNCH,
        (fix("move_out", "Move that operator into a compiled function of its own, or outside"),),
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
        "The caching allocator is off (`PYTORCH_NO_CUDA_MEMORY_CACHING`), which CUDA graphs need.",
        (fix("unset", "Remove PYTORCH_NO_CUDA_MEMORY_CACHING from the environment"),),
    ),
    Note(
        r"cpp-wrapper|force_disable_cudagraph|\['mutated|bisector",
        "A setting keeps CUDA graphs off for this graph. " + EAGER_LAUNCH + " " + NOTHING,
    ),
    Note(
        r"max re-recording limit|(?:static input|tensor) data pointer changed",
        "Inputs that should stay in place move from call to call, so the CUDA graph was recorded "
        "again and again and then given up.",
        (
            _KEEP_INPUTS,
            _STATIC_ADDRESS,
        ),
    ),
    Note(
        r"override_cudagraphs",
        "An annotation in the code switches CUDA graphs on or off for this graph. " + NOTHING,
    ),
    Note(
        r"below minimum size",
        "This part has too few kernels for a CUDA graph to gain anything. " + NOTHING,
    ),
    Note(
        r"CUDAGraph supports dynamic shapes.*?observed (?P<count>\d+) distinct sizes",
        "Each input size gets a CUDA graph of its own: {count} so far, each with its memory.",
        (
            fix("pad", "Pad to a few sizes"),
            fix(
                "skip_dynamic",
                "Or use CUDA graphs for fixed sizes only",
                "torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True",
                since="2.4",
                price="variable sizes run without CUDA graphs",
            ),
        ),
    ),
    Note(
        r"CUDAGraph supports dynamic shapes",
        "Each input size gets a CUDA graph of its own, with its memory.",
        (fix("pad", "Pad to a few sizes"),),
    ),
    Note(
        r"Unable to hit fast path of CUDAGraphs",
        "Outputs of the step before still wait for their backward pass, so their memory cannot be "
        "reused and the fast path is not taken.",
        (
            _STEP_BEGIN,
            fix("detach", "In inference: run under `torch.no_grad()`, or detach what you keep"),
        ),
    ),
    Note(
        r"will be copied during cudagraphs",
        "Gradients are copied at each step because they are not at a fixed address.",
        (_STATIC_ADDRESS,),
    ),
    Note(
        r"^cpu ops|^DeviceCopy ops",
        "A part of the graph works on the CPU or copies between devices. That part stays outside "
        "of CUDA graphs and splits the rest.",
        (
            fix(
                "cpu_scalars",
                "Create it on the GPU, or pass a number that you have as a Python value",
                "x = x + torch.tensor(value, device=x.device)",
            ),
        ),
    ),
    Note(
        r"^(?:unbacked binding|dynamic shape) ops|cudagraph-unsafe unbacked",
        "A size in this part is known only when it has run, or is variable where that is excluded. "
        "The part stays outside of CUDA graphs.",
        (fix("pad", "Pad to a fixed size, or use an operator whose output size is known before"),),
    ),
    Note(
        r"^Conditional ops",
        "A branch or a loop in this part is decided by the CPU. The part stays outside of CUDA "
        "graphs.",
        (fix("torch_where", "Where both sides are cheap: use `torch.where`"),),
    ),
    Note(
        r"^custom partition op: (?P<name>[\w.:]*)|^CUDAGraph-unsafe custom ops",
        "An operator here was registered as one that CUDA graphs cannot hold. " + NOTHING,
    ),
    Note(r"Recording cudagraph tree", "A CUDA graph was recorded. " + NOTHING),
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
