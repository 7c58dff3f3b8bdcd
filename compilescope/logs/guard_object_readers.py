"""How the fields of a guard failure are taken from its text: values, containers and objects."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from compilescope.logs import sources
from compilescope.logs.guard_readers import Fields, Match, is_plain_global
from compilescope.logs.guard_values import closure_name, identity_kind, value_kind
from compilescope.logs.sources import Source, read_source

if TYPE_CHECKING:
    from compilescope.logs.guard_text import Parts

_CLASS = re.compile(r"<class '([^']*)'>")


def identity(kind: str, match: Match, parts: Parts) -> Fields:
    """`___check_obj_id(S, id), type=T`."""
    source = read_source(match["s"])
    written = match["type"] or ""
    found = _CLASS.search(written)
    name = found[1] if found else written
    kind = identity_kind(source, name, parts) or kind
    required = f"the same object ({name})" if name else "the same object"
    return Fields(kind, closure_name(source, parts), required=required, observed="another object")


_SCALARS = {"int", "float", "str", "bool", "complex", "bytes", "NoneType"}
_CONTAINERS = {
    "list",
    "tuple",
    "dict",
    "set",
    "frozenset",
    "range",
    "slice",
    "torch.Size",
    "mappingproxy",
    "dict_keys",
    "dict_values",
    "dict_items",
}
_CALLABLES = {
    "function",
    "builtin_function_or_method",
    "method",
    "functools.partial",
    "type",
    "method-wrapper",
}


def type_of(kind: str, match: Match, parts: Parts) -> Fields:
    """`___check_type_id(S, id), type=T`: the class that the graph requires."""
    source = read_source(match["s"])
    found = _CLASS.search(match["type"] or "")
    name = found[1] if found else (match["type"] or "")
    if not name:
        name = next((h[5:] for h in parts.hints if h.startswith("type ")), "")
    if kind == "type.object":
        kind = _type_kind(name, source)
    return Fields(
        kind, closure_name(source, parts), required=name, observed="another type" if name else ""
    )


def _type_kind(name: str, source: Source) -> str:
    if name in _SCALARS or name.startswith("numpy."):
        return "type.scalar"
    if name in _CONTAINERS or name.startswith("collections."):
        return "type.container"
    if name in _CALLABLES:
        return "type.callable"
    if name.startswith(("torch.nn.modules.", "torch.ao.nn.")) or source.last == "module":
        return "type.module"
    if name.startswith("torch.nested.") or name in {"torch.Tensor", "torch.nn.parameter.Parameter"}:
        return "type.tensor"
    return "type.object"


def dict_contains(kind: str, match: Match, _parts: Parts) -> Fields:
    """`___dict_contains(key, dict)`; a dict may be an object's or a module's."""
    node = sources.parse(f"f({match['k']}, {match['s']})")
    if not isinstance(node, ast.Call) or len(node.args) != 2:
        return Fields(kind)
    key, holder = node.args
    present = not match["not"]
    required, observed = ("present", "missing") if present else ("absent", "present")
    written = ast.unparse(key)
    if isinstance(holder, ast.Attribute) and isinstance(key, ast.Constant):
        owner, name = sources.source_of(holder.value).text, str(key.value)
        if holder.attr == "__dict__":
            kind = "attr.missing" if present else "attr.not_present"
            return Fields(kind, f"{owner}.{name}", required=required, observed=observed)
        if holder.attr in sources.MODULE_DICTS:
            kind = "module.missing" if present else "module.added"
            return Fields(kind, f"{owner}.{name}", required=required, observed=observed)
    source = sources.source_of(holder).text
    return Fields(kind, source, required=f"{written} {required}", observed=f"{written} {observed}")


def set_contains(kind: str, match: Match, _parts: Parts) -> Fields:
    """`set.__contains__(s, item)`."""
    required, observed = ("absent", "present") if match["not"] else ("present", "missing")
    item = match["k"]
    return Fields(
        kind,
        read_source(match["s"]).text,
        required=f"{item} {required}",
        observed=f"{item} {observed}",
    )


def has_attribute(kind: str, match: Match, _parts: Parts) -> Fields:
    """`not hasattr(o, 'k')`."""
    required, observed = ("absent", "present") if match["not"] else ("present", "missing")
    return Fields(
        kind,
        f"{read_source(match['s']).text}.{match['k'][1:-1]}",
        required=required,
        observed=observed,
    )


def key_at(kind: str, match: Match, _parts: Parts) -> Fields:
    """The key at one position."""
    source = read_source(match["s"])
    return Fields(kind, source.text, required=f"{match['a']} as key {match['i']}")


def keys(kind: str, match: Match, _parts: Parts) -> Fields:
    """All keys."""
    return Fields(kind, read_source(match["s"]).text, required=f"keys {match['a']}")


def element_at(kind: str, match: Match, _parts: Parts) -> Fields:
    """An element of a set, at its position."""
    return Fields(
        kind, read_source(match["s"]).text, required=f"{match['a']} as element {match['i']}"
    )


def nan_required(kind: str, match: Match, _parts: Parts) -> Fields:
    """The graph was compiled with NaN."""
    return Fields(kind, read_source(match["s"]).text, required="nan", observed="not nan")


def nan_forbidden(kind: str, match: Match, _parts: Parts) -> Fields:
    """The graph was compiled without NaN."""
    return Fields(kind, read_source(match["s"]).text, required="not nan", observed="nan")


_BY_HOLDER = {"_modules": "children", "_parameters": "params", "_buffers": "buffers"}


def length(kind: str, match: Match, _parts: Parts) -> Fields:
    """`len(x) == n`, or `len(d) != n`, which is printed for dicts and states what was seen."""
    source = read_source(match["s"])
    return Fields(_length_kind(kind, source), _holder(source), required=f"len {match['a']}")


def empty(kind: str, match: Match, _parts: Parts) -> Fields | None:
    """`not xs`: compiled with an empty sequence."""
    source = read_source(match["s"])
    if source.last == "other":
        return None
    return Fields(_length_kind(kind, source), _holder(source), required="len 0")


def _holder(source: Source) -> str:
    return source.owner if source.name in _BY_HOLDER else source.text


def _length_kind(kind: str, source: Source) -> str:
    if source.name in _BY_HOLDER:
        return f"module.{_BY_HOLDER[source.name]}"
    if source.name.endswith("_hooks"):
        return "module.hooks"
    if "optimizer" in source.roles or ("key" in source.roles and ".state[" in source.text):
        return "optimizer"
    return kind


def old_property(kind: str, match: Match, _parts: Parts) -> Fields | None:
    """`str(x.dtype) == 'torch.float32'`."""
    return Fields(kind, read_source(match["s"]).text, required=match["a"].strip("'"))


def none(kind: str, match: Match, parts: Parts) -> Fields:
    """`x is None`."""
    source = read_source(match["s"])
    if source.name == "grad" and source.last == "attribute":
        kind = "tensor.grad"
    elif source.last == "parameter":
        kind = "module.param_none"
    elif "closure" in source.roles:
        kind = "closure"
    elif is_plain_global(source):
        kind = "global"
    return Fields(kind, closure_name(source, parts), required="None", observed="not None")


def not_none(kind: str, match: Match, _parts: Parts) -> Fields:
    """`x is not None`."""
    source = read_source(match["s"])
    if source.name == "grad" and source.last == "attribute":
        kind = "tensor.grad"
    return Fields(kind, source.text, required="not None", observed="None")


def same_object(kind: str, match: Match, parts: Parts) -> Fields | None:
    """`x is y`."""
    if sources.parse(match["s"]) is None or sources.parse(match["a"]) is None:
        return None
    first, second = (closure_name(read_source(match[name]), parts) for name in ("s", "a"))
    return Fields(kind, first, required=f"the same object as {second}", observed="another object")


def constant_subclass(kind: str, match: Match, _parts: Parts) -> Fields:
    """`int(n) == 2`: n is of a subclass of int."""
    return Fields(kind, read_source(match["s"]).text, required=match["a"])


def value(_kind: str, match: Match, parts: Parts) -> Fields | None:
    """`S == repr`: a plain value, classified by the source and by the value."""
    split = _split_equality(match["all"])
    if split is None:
        return None
    source = read_source(split[0])
    return Fields(
        value_kind(source, split[1], parts), closure_name(source, parts), required=split[1]
    )


_EQUALS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"| == """, re.DOTALL)


def _split_equality(text: str) -> tuple[str, str] | None:
    """Source and value around the first `==` that no string contains."""
    for token in _EQUALS.finditer(text):
        if token[0] == " == ":
            return text[: token.start()], text[token.end() :]
    return None
