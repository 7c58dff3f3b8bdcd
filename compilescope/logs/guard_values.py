"""Which kind a value guard or an identity guard is, by what it looks at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.logs.guard_text import Parts
    from compilescope.logs.sources import Source

_CLOSURE_HINT = re.compile(r'guard on "([^"]+)"')
_NUMBER = re.compile(r"-?\d+")
_FLOAT = re.compile(r"-?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+|inf|nan)")
_COMPLEX = re.compile(r"\(?-?[\d.e+-]*(?:inf|nan)?[+-]?[\d.e+-]*j\)?|\(.*j\)")
_ENUM = re.compile(r"<[\w.]+: .*>", re.DOTALL)
_FORWARD = re.compile(r"^(?:torch_dynamo_resume_in_)?forward(?:_at_\d+)?$")
_STARTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("torch.Size(",), "const.size"),
    (("device(", "torch.device("), "const.device"),
    (("range(",), "container.range"),
    (("slice(",), "const.slice"),
    (("{", "frozenset(", "set("), "container.set"),
    (("[", "(", "deque("), "container.value"),
    (("np.", "numpy.", "dtype("), "const.numpy"),
    (("b'", 'b"'), "const.bytes"),
    (("'", '"'), "const.str"),
)
_LAYOUTS = {
    "strided",
    "sparse_coo",
    "jagged",
    "contiguous_format",
    "channels_last",
    "preserve_format",
    "channels_last_3d",
}
_ATTRIBUTE_KINDS = {
    "const.int": "module.int_attr",
    "const.float": "module.float_attr",
    "const.bool": "module.bool_attr",
    "const.str": "module.str_attr",
}
_FUNCTION_TYPES = {
    "function", "builtin_function_or_method", "method", "method_descriptor", "wrapper_descriptor",
    "method-wrapper", "torch._ops.OpOverload", "torch._ops.OpOverloadPacket", "functools.partial",
}  # fmt: skip
_BUILTIN_CLASSES = {
    "int",
    "float",
    "str",
    "bool",
    "list",
    "dict",
    "tuple",
    "set",
    "complex",
    "bytes",
}


def literal_kind(value: str) -> str:
    """The `const.*` or `container.*` kind of a value by its repr."""
    if value in {"True", "False"}:
        return "const.bool"
    if value == "None":
        return "const.none"
    if _NUMBER.fullmatch(value):
        return "const.int"
    if _FLOAT.fullmatch(value):
        return "const.float"
    if _COMPLEX.fullmatch(value):
        return "const.complex"
    if value.startswith("torch."):
        return "const.layout" if value[6:] in _LAYOUTS else _torch_kind(value)
    for starts, kind in _STARTS:
        if value.startswith(starts):
            return _set_or_dict(value) if value.startswith("{") else kind
    return "const.enum" if _ENUM.fullmatch(value) else "const.object"


def _torch_kind(value: str) -> str:
    if value.startswith("torch.Size("):
        return "const.size"
    return "const.dtype" if re.fullmatch(r"torch\.[a-z]+\d*\w*", value) else "const.object"


def _set_or_dict(value: str) -> str:
    unquoted = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "", value)
    return "container.value" if ":" in unquoted or value == "{}" else "container.set"


def value_kind(source: Source, value: str, parts: Parts) -> str:
    """The kind of `source == value`."""
    literal = literal_kind(value)
    by_role = _role_kind(source)
    if by_role:
        return by_role
    if source.name == "training" and source.last == "attribute" and literal == "const.bool":
        return "module.training"
    if is_module_attribute(source, parts):
        if source.last == "attribute":
            return _ATTRIBUTE_KINDS.get(literal, "module.attr")
        return "module.dict_attr" if literal == "const.int" else literal
    if source.scope == "global" and "nn" not in source.roles:
        return "global"
    if source.last == "attribute":
        bound = source.name in {"start", "stop"} and source.root != "self"
        return "container.range" if bound and literal == "const.int" else "attr.object"
    if source.last == "item" and literal == "const.int":
        return "const.int_in_container"
    return literal


def _role_kind(source: Source) -> str:
    if "optimizer" in source.roles or ("key" in source.roles and ".state[" in source.text):
        return "optimizer"
    for role, kind in (
        ("closure", "closure"),
        ("defaults", "attr.defaults"),
        ("partial", "attr.partial"),
        ("environment", "attr.environ"),
        ("class", "attr.class"),
    ):
        if role in source.roles:
            return kind
    return ""


def is_module_attribute(source: Source, parts: Parts) -> bool:
    """Whether the value hangs on an `nn.Module`, as far as the text shows.

    PyTorch's hint says it, a path that ends in `_modules` says it, and so does a direct attribute
    of `self` in a `forward`.
    """
    if any("of the nn.Module" in hint for hint in parts.hints):
        return True
    if source.last != "attribute":
        return False
    if source.owner_last == "module":
        return True
    frames = (*parts.stack, *((parts.frame,) if parts.frame else ()))
    if source.owner == "self" and source.root == "self":
        return any(_FORWARD.match(frame.function) for frame in frames)
    innermost = parts.stack[-1] if parts.stack else parts.frame
    return (
        innermost is not None
        and _FORWARD.match(innermost.function) is not None
        and re.search(rf"\bself\.{re.escape(source.name)}\b", innermost.code) is not None
    )


def closure_name(source: Source, parts: Parts) -> str:
    """The source's text; a captured variable by its name, where PyTorch gives it."""
    if "closure" in source.roles:
        for hint in parts.hints:
            found = _CLOSURE_HINT.search(hint)
            if found is not None:
                _, _, rest = source.text.rpartition(".cell_contents")
                return found[1] + rest
    return source.text


def identity_kind(source: Source, type_name: str, parts: Parts) -> str:
    """The kind of an identity guard; `""` where the text does not tell more."""
    if any("inline-inbuilt-nn-modules" in hint for hint in parts.hints):
        return "module.id"
    by_role = _role_kind(source)
    if by_role in {"closure", "optimizer", "attr.defaults"}:
        return by_role
    if "factory" in source.roles:
        return "container.defaultdict"
    if source.scope == "global":
        return "global.function"
    if "code" in source.roles or type_name == "code":
        return "id.function_code"
    if type_name == "module":
        return "id.module"
    if source.last == "attribute":
        return "id.attr"
    return _identity_by_type(type_name, parts)


def _identity_by_type(type_name: str, parts: Parts) -> str:
    if type_name in _FUNCTION_TYPES:
        return "id.function"
    if type_name in _BUILTIN_CLASSES or type_name == "type":
        return "id.class"
    if type_name.startswith("numpy."):
        return "id.function" if type_name == "numpy.ufunc" else "const.numpy"
    short = type_name.rpartition(".")[2]
    if short and re.search(rf"\b{re.escape(short)}\.[A-Z]", parts.comment):
        return "const.enum"
    return ""
