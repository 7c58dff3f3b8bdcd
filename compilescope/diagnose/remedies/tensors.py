"""Remedies for tensors that did not fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_tensor import found_class, is_parameter, keys
from compilescope.diagnose.explain_words import Words, dtype
from compilescope.diagnose.remedies.catalogue import offer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.diagnosis import Remedy


def compiled(words: Words, arguments: str) -> str:
    """A torch.compile line for the user's function."""
    name = words.function
    if name in ("", "forward") or not name.isidentifier():
        name = "model"
    return f"{name} = torch.compile({name}, {arguments})"


def dynamic_true(words: Words) -> list[Remedy]:
    """`dynamic=True`, where it is not given yet."""
    if words.evidence.options.get("dynamic", "").lower() == "true":
        return []
    return [
        offer(
            "dynamic_true",
            "Compile with `dynamic=True`, so sizes and numbers are variable from the start",
            compiled(words, "dynamic=True"),
        )
    ]


def dynamic_sources(words: Words) -> list[Remedy]:
    """The environment variable that needs no edit, for plain arguments."""
    plain = words.variable.isidentifier() and words.failure.kind.startswith(("tensor.", "const."))
    if not plain or "__" in words.failure.raw.split("#")[0]:
        return []
    return [
        offer(
            "dynamic_sources",
            f"Without touching the code: name `{words.variable}` in an environment variable",
            f"TORCH_COMPILE_DYNAMIC_SOURCES=\"L['{words.variable}']\"",
        )
    ]


def warm_up(text: str) -> Remedy:
    """Compile at start-up what will be needed."""
    return offer("warm_up", text)


def mark(words: Words, how: str) -> str:
    """A mark_dynamic or mark_unbacked line for the dimension that differed."""
    if not words.variable or words.failure.dimension is None:
        return ""
    path = (
        "torch._dynamo.mark_dynamic"
        if how == "dynamic"
        else "torch._dynamo.decorators.mark_unbacked"
    )
    return f"{path}({words.variable}, {words.failure.dimension})"


def size(words: Words) -> list[Remedy]:
    """Sizes."""
    if is_parameter(words):
        return _parameter(words)
    special = {words.required, words.observed} & {"0", "1"}
    if special:
        return zero_one(words, words.name)
    found = []
    if words.evidence.options.get("dynamic", "").lower() == "false":
        found.append(
            offer(
                "drop_dynamic_false",
                "Remove `dynamic=False`: the dimension then becomes variable at its first change",
                compiled(words, "dynamic=None"),
            )
        )
    elif not words.crosses_break:
        where = words.failure.dimension
        dimension = "the dimension" if where is None else f"dimension {where}"
        found.append(
            offer(
                "mark_dynamic",
                f"Mark {dimension} of {words.name or 'the tensor'} dynamic before the first call",
                mark(words, "dynamic"),
            )
        )
    found += dynamic_true(words)
    found.append(offer("pad", "Pad to one size, or to a few, before the call"))
    return found + ([] if words.crosses_break else dynamic_sources(words))


def zero_one(words: Words, subject: str) -> list[Remedy]:
    """Sizes 0 and 1."""
    where = "" if words.failure.dimension is None else f"dimension {words.failure.dimension} of "
    return [
        offer(
            "mark_unbacked",
            f"Mark {where}{subject or 'the tensor'} unbacked before the first call: "
            "one graph then serves 0 and 1 too",
            mark(words, "unbacked"),
        ),
        offer("avoid_zero_one", "Never send 0 or 1: pad to 2, or drop the leftover batch"),
        warm_up("Call it once with size 0, once with 1 and once with a larger size at start-up"),
    ]


def _parameter(words: Words) -> list[Remedy]:
    return [
        offer(
            "force_parameter_static_shapes",
            "Let parameter sizes be variable, before the first compile",
            "torch._dynamo.config.force_parameter_static_shapes = False",
        ),
        offer(
            "isolate_recompiles",
            "Give each module its own cache, so that one does not use up the other's limit",
            compiled(words, "isolate_recompiles=True"),
        ),
        warm_up("Call each module once at start-up: one graph for each width is needed"),
    ]


def rank(words: Words) -> list[Remedy]:
    """Number of dimensions."""
    snippet, name = "", words.variable
    if name and words.required.isdigit() and words.observed.isdigit():
        excess = int(words.observed) - int(words.required)
        if excess < 0:
            snippet = f"{name} = {name}" + ".unsqueeze(0)" * -excess
        else:
            snippet = f"{name} = {name}.flatten(0, {excess})"
    target = f"{words.required} dimensions" if words.required not in ("", "1") else "one rank"
    return [
        offer(
            "same_rank", f"Bring {words.name or 'the tensor'} to {target} before the call", snippet
        ),
        warm_up("Or call it once with each rank at start-up: one graph for each"),
    ]


def stride(words: Words) -> list[Remedy]:
    """Layout in memory."""
    name, subject = words.variable, words.name or "the tensor"
    contiguous = offer(
        "contiguous",
        f"Make {subject} contiguous before the call",
        f"{name} = {name}.contiguous()" if name else "",
    )
    clone = offer(
        "clone",
        f"Copy {subject} before the call, which gives it the standard layout",
        f"{name} = {name}.clone(memory_format=torch.contiguous_format)" if name else "",
    )
    after = words.after()
    shape = after.shape if after and after.shape else ()
    unsure = {0, 1} & set(shape) or (not shape and "0" in (words.required, words.observed))
    found = [clone, contiguous] if unsure else [contiguous, clone]
    if len(shape) == 4:
        found.append(
            offer(
                "channels_last",
                f"Or keep {subject} in `channels_last` for every call",
                f"{name} = {name}.contiguous(memory_format=torch.channels_last)" if name else "",
            )
        )
    return found


def cast(words: Words) -> list[Remedy]:
    """dtype."""
    name, target = words.variable, dtype(words.required)
    return [
        offer(
            "cast_dtype",
            f"Convert {words.name or 'the tensor'} to one dtype before the call",
            f"{name} = {name}.to(torch.{target})" if name and target else "",
        ),
        warm_up("Or call it once with each dtype at start-up: one graph for each"),
    ]


def dispatch(words: Words) -> list[Remedy]:
    """Dispatch keys."""
    differing = keys(words.required) ^ keys(words.observed)
    name, subject = words.variable, words.name or "the tensor"

    def assign(expression: str) -> str:
        return f"{name} = {name}{expression}" if name else ""

    if "Conjugate" in differing:
        return [
            offer(
                "resolve",
                f"Resolve the conjugation of {subject} before the call",
                assign(".resolve_conj()"),
            )
        ]
    if "Negative" in differing:
        return [
            offer(
                "resolve",
                f"Resolve the negation of {subject} before the call",
                assign(".resolve_neg()"),
            )
        ]
    if any(key.startswith("FuncTorch") for key in differing):
        return functorch(words)
    if any("Sparse" in key for key in differing):
        return [
            offer("to_dense", f"Make {subject} dense before the call", assign(".to_dense()")),
            offer("split_functions", "Or compile one function for sparse and one for dense input"),
        ]
    if any(key.startswith("Python") for key in differing):
        return [plain_tensor(words)]
    if differing & {"CPU", "CUDA", "Meta", "XPU", "MPS", "HPU", "XLA"}:
        return device(words)
    return [
        offer(
            "no_grad",
            "Use `torch.no_grad()` instead of `torch.inference_mode()`, where the tensors are made and at the call",
        ),
        warm_up("Or call it once with an inference tensor and once with a normal one at start-up"),
    ]


def device(words: Words) -> list[Remedy]:
    """Devices."""
    name, where = words.variable, _device(words.required)
    return [
        offer(
            "same_device",
            f"Move {words.name or 'the tensor'} to one device before the call",
            f'{name} = {name}.to("{where}")' if name and where else "",
        ),
        offer(
            "isolate_recompiles",
            "Or compile once for each device, each with its own cache",
            compiled(words, "isolate_recompiles=True"),
        ),
        warm_up("Or call it once on each device at start-up: one graph for each"),
    ]


def _device(text: str) -> str:
    if "," in text:
        return next((key.lower() for key in ("CPU", "CUDA", "XPU", "MPS") if key in keys(text)), "")
    return f"cuda:{text}" if text.isdigit() else text.strip("'\"")


def functorch(words: Words) -> list[Remedy]:
    """torch.func transforms."""
    name = words.function if words.function.isidentifier() else "f"
    return [
        offer(
            "compile_outside",
            "Compile the transformed function instead of transforming the compiled one",
            f"{name} = torch.compile(torch.vmap({name}))",
        )
    ]


def requires_grad(words: Words) -> list[Remedy]:
    """requires_grad."""
    both = warm_up("Call it once with and once without gradients at start-up: one graph for each")
    if re.search(r"(=|^)(0|False)\b", words.required or words.failure.raw) and words.variable:
        return [
            both,
            offer(
                "detach",
                f"If no gradient for {words.name} is needed: detach it before the call",
                f"{words.variable} = {words.variable}.detach()",
            ),
        ]
    return [
        both,
        offer("split_functions", "Or compile one function for training and one for evaluation"),
    ]


def plain_tensor(words: Words) -> Remedy:
    """No subclass."""
    name = words.variable
    return offer(
        "plain_tensor",
        f"Pass {words.name or 'the value'} as a plain tensor",
        f"{name} = {name}.as_subclass(torch.Tensor)" if name else "",
    )


def tensor_type(words: Words) -> list[Remedy]:
    """Other classes than tensors."""
    name, subject = words.variable, words.name or "the argument"
    kind = found_class(words)
    if kind == "NoneType":
        return always_pass(words)
    if kind in ("int", "float", "bool"):
        text = f"Always pass {subject} as a tensor"
        return [offer("pass_as_tensor", text, f"{name} = torch.as_tensor({name})" if name else "")]
    if kind == "Parameter":
        return [
            offer(
                "detach",
                f"Pass {subject} without its Parameter class",
                f"{name} = {name}.detach()" if name else "",
            ),
            warm_up("Or call it once with each class at start-up: one graph for each"),
        ]
    return [plain_tensor(words), warm_up("Or call it once with each class at start-up")]


def always_pass(words: Words) -> list[Remedy]:
    """None in some calls."""
    subject = words.name or "the argument"
    return [
        offer(
            "always_pass",
            f"Always pass a tensor for {subject}: one that changes nothing, such as ones",
        ),
        warm_up(f"Or call it once with and once without {subject} at start-up: one graph for each"),
    ]


def numpy(words: Words) -> list[Remedy]:
    """NumPy values."""
    name, raw = words.variable, words.failure.raw
    if "dtype mismatch" in raw:
        target = dtype(words.required)
        snippet = (
            f"{name} = torch.as_tensor({name}, dtype=torch.{target})" if name and target else ""
        )
        return [offer("cast_dtype", f"Pass {words.name or 'it'} as a tensor of one dtype", snippet)]
    if "rank mismatch" in raw:
        return rank(words)
    if "stride mismatch" in raw:
        return stride(words)
    return dynamic_true(words) + [offer("pad", "Pad to one size, or to a few, before the call")]


def metadata(words: Words) -> list[Remedy]:
    """Subclass metadata."""
    return [
        offer(
            "same_metadata", f"Give {words.name or 'the tensor'} the same metadata in every call"
        ),
        warm_up("Or call it once with each variant at start-up: one graph for each"),
    ]


def dtensor(words: Words) -> list[Remedy]:
    """DTensor."""
    return [
        offer(
            "same_metadata",
            f"Redistribute {words.name or 'the DTensor'} to one placement before the call",
        ),
        warm_up("Or call it once with each placement at start-up: one graph for each"),
    ]


def grad(words: Words) -> list[Remedy]:
    """`.grad`."""
    del words
    return [
        warm_up("Run two training steps at start-up: the state of `.grad` then repeats"),
        offer(
            "keep_gradients",
            "Or keep gradients as zeros instead of `None`",
            "optimizer.zero_grad(set_to_none=False)",
        ),
    ]


def hooks(words: Words) -> list[Remedy]:
    """Tensor hooks."""
    return [
        offer(
            "build_first", f"Register hooks on {words.name or 'the tensor'} before the first call"
        )
    ]


def marking(words: Words) -> list[Remedy]:
    """Marks."""
    return [
        offer(
            "mark_first",
            f"Mark {words.name or 'the tensor'} before the very first call, the same way in every call",
        )
    ]


def global_tensor(words: Words) -> list[Remedy]:
    """A tensor in a global."""
    pass_it = offer("pass_as_argument", f"Pass {words.name or 'the tensor'} as an argument")
    return [*for_mismatch(words), pass_it]


def for_mismatch(words: Words) -> list[Remedy]:
    """By the mismatch that the text names."""
    raw = words.failure.raw
    for text, find in (
        ("rank mismatch", rank),
        ("stride mismatch", stride),
        ("dtype mismatch", cast),
        ("dispatch key", dispatch),
        ("requires_grad", requires_grad),
        ("expected type", tensor_type),
    ):
        if text in raw:
            return find(words)
    return size(words)


REMEDIES: Mapping[str, Callable[[Words], list[Remedy]]] = {
    "tensor.size": size,
    "tensor.nested": size,
    "module.param_shape": size,
    "tensor.rank": rank,
    "tensor.stride": stride,
    "tensor.dtype": cast,
    "module.dtype": cast,
    "tensor.dispatch_key": dispatch,
    "tensor.device": device,
    "tensor.requires_grad": requires_grad,
    "module.requires_grad": requires_grad,
    "tensor.type": tensor_type,
    "type.tensor": tensor_type,
    "tensor.numpy": numpy,
    "const.numpy": numpy,
    "tensor.subclass_metadata": metadata,
    "tensor.opaque": metadata,
    "tensor.dtensor_spec": dtensor,
    "tensor.grad": grad,
    "tensor.hooks": hooks,
    "tensor": for_mismatch,
    "global.tensor": global_tensor,
    "marking": marking,
}
