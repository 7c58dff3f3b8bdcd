"""Why a tensor did not fit: size, rank, layout, dtype, device, autograd, class, marking."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.diagnose.explain_size import rank, size, stride
from compilescope.diagnose.explain_words import Words, bare, code, dtype, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def data_type(words: Words) -> str:
    """The dtype of a tensor."""
    subject = words.name or "A tensor"
    if words.required and words.observed:
        fact = (
            f"{subject} was {dtype(words.required)} when this graph was compiled; "
            f"{words.call} brought {_dtypes(words)}."
        )
    else:
        fact = f"{subject} came with another dtype."
    return f"{fact} Each dtype needs a graph of its own."


def _dtypes(words: Words) -> str:
    """What the calls brought, in order."""
    brought = [dtype(bare(one.observed)) for one in words.evidence.failures if one.observed]
    return listed(dict.fromkeys(brought or [dtype(words.observed)]))


_DEVICES = {"CPU": "the CPU", "Meta": "the meta device", "CUDA": "a GPU"}
_BACKENDS = ("CPU", "CUDA", "Meta", "XPU", "MPS", "HPU", "XLA", "IPU", "PrivateUse1")
_KEYS = (
    ("Conjugate", "a lazily conjugated tensor", "`conj()` sets a flag instead of computing."),
    ("Negative", "a lazily negated tensor", "The sign is a flag that is resolved later."),
    ("ZeroTensor", "a symbolic zero tensor", "Forward-mode autograd makes those."),
    ("Sparse", "a sparse tensor", "Sparse and dense layouts need different graphs."),
    ("Quantized", "a quantized tensor", "Quantized and plain tensors need different graphs."),
    ("NestedTensor", "a nested tensor", "Nested and dense layouts need different graphs."),
    ("MkldnnCPU", "an MKL-DNN tensor", "Its layout needs a graph of its own."),
    (
        "FuncTorch",
        "a tensor inside a `torch.func` transform",
        "`vmap` and `grad` wrap tensors, so the compiled function sees another kind of tensor.",
    ),
    ("Python", "a tensor subclass", "A subclass needs a graph of its own."),
)


def keys(text: str) -> set[str]:
    """The keys of a dispatch key set as logged."""
    inner = re.sub(r"^\s*DispatchKeySet\(|\)\s*$", "", text)
    return {key.strip() for key in inner.split(",") if key.strip()}


def _backend(keys: set[str]) -> str:
    for key in _BACKENDS:
        if any(one in (key, f"Sparse{key}", f"SparseCsr{key}", f"Quantized{key}") for one in keys):
            return key
    return ""


def dispatch(words: Words) -> str:
    """The dispatch key set: device, laziness, layout, inference mode, transforms."""
    subject = words.name or "A tensor"
    required, observed = keys(words.required), keys(words.observed)
    if not required or not observed:
        return (
            f"{subject} came from another device, layout or mode than this graph was compiled for."
        )
    for key, noun, reason in _KEYS:
        mine = any(one.startswith(key) for one in required)
        theirs = any(one.startswith(key) for one in observed)
        if mine != theirs:
            first, then = (noun, "a plain one") if mine else ("a plain tensor", noun)
            return (
                f"{subject} was {first} when this graph was compiled; {words.call} brought "
                f"{then}. {reason}"
            )
    before, after = _backend(required), _backend(observed)
    if before != after and before and after:
        return (
            f"{subject} was on {_DEVICES.get(before, before)} when this graph was compiled; "
            f"{words.call} brought one on {_DEVICES.get(after, after)}. "
            "Each device needs a graph of its own."
        )
    inference = {"ADInplaceOrView", f"Autograd{before}"}
    if (required ^ observed) & inference:
        kinds = ("a normal tensor", "an inference tensor")
        then, now = kinds if inference & required - observed else kinds[::-1]
        return (
            f"{subject} was {then} when this graph was compiled; {words.call} brought {now}. "
            "Tensors made under `inference_mode` carry no autograd state."
        )
    differing = listed(sorted(required ^ observed))
    return (
        f"{subject} differs in how PyTorch dispatches on it ({differing}), which a graph cannot "
        "span."
    )


def device(words: Words) -> str:
    """The device, or its index."""
    if "DispatchKeySet" in words.required + words.observed:
        return dispatch(words)
    subject = words.name or "A tensor"
    if words.required and words.observed:
        before, after = (
            f"device {value}" if value.lstrip("-").isdigit() else code(value)
            for value in (words.required, words.observed)
        )
        fact = (
            f"{subject} was on {before} when this graph was compiled; {words.call} brought {after}."
        )
    else:
        fact = f"{subject} came from another device."
    return f"{fact} Each device needs a graph of its own."


def requires_grad(words: Words) -> str:
    """Whether autograd records the tensor."""
    subject = words.name or "A tensor"
    text = words.required or words.failure.raw
    if re.search(r"(=|^)(0|False)\b", text):
        return (
            f"{subject} did not require gradients when this graph was compiled; in {words.call} "
            "it does. "
            "A graph with a backward pass is a different graph."
        )
    if re.search(r"(=|^)(1|True)\b", text):
        return (
            f"{subject} required gradients when this graph was compiled; in {words.call} it does "
            "not. "
            "A graph without a backward pass is a different graph."
        )
    return f"{subject} changed whether it requires gradients, and each case has its own graph."


def found_class(words: Words) -> str:
    """The class that the call brought, without its module."""
    found = re.search(r"but found <class '([^']+)'>", words.failure.raw)
    name = found[1] if found else words.observed
    return name.rpartition(".")[2] if re.match(r"^[\w.]+$", name) else ""


def tensor_type(words: Words) -> str:
    """Another Python class where a tensor was expected."""
    subject = words.name or "An argument"
    if words.observed == "a tensor":
        return (
            f"{subject} was {code(words.required)} when this graph was compiled; {words.call} "
            "passed a tensor. The two need different graphs."
        )
    short = found_class(words)
    if not short:
        return f"{subject} was another class of tensor when this graph was compiled."
    if short == "NoneType":
        return (
            f"{subject} was a tensor when this graph was compiled; {words.call} passed `None`. "
            "With and without it are two graphs."
        )
    if short in ("int", "float", "bool", "str"):
        return (
            f"{subject} was a tensor when this graph was compiled; {words.call} passed a Python "
            f"`{short}`. The two need different graphs."
        )
    return (
        f"{subject} had another class when this graph was compiled; {words.call} passed "
        f"`{short}`. A graph is made for one class of tensor."
    )


def numpy(words: Words) -> str:
    """A NumPy array or scalar, which Dynamo turns into a tensor."""
    if "dtype mismatch" in words.failure.raw:
        return data_type(words) + " NumPy values are traced as tensors."
    return mismatch(words)


def metadata(words: Words) -> str:
    """What a tensor subclass says about itself."""
    subject = words.name or "A tensor subclass"
    return (
        f"{subject} carries other metadata than when this graph was compiled. "
        "A wrapper subclass is compiled for exactly one value of its metadata."
    )


def dtensor(words: Words) -> str:
    """Placement, mesh or shape of a DTensor."""
    return (
        f"{words.name or 'A DTensor'} has another mesh, placement or global shape than when this "
        "graph was compiled. Each combination needs a graph of its own."
    )


def grad(words: Words) -> str:
    """`.grad`, set or None."""
    subject = words.source.removesuffix(".grad")
    owner = code(subject + ".grad") if subject else "The gradient of a tensor"
    if "is None" in words.failure.raw or words.required in ("None", "is None"):
        state = "was `None` when this graph was compiled and holds a tensor now"
    else:
        state = "was set in one call and `None` in the other"
    return f"{owner} {state}. `zero_grad()` resets it to `None`, so the state alternates."


def hooks(words: Words) -> str:
    """Hooks on a tensor."""
    return (
        f"The hooks on {words.name or 'a tensor'} changed after this graph was compiled. "
        "Hooks are part of the graph."
    )


_LISTS = {
    "_dynamo_dynamic_indices": "`mark_dynamic`",
    "_dynamo_weak_dynamic_indices": "`maybe_mark_dynamic`",
    "_dynamo_unbacked_indices": "`mark_unbacked`",
    "_dynamo_static_indices": "`mark_static`",
    "_dynamo_unbacked_bounds": "`mark_unbacked`",
    "_dynamo_shape_ids": "`mark_unbacked`",
}


def marking(words: Words) -> str:
    """Dimensions marked differently from the first call."""
    subject = words.name or "A tensor"
    raw = words.failure.raw
    mark = next((text for key, text in _LISTS.items() if key in raw), "`mark_dynamic`")
    if "bounds" in raw or "shape_ids" in raw:
        return (
            f"{subject} was marked with other bounds than when this graph was compiled. "
            f"Bounds given to {mark} are part of the graph."
        )
    if "not a subset" in raw:
        sets = re.search(r"runtime (\{[^}]*\}) is not a subset of compiled (\{[^}]*\})", raw)
        both = f" ({_indices(sets[1])} now, {_indices(sets[2])} then)" if sets else ""
        return (
            f"{subject} has other dimensions marked by {mark} than when this graph was "
            f"compiled{both}."
        )
    return (
        f"{subject} was marked (`mark_dynamic`, `mark_static` or `mark_unbacked`) only after a "
        "graph "
        "had been compiled for the unmarked tensor. A mark must be there at the first call."
    )


def _indices(text: str) -> str:
    inner = text.strip("{}")
    return f"dimension {inner}" if inner.isdigit() else f"dimensions {inner}"


def mismatch(words: Words) -> str:
    """By the mismatch that the text names."""
    for text, explain in (
        ("rank mismatch", rank),
        ("stride mismatch", stride),
        ("dtype mismatch", data_type),
        ("dispatch key", dispatch),
        ("requires_grad", requires_grad),
        ("expected type", tensor_type),
    ):
        if text in words.failure.raw:
            return explain(words)
    return size(words)


SENTENCES: Mapping[str, Callable[[Words], str]] = {
    "tensor.size": size,
    "module.param_shape": size,
    "tensor.nested": size,
    "tensor.rank": rank,
    "tensor.stride": stride,
    "tensor.dtype": data_type,
    "module.dtype": data_type,
    "tensor.dispatch_key": dispatch,
    "tensor.dispatch": dispatch,
    "tensor.layout": dispatch,
    "tensor.device": device,
    "tensor.requires_grad": requires_grad,
    "module.requires_grad": requires_grad,
    "tensor.type": tensor_type,
    "tensor.numpy": numpy,
    "const.numpy": numpy,
    "tensor.subclass_metadata": metadata,
    "tensor.opaque": metadata,
    "tensor.dtensor_spec": dtensor,
    "type.tensor": tensor_type,
    "global.tensor": mismatch,
    "tensor": mismatch,
    "tensor.grad": grad,
    "tensor.hooks": hooks,
    "marking": marking,
}
