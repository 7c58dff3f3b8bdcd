"""Remedies for tensors that did not fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_tensor import found_class, keys
from compilescope.diagnose.explain_words import Words, bare, dtype
from compilescope.diagnose.remedies.catalogue import offer, otherwise
from compilescope.diagnose.remedies.sizes import compiled, dynamic_true, rank, size, stride, warm_up

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.diagnosis import Remedy


def cast(words: Words) -> list[Remedy]:
    """A dtype."""
    name, target = words.target, dtype(words.required)
    seen = {
        bare(each).lower()
        for one in words.evidence.failures
        for each in (one.required, one.observed)
    }
    if len({"complex" in each for each in seen if each}) > 1:
        return [
            warm_up("Call it once with each dtype at start-up: one graph for each"),
            offer("split_functions", "Or compile one function for real and one for complex input"),
        ]
    if words.evidence.converted:
        return [
            warm_up("Call it once with each dtype of the module at start-up: one graph for each"),
            offer("set_once", "Or convert the module before the first call, and leave it so"),
        ]
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
    name, subject = words.target, words.name or "the tensor"

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
            "Use `torch.no_grad()` instead of `torch.inference_mode()`, where the tensors are "
            "made and at the call",
        ),
        warm_up("Or call it once with an inference tensor and once with a normal one at start-up"),
    ]


def device(words: Words) -> list[Remedy]:
    """Devices."""
    name, where = words.target, _device(words.required)
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
    if re.search(r"(=|^)(0|False)\b", words.required or words.failure.raw) and words.target:
        return [
            both,
            offer(
                "detach",
                f"If no gradient for {words.name} is needed: detach it before the call",
                f"{words.target} = {words.target}.detach()",
            ),
        ]
    return [
        both,
        offer("split_functions", "Or compile one function for training and one for evaluation"),
    ]


def plain_tensor(words: Words) -> Remedy:
    """No subclass."""
    name = words.target
    return offer(
        "plain_tensor",
        f"Pass {words.name or 'the value'} as a plain tensor",
        f"{name} = {name}.as_subclass(torch.Tensor)" if name else "",
    )


def tensor_type(words: Words) -> list[Remedy]:
    """Other classes than tensors."""
    name, subject = words.target, words.name or "the argument"
    kind = found_class(words)
    if kind == "NoneType":
        return always_pass(words)
    if kind in ("int", "float", "bool") or words.observed == "a tensor":
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
    subject, brought = words.name or "the argument", words.observed
    both = f"Call it once with and once without {subject} at start-up: one graph for each"
    if _NUMBER.match(brought):
        neutral = f"Always pass a number for {subject}: one that changes nothing"
    elif brought in _TENSORS or words.failure.kind.startswith("tensor."):
        neutral = (
            f"Always pass a tensor for {subject}: one that changes nothing, such as a mask of "
            "ones, a term of zeros or a cache of length 0"
        )
    else:
        # A name, a tuple, an object: nothing is known that would change nothing.
        return [warm_up(both)]
    return [offer("always_pass", neutral), warm_up(otherwise(both))]


_NUMBER = re.compile(r"-?\d")
_TENSORS = ("", "a tensor", "not None", "Tensor", "Parameter")


def numpy(words: Words) -> list[Remedy]:
    """NumPy values."""
    name, raw = words.target, words.failure.raw
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
    return [*dynamic_true(words), offer("pad", "Pad to one size, or to a few, before the call")]


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
            f"Mark {words.name or 'the tensor'} before the very first call, the same way in "
            "every call",
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
