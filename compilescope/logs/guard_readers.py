"""How the fields of a guard failure are taken from its text: tensors, sizes and global state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.logs import guard_shapes, sources
from compilescope.logs.sources import Source, read_source

if TYPE_CHECKING:
    from compilescope.logs.guard_text import Parts


@dataclass(frozen=True)
class Fields:
    """What a rule's reader found."""

    kind: str
    source: str = ""
    dimension: int | None = None
    required: str = ""
    observed: str = ""
    hint: str = ""


Match = re.Match[str]

_DTYPES = {
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
    "UInt16": "uint16", "UInt32": "uint32", "UInt64": "uint64", "Half": "float16",
    "Float": "float32", "Double": "float64", "BFloat16": "bfloat16", "Bool": "bool",
    "ComplexHalf": "complex32", "ComplexFloat": "complex64", "ComplexDouble": "complex128",
    "Float8_e5m2": "float8_e5m2", "Float8_e4m3fn": "float8_e4m3fn",
    "Float8_e5m2fnuz": "float8_e5m2fnuz", "Float8_e4m3fnuz": "float8_e4m3fnuz",
    "Float8_e8m0fnu": "float8_e8m0fnu", "Float4_e2m1fn_x2": "float4_e2m1fn_x2",
    "QInt8": "qint8", "QUInt8": "quint8", "QInt32": "qint32",
    "c10::Half": "float16", "c10::BFloat16": "bfloat16", "signed char": "int8",
    "unsigned char": "uint8", "short int": "int16", "long int": "int64",
}  # fmt: skip
_CLASS = re.compile(r"<class '([^']*)'>")
_BY_PARAMETER = {
    "tensor.size": "module.param_shape",
    "tensor.rank": "module.param_shape",
    "tensor.stride": "module.param_shape",
    "tensor.requires_grad": "module.requires_grad",
    "tensor.dtype": "module.dtype",
}
_BY_GLOBAL = {"tensor.size", "tensor.rank", "tensor.stride"}


def bare(kind: str, _match: Match, _parts: Parts) -> Fields:
    """A text that names nothing but its kind."""
    return Fields(kind)


def source_only(kind: str, match: Match, _parts: Parts) -> Fields:
    """A text that names only its source."""
    return Fields(kind, read_source(match["s"]).text)


def function_expected(kind: str, match: Match, _parts: Parts) -> Fields:
    """An accessor met something that is no Python function."""
    return Fields(kind, read_source(match["s"]).text, required="a Python function")


def source_required(kind: str, match: Match, _parts: Parts) -> Fields:
    """A source and what is required of it."""
    return Fields(kind, read_source(match["s"]).text, required=match["a"])


def tensor(kind: str, match: Match, parts: Parts) -> Fields:
    """`tensor 'x' <property> mismatch ... expected a, actual b`: both sides are given."""
    source = read_source(match["s"])
    groups = match.groupdict()
    dimension = int(groups["d"]) if groups.get("d") else None
    required, observed = _both_sides(kind, match["a"], groups.get("b") or "")
    refined = _tensor_kind(kind, source, parts)
    if refined in {"tensor.numpy", "global.tensor", "module.param_shape"}:
        what = kind.removeprefix("tensor.")
        required, observed = f"{what} {required}", f"{what} {observed}"
    return Fields(refined, source.text, dimension, required, observed)


def _both_sides(kind: str, expected: str, actual: str) -> tuple[str, str]:
    if kind == "tensor.requires_grad":
        wanted = expected.lower() in {"1", "true"}
        return f"requires_grad={wanted}", f"requires_grad={not wanted}"
    if kind == "tensor.dtype":
        return _dtype(expected), _dtype(actual)
    return expected.strip(), actual.strip()


def _dtype(name: str) -> str:
    name = name.strip().rstrip(".")
    return f"torch.{_DTYPES[name]}" if name in _DTYPES else name


def _tensor_kind(kind: str, source: Source, parts: Parts) -> str:
    if "numpy" in source.roles:
        return "tensor.numpy"
    guarded_parameter = any("Guard failed on a parameter" in hint for hint in parts.hints)
    if guarded_parameter or source.last == "parameter":
        return _BY_PARAMETER.get(kind, kind)
    if kind in _BY_GLOBAL and is_plain_global(source):
        return "global.tensor"
    return kind


def is_plain_global(source: Source) -> bool:
    """Whether a value hangs on a global name, but not on a module that one holds."""
    return source.scope == "global" and "nn" not in source.roles


_WORDS = {"strides": "stride", "dispatch key set": "dispatch_key", "Tensor device index": "device"}


def tensor_cut(_kind: str, match: Match, parts: Parts) -> Fields:
    """A tensor text whose end is cut off: the property is known, the sides are not."""
    source = read_source(match["s"])
    kind = f"tensor.{_WORDS.get(match['w'], match['w'])}"
    return Fields(_tensor_kind(kind, source, parts), source.text)


def tensor_type(kind: str, match: Match, _parts: Parts) -> Fields:
    """A tensor of one class was expected; the class that came is given."""
    source = read_source(match["s"])
    found = _CLASS.sub(r"\1", match["b"]).rstrip(".")
    if source.last == "parameter":
        kind = "module.param_none"
    elif source.name == "grad" and source.last == "attribute":
        kind = "tensor.grad"
    wanted = _CLASS.search(match["a"])
    plain = "a subclass of torch.Tensor" if found == "torch.Tensor" else "a tensor"
    return Fields(kind, source.text, required=wanted[1] if wanted else plain, observed=found)


def duplicates(kind: str, match: Match, _parts: Parts) -> Fields:
    """`Duplicate tensors found: ["x", "y"], ...`."""
    groups = re.findall(r'\[((?:"(?:[^"\\]|\\.)*"(?:, )?)+)\]', match["groups"])
    named = [re.findall(r'"((?:[^"\\]|\\.)*)"', group) for group in groups]
    written = [[read_source(name).text for name in names] for names in named]
    first = written[0][0] if written else ""
    same = "; ".join(" is ".join(names) for names in written)
    return Fields(kind, first, required="distinct tensors", observed=same)


def duplicate(kind: str, match: Match, _parts: Parts) -> Fields:
    """The old form, which names one of the tensors."""
    text = read_source(match["s"].strip("'")).text
    return Fields(kind, text, required="distinct tensors", observed=f"{text} is passed twice")


_STATE_KINDS = {
    "grad_mode": "grad_mode",
    "autocast_cache_enabled": "autocast_cache",
    "torch_function": "torch_function",
    "deterministic_algorithms": "deterministic",
    "deterministic_algorithms_warn_only": "deterministic",
    "allow_tf32": "allow_tf32",
    "cuda_matmul_precision": "allow_tf32",  # its name since 2.15
    "allow_fp16_reduce": "allow_fp16_reduce",
    "allow_bf16_reduce": "allow_bf16_reduce",
    "num_threads": "num_threads",
    "default_dtype": "default_dtype",
}


def global_state(kind: str, match: Match, _parts: Parts) -> Fields:
    """`GLOBAL_STATE changed: a b `: the settings that changed, not their values."""
    tokens = match["tokens"].split()
    if len(tokens) > 1:
        return Fields("global_state.multiple", observed=", ".join(tokens))
    if not tokens:
        return Fields(kind)
    token = tokens[0]
    name = _STATE_KINDS.get(token, "")
    if token.startswith("autocast") and not name:
        name = "autocast_dtype" if token.endswith("_dtype") else "autocast"
    return Fields(f"{kind}.{name}" if name else kind, observed=token)


def state_value(kind: str, match: Match, _parts: Parts) -> Fields:
    """A global setting and the value that the graph requires."""
    return Fields(kind, required=match["a"])


def backend(kind: str, match: Match, _parts: Parts) -> Fields:
    """Both backends are described."""
    return Fields(kind, required=match["a"], observed=match["b"], hint=match["hint"])


def lifetime(kind: str, match: Match, _parts: Parts) -> Fields:
    """Something was freed."""
    source = read_source(match["s"])
    return Fields(kind, source.text, required="alive", observed="deallocated")


def marking_new(kind: str, match: Match, _parts: Parts) -> Fields:
    """A tensor carries a mark that it did not carry."""
    name = match.groupdict().get("n")
    observed = name.removeprefix("_dynamo_") if name else "dimensions marked"
    return Fields(kind, required="no dimension marked", observed=observed)


def marking(kind: str, match: Match, _parts: Parts) -> Fields:
    """Marked dimensions or bounds differ; the C++ text does not name the tensor."""
    observed = match.groupdict().get("b") or ""
    name = match["n"].removeprefix("_dynamo_")
    return Fields(
        kind,
        required=f"{name} {match['a']}",
        observed=f"{name} {observed}".strip() if observed else "",
    )


def marking_old(kind: str, match: Match, parts: Parts) -> Fields:
    """The Python form of the marking guard."""
    return Fields(kind, read_source(match["s"]).text, required=parts.code)


def missing(kind: str, match: Match, _parts: Parts) -> Fields:
    """A key or index that the graph reads is not there: an observation."""
    return Fields(kind, read_source(match["s"]).text, required="present", observed="missing")


def overlap(kind: str, match: Match, _parts: Parts) -> Fields:
    """Which tensors share memory."""
    named = [read_source(name).text for name in match["a"].split(", ") if name]
    apart = [read_source(name).text for name in match["b"].split(", ") if name]
    required = f"{', '.join(named) or 'none'} overlap"
    if apart:
        required += f"; {', '.join(apart)} do not"
    return Fields(kind, (named or apart or [""])[0], required=required)


_SYMBOL_NOTES = ("duck sizing added", "(unknown var ", "(unknown source ")


_ZERO_ONE = {"shape.range": "shape.zero_one", "const.int_range": "const.int_zero_one"}
_LARGEST_32_BIT = 2**31 - 1


def _only_zero_one(found: guard_shapes.Shape) -> bool:
    """Whether the bound 2 is the only one that a program meets.

    Inductor adds an upper bound of 32-bit indexing to sizes, which is none of the user's.
    """
    if found.operations or set(found.relations) != {"<="} or found.constants[:1] != [2]:
        return False
    return all(constant >= _LARGEST_32_BIT for constant in found.constants[1:])


def _by_default(comment: str, *, sized: bool) -> bool:
    """Whether the bound is PyTorch's own: it says so, or, before 2.5, no place made it."""
    return "0/1 specialization" in comment or (sized and not _MADE_BY.search(comment))


_MADE_BY = re.compile(r"\([^()]*\.py:\d+ in ")


def _relates_symbols(found: guard_shapes.Shape, comment: str) -> bool:
    return len(found.atoms) > 1 and any(note in comment for note in _SYMBOL_NOTES)


def shape(_kind: str, _match: Match, parts: Parts) -> Fields | None:
    """A relation over sizes or symbolic numbers."""
    node = sources.parse(parts.code)
    found = guard_shapes.read_shape(node) if node is not None else None
    if found is None:
        return None
    comment = parts.comment
    sized = any(atom.what for atom in found.atoms)
    symbolic = sized or bool(found.operations) or found.relations != ["=="]
    if not symbolic and not _relates_symbols(found, comment):
        return None  # a plain value
    kind = guard_shapes.kind_of(found)
    if "duck sizing added" in comment:
        kind = "shape.duck"
    elif "exclusion guard for automatic dynamic" in comment:
        kind = "shape.exclusion"
    elif _only_zero_one(found) and _by_default(comment, sized=sized):
        kind = _ZERO_ONE.get(kind, kind)
    subject = found.atoms[0]
    return Fields(kind, subject.source.text, subject.dimension, found.text)
