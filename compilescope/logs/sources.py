"""Guard sources, written as the user would write them.

Dynamo names a value by the expression that reads it in the frame (`L['self']._modules['0']`), with
its own accessors between. Here such an expression is read with `ast` and written back as
`self[0]`, and the steps that decide what kind of guard it is are remembered as roles.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

MODULE_DICTS = {"_modules": "module", "_parameters": "parameter", "_buffers": "buffer"}
_SCOPES = {"L", "G", "SYNTHETIC_LOCAL"}
_TRANSPARENT = {  # accessors that give the same value in another form
    "___from_numpy": "numpy",
    "___as_tensor": "",
    "__as_tensor": "",
    "cast_symbool_to_symint_guardless": "",
    "___namedtuple_fields": "",
    "___dataclass_fields": "",
}
_GETTERS = {"__getitem__", "__getattribute__"}
_REPRS = re.compile(
    r"<(?P<enum>[A-Za-z_][\w.]*): [^<>]*>"
    r"|<class '(?P<class>[\w.]+)'>"
    r"|<(?:[\w-]+ )+(?P<named>[A-Za-z_][\w.]*)(?: at 0x[0-9a-f]+)?>"
    r"|<(?P<any>[A-Za-z_][\w.]*) [^<>]*>"
)
_MAY_WARN = re.compile(r"\\|\d[A-Za-z_]")  # strange escapes and numbers; the filter is slow
_SCOPE_TEXT = re.compile(r"""\b[LG]\[(['"])(.*?)\1\]""")
_IMPORTED = re.compile(r"^__import_(\w+)$")


@dataclass(frozen=True)
class Source:
    """A value that a guard looks at.

    Attributes:
        text: The expression as the user would write it.
        root: The name that it starts from.
        scope: `"local"` or `"global"`.
        last: The last step: `"name"`, `"attribute"`, `"item"`, `"module"`, `"parameter"`,
            `"buffer"` or `"other"`.
        name: The last attribute or string key, `""` for others.
        owner: The text of what the last step was taken from.
        owner_last: The last step of that.
        roles: What the path went through: `"closure"`, `"defaults"`, `"class"`, `"numpy"`, ...
        steps: How many steps were taken from the root.
    """

    text: str
    root: str = ""
    scope: str = "local"
    last: str = "other"
    name: str = ""
    owner: str = ""
    owner_last: str = ""
    roles: frozenset[str] = frozenset()
    steps: int = 0


@lru_cache(maxsize=8192)
def read_source(expression: str) -> Source:
    """The value that `expression`, as Dynamo wrote it, stands for."""
    node = parse(expression)
    if node is None:
        return Source(_SCOPE_TEXT.sub(r"\2", expression.strip()))
    return source_of(node)


def parse(expression: str) -> ast.expr | None:
    """The expression's tree, with reprs in `<>` read as names; None where it is no expression."""
    text = expression.strip()
    if not text or len(text) > 20_000:
        return None
    if "<" in text:
        text = _REPRS.sub(_repr_name, text)
    try:
        if _MAY_WARN.search(text) is None:
            return ast.parse(text, mode="eval").body
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def source_of(node: ast.expr) -> Source:
    """The value that a parsed expression stands for."""
    try:
        return _read(node)
    except RecursionError:
        return Source(ast.dump(node)[:200])


def _repr_name(match: re.Match[str]) -> str:
    name = match["enum"] or match["class"] or match["named"] or match["any"]
    return name.strip(".") or "_"


def _read(node: ast.expr) -> Source:
    if isinstance(node, ast.Name):
        return Source(node.id, root=node.id, last="name", name=node.id)
    if isinstance(node, ast.Attribute):
        return _attribute(_read(node.value), node.attr)
    if isinstance(node, ast.Subscript):
        return _subscript(node)
    if isinstance(node, ast.Call):
        return _call(node)
    if isinstance(node, ast.Tuple) and len(node.elts) == 2:
        return _read(node.elts[1])
    return Source(ast.unparse(node))


def _step(base: Source, text: str, last: str, name: str = "", *roles: str) -> Source:
    return Source(
        text,
        root=base.root,
        scope=base.scope,
        last=last,
        name=name,
        owner=base.text,
        owner_last=base.last,
        roles=base.roles.union(roles) if roles else base.roles,
        steps=base.steps + 1,
    )


def _attribute(base: Source, attribute: str) -> Source:
    if attribute == "__code__":
        return _step(base, base.text, base.last, base.name, "code")
    if attribute == "cell_contents":
        return _step(base, f"{base.text}.cell_contents", "attribute", attribute, "closure")
    role = _ATTRIBUTE_ROLES.get(attribute)
    roles = (role,) if role else ()
    return _step(base, f"{base.text}.{attribute}", "attribute", attribute, *roles)


_ATTRIBUTE_ROLES = {
    "__closure__": "closure",
    "__defaults__": "defaults",
    "__kwdefaults__": "defaults",
    "param_groups": "optimizer",
    "default_factory": "factory",
    "environ": "environment",
    "__mro__": "class",
}


def _subscript(node: ast.Subscript) -> Source:
    container = node.value
    key = node.slice
    constant = key.value if isinstance(key, ast.Constant) else None
    if isinstance(container, ast.Name) and container.id in _SCOPES and isinstance(constant, str):
        return _scoped(container.id, constant)
    if isinstance(container, ast.Call):
        found = _subscript_of_call(container, key, constant)
        if found is not None:
            return found
    if isinstance(container, ast.Attribute) and isinstance(constant, str):
        if container.attr in MODULE_DICTS:
            base = _read(container.value)
            last = MODULE_DICTS[container.attr]
            return _step(base, _child(base.text, constant), last, constant, "nn")
        if container.attr == "__dict__":
            base = _read(container.value)
            return _step(base, _dotted(base.text, constant), "attribute", constant)
    return _item(_read(container), key, constant)


def _item(base: Source, key: ast.expr, constant: object) -> Source:
    if base.name == "__mro__":
        return _step(base, base.owner, "other", "", "class")
    roles = ["key"] if _is_key_position(key) else []
    if base.name in {"keywords", "args"} and base.last == "attribute":
        roles.append("partial")
    name = constant if isinstance(constant, str) else ""
    written = _read(key).text if isinstance(key, _SOURCE_NODES) else ast.unparse(key)
    if "builtins" in base.roles and base.last == "name" and name:
        return _step(base, name, "name", name)
    if base.name == "_data" and "environment" in base.roles and isinstance(constant, bytes):
        written = repr(constant.decode(errors="replace"))
        return _step(base, f"{base.owner}[{written}]", "item", "", *roles)
    return _step(base, f"{base.text}[{written}]", "item", name, *roles)


_SOURCE_NODES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def _scoped(scope: str, name: str) -> Source:
    if scope != "G":
        return Source(name, root=name, last="name", name=name)
    imported = _IMPORTED.match(name)
    if imported is not None:
        name = imported[1].replace("_dot_", ".")
        return Source(name, root=name, scope="global", last="name", name=name)
    roles = frozenset({"builtins"}) if name.startswith("__builtins") else frozenset[str]()
    return Source(name, root=name, scope="global", last="name", name=name, roles=roles)


def _subscript_of_call(call: ast.Call, key: ast.expr, constant: object) -> Source | None:
    """`list(dict.keys(d))[1]`, `list(s)[0]` and `dict(type(o).__dict__)['k']`."""
    if not (isinstance(call.func, ast.Name) and len(call.args) == 1):
        return None
    inner = call.args[0]
    if call.func.id == "list":
        keys = _keys_of(inner)
        base = _read(inner if keys is None else keys)
        role = "element" if keys is None else "key"
        return _step(base, f"list({base.text})[{ast.unparse(key)}]", "key", "", role)
    if call.func.id == "dict" and isinstance(inner, ast.Attribute) and inner.attr == "__dict__":
        base = _read(inner.value)
        return _step(base, _dotted(base.text, str(constant)), "attribute", str(constant), "class")
    return None


def _keys_of(node: ast.expr) -> ast.expr | None:
    """`d` of `dict.keys(d)` or `d.keys()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr != "keys":
            return None
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "dict" and node.args:
            return node.args[0]
        if not node.args:
            return node.func.value
    return None


def _is_key_position(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "list"
    )


def _call(node: ast.Call) -> Source:
    function, arguments = node.func, node.args
    if isinstance(function, ast.Name):
        return _call_of_name(function.id, node)
    if isinstance(function, ast.Attribute):
        if function.attr in _GETTERS and len(arguments) == 2:
            if function.attr == "__getitem__":
                key = arguments[1]
                constant = key.value if isinstance(key, ast.Constant) else None
                return _item(_read(arguments[0]), key, constant)
            return _attribute(_read(arguments[0]), _text_of(arguments[1]))
        base = _read(function.value)
        written = ", ".join(ast.unparse(argument) for argument in arguments)
        return _step(base, f"{base.text}.{function.attr}({written})", "other", function.attr)
    if not arguments:  # a weak reference is called for its referent
        return _weak(_read(function))
    return Source(ast.unparse(node))


def _call_of_name(name: str, node: ast.Call) -> Source:
    arguments = node.args
    if name in _TRANSPARENT and len(arguments) == 1:
        base = _read(arguments[0])
        role = _TRANSPARENT[name]
        return _step(base, base.text, base.last, base.name, *((role,) if role else ()))
    if name == "getattr" and len(arguments) >= 2:
        return _attribute(_read(arguments[0]), _text_of(arguments[1]))
    if name == "__import__" and arguments:
        text = _text_of(arguments[0])
        return Source(text, root=text, scope="global", last="name", name=text)
    if name == "___tuple_iterator_getitem" and len(arguments) == 2:
        return _item(_read(arguments[0]), arguments[1], None)
    if name == "type" and len(arguments) == 1:
        base = _read(arguments[0])
        return _step(base, f"type({base.text})", "other", "", "class")
    if len(arguments) == 1 and not node.keywords:
        base = _read(arguments[0])
        return _step(base, f"{name}({base.text})", "other", "")
    return Source(ast.unparse(node))


def _weak(base: Source) -> Source:
    return _step(base, base.text, base.last, base.name, "weak")


def _text_of(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def _dotted(base: str, name: str) -> str:
    return f"{base}.{name}" if name.isidentifier() else f"{base}[{name!r}]"


def _child(base: str, name: str) -> str:
    return f"{base}[{name}]" if name.isdigit() else _dotted(base, name)
