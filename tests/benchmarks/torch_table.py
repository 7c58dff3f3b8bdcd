"""Write compilescope/lint/torch_table.py from an installed torch: what its functions return.

usage: python tests/benchmarks/torch_table.py > compilescope/lint/torch_table.py

Sources: the type stubs (`_VariableFunctions`, `TensorBase`, `nn.functional`), the operator tags for
data-dependent outputs, `torch._numpy` and the `torch.nn` namespace.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

import torch
import torch._numpy
from torch import nn

ROOT = Path(torch.__file__).parent
LETTERS = {
    "Tensor": "tensor",
    "Self": "tensor",
    "_int": "number",
    "int": "number",
    "_float": "number",
    "float": "number",
    "Number": "number",
    "_complex": "number",
    "_bool": "bool",
    "bool": "bool",
    "Size": "size",
    "_dtype": "dtype",
    "dtype": "dtype",
    "torch.dtype": "dtype",
    "torch.device": "device",
    "_device": "device",
    "device": "device",
    "_layout": "layout",
    "str": "string",
    "None": "none",
}


def kind(annotation: ast.expr | None) -> str:
    """The value kind that a stub's return annotation stands for."""
    if annotation is None:
        return ""
    text = ast.unparse(annotation)
    if text in LETTERS:
        return LETTERS[text]
    if text.startswith(("torch.return_types.", "return_types.")):
        return "tensors"
    if text.startswith(("tuple[", "list[")):
        return "tensors" if "Tensor" in text else ""
    return ""


def functions(body: list[ast.stmt]) -> dict[str, set[str]]:
    """Each function of a stub with the kinds that its overloads return."""
    found: dict[str, set[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found.setdefault(node.name, set()).add(kind(node.returns))
    return found


def attributes(body: list[ast.stmt]) -> dict[str, set[str]]:
    """Each annotated attribute or property of a stub class."""
    found = {}
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = {kind(node.annotation)}
    return found


def stub(path: str) -> ast.Module:
    """A parsed stub of the installed torch."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def only(kinds: dict[str, set[str]]) -> dict[str, list[str]]:
    """Names by kind; a name with several kinds of result is `varies`."""
    table: dict[str, list[str]] = {}
    for name, values in sorted(kinds.items()):
        table.setdefault(values.copy().pop() if len(values) == 1 else "varies", []).append(name)
    return {key: names for key, names in sorted(table.items()) if key}


def tensor_class() -> dict[str, set[str]]:
    """The methods of torch.Tensor, those written in Python included."""
    body = next(
        n.body
        for n in stub("_C/__init__.pyi").body
        if isinstance(n, ast.ClassDef) and n.name == "TensorBase"
    )
    methods = {**attributes(body), **functions(body)}
    for node in ast.parse((ROOT / "_tensor.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == "Tensor":
            for name, values in functions(node.body).items():
                methods.setdefault(name, values)
    return methods


def functional() -> dict[str, set[str]]:
    """The functions of torch.nn.functional, from its stub and its source."""
    found = functions(stub("nn/functional.pyi").body)
    source = ast.parse((ROOT / "nn/functional.py").read_text(encoding="utf-8"))
    for name, values in functions(source.body).items():
        found.setdefault(name, values)
    for name in dir(nn.functional):
        value = getattr(nn.functional, name)
        if callable(value) and not name.startswith("_"):
            found.setdefault(name, {"tensor"} if hasattr(torch, name) else {""})
            operator = inspect.isbuiltin(value) and hasattr(torch._C._nn, value.__name__)
            if operator and found[name] == {""}:  # it has no stub
                found[name] = {"tensor"}
    return found


def tagged(tag: torch.Tag) -> list[str]:
    """Operator names that carry `tag`."""
    names = set()
    for name in dir(torch.ops.aten):
        packet = getattr(torch.ops.aten, name)
        for overload in getattr(packet, "overloads", list)():
            if tag in getattr(packet, overload).tags:
                names.add(name)
    return sorted(names)


def words(name: str, items: list[str], comment: str) -> str:
    """A frozenset of names as source."""
    text = textwrap.fill(" ".join(items), 92, break_on_hyphens=False, break_long_words=False)
    body = textwrap.indent(text, "    ")
    return f'{name} = frozenset(  # {comment}\n    """\n{body}\n    """.split()\n)\n'


def table(name: str, kinds: dict[str, set[str]], comment: str) -> str:
    """A mapping of names to kinds as source."""
    lines = [f"{name}: dict[str, str] = _by_name(  # {comment}\n"]
    for key, names in only(kinds).items():
        text = textwrap.fill(" ".join(names), 88, break_on_hyphens=False, break_long_words=False)
        lines.append(f'    {key}="""\n{textwrap.indent(text, "        ")}\n    """,\n')
    return "".join(lines) + ")\n"


def main() -> None:
    """Print the module."""
    version = ".".join(torch.__version__.split(".")[:2])
    modules = [n for n, v in vars(nn).items() if inspect.isclass(v) and issubclass(v, nn.Module)]
    numpy_names = [n for n in dir(torch._numpy) if not n.startswith("_")]
    print('"""What torch returns. Written by tests/benchmarks/torch_table.py: do not edit."""\n')
    print("from __future__ import annotations\n")
    print(f'TORCH = "{version}"\n\n')
    print("def _by_name(**names: str) -> dict[str, str]:")
    print("    return {name: kind for kind, text in names.items() for name in text.split()}\n\n")
    functions_ = functions(stub("_C/_VariableFunctions.pyi").body)
    for name in (
        "einsum",
        "norm",
        "cdist",
        "stft",
        "istft",
        "split",
        "meshgrid",
        "unique",
        "unique_consecutive",
        "block_diag",
        "cartesian_prod",
        "tensordot",
        "chain_matmul",
        "broadcast_tensors",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
    ):
        functions_.setdefault(
            name, {"tensors" if name in ("split", "meshgrid", "broadcast_tensors") else "tensor"}
        )
    print(table("FUNCTIONS", functions_, "torch.NAME"))
    print(table("METHODS", tensor_class(), "torch.Tensor.NAME, attributes included"))
    print(table("FUNCTIONAL", functional(), "torch.nn.functional.NAME"))
    print(words("MODULES", sorted(modules), "torch.nn.NAME that are modules"))
    print(words("NUMPY", sorted(numpy_names), "numpy.NAME that Dynamo traces"))
    print(words("DYNAMIC_OUTPUT", tagged(torch.Tag.dynamic_output_shape), "operator tag"))
    print(words("DATA_OUTPUT", tagged(torch.Tag.data_dependent_output), "operator tag"), end="")


if __name__ == "__main__":
    main()
