"""What counts as compiled, and what does not."""

from __future__ import annotations

import textwrap

import pytest

from compilescope.lint.engine import Project, lint_project, lint_source

ITEM = "return x.sum().item()"


def marked(source, **options):
    """Lines with findings, and the lines that end in `# !`."""
    text = textwrap.dedent(source).lstrip("\n")
    findings = lint_source(text, "code.py", follow=False, **options)
    wanted = {n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# !")}
    return {f.line for f in findings}, wanted


COMPILED = {
    "decorator": """
        import torch
        @torch.compile
        def f(x):
            return x.sum().item()  # !
    """,
    "decorator with options": """
        import torch
        @torch.compile(dynamic=True)
        def f(x):
            return x.sum().item()  # !
    """,
    "call": """
        import torch
        def f(x):
            return x.sum().item()  # !
        g = torch.compile(f)
    """,
    "name from torch": """
        from torch import compile as speed_up
        def f(x):
            return x.sum().item()  # !
        g = speed_up(f)
    """,
    "bound method": """
        import torch
        class Trainer:
            def __init__(self):
                self.step = torch.compile(self._step)
            def _step(self, x):
                return x.sum().item()  # !
    """,
    "module method compile": """
        import torch
        from torch import nn
        class Net(nn.Module):
            def forward(self, x):
                return helper(x)
        def helper(x):
            return x.sum().item()  # !
        net = Net()
        net.compile()
        net(torch.ones(3))
    """,
    "indirect subclass": """
        import torch
        from torch import nn
        class Base(nn.Module):
            pass
        class Net(Base):
            def forward(self, x):
                return self.norm(x)
            def norm(self, x):
                return x.sum().item()  # !
    """,
    "property, nested function, lambda": """
        import torch
        from torch import nn
        class Net(nn.Module):
            def forward(self, x):
                def inner(y):
                    return y.sum().item()  # !
                g = lambda y: y.max().item()  # !
                return inner(x), g(x), self.scale
            @property
            def scale(self):
                return self.w.sum().item()  # !
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.ones(3))
    """,
    "autograd function": """
        import torch
        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * x.sum().item()  # !
            @staticmethod
            def backward(ctx, grad):
                return grad
        @torch.compile
        def f(x):
            return Fn.apply(x)
    """,
    "checkpoint": """
        import torch
        from torch.utils.checkpoint import checkpoint
        def body(x):
            return x * x.sum().item()  # !
        @torch.compile
        def f(x):
            return checkpoint(body, x, use_reentrant=False)
    """,
}

NOT_COMPILED = {
    "plain function": """
        import torch
        def f(x):
            return x.sum().item()
    """,
    "disabled": """
        import torch
        @torch.compiler.disable
        def f(x):
            return x.sum().item()
    """,
    "unused method": """
        import torch
        from torch import nn
        class Net(nn.Module):
            def forward(self, x):
                return x
            @torch.jit.unused
            def report(self, x):
                return x.sum().item()
    """,
    "guarded": """
        import torch
        from torch import nn
        class Net(nn.Module):
            def forward(self, x):
                if not torch.compiler.is_compiling():
                    print(x.sum().item())
                if torch.jit.is_scripting():
                    print(x)
                return x
    """,
    "guarded by a test of the project's own": """
        import torch
        from torch import nn
        _known = getattr(torch.compiler, "is_compiling", None)
        @torch.jit.unused
        def is_compiling():
            return bool(_known()) if _known is not None else False
        class Net(nn.Module):
            def forward(self, x):
                if not is_compiling():
                    print(x.sum().item())
                return x
    """,
    "guarded by a test that adds up several": """
        import torch
        from torch import nn
        def traced(x=None):
            found = torch.compiler.is_compiling() or torch.jit.is_tracing()
            if x is not None:
                found |= stands_in(x)
            return found
        class Net(nn.Module):
            def forward(self, x):
                if not traced(x) and torch.all(x == 1):
                    return None
                return x
    """,
    "what leads to an error": """
        import torch
        from torch import nn
        class Net(nn.Module):
            def forward(self, x):
                if x.dim() != 2:
                    print(x.max().item())
                    raise ValueError("no")
                return x
    """,
    "a forward that compiles something and calls it": """
        import torch
        from torch import nn
        def program(x):
            return x * 2
        def load(cache):
            if "p" not in cache:
                with open("log.txt") as file:
                    print(file.read())
                cache["p"] = torch.compile(program)
            return cache["p"]
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.cache = {}
            def forward(self, x):
                return load(self.cache)(x)
    """,
    "type checking": """
        from typing import TYPE_CHECKING
        from torch import nn
        class Net(nn.Module):
            def forward(self, x):
                if TYPE_CHECKING:
                    print(x)
                return x
    """,
    "constructor": """
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                print("made")
                self.n = torch.ones(3).sum().item()
            def forward(self, x):
                return x * self.n
    """,
    "driver": """
        import torch
        @torch.compile
        def f(x):
            return x * 2
        for _ in range(3):
            print(f(torch.ones(3)).sum().item())
    """,
    "re.compile": """
        import re
        P = re.compile("a")
        def f(x):
            print(x.sum().item())
    """,
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    found, wanted = marked(COMPILED[name])
    assert wanted
    assert found == wanted


@pytest.mark.parametrize("name", NOT_COMPILED)
def test_not_compiled(name):
    assert marked(NOT_COMPILED[name])[0] == set()


@pytest.mark.parametrize("name", ["f", "code:f", "code.py:f", "pkg.code:f"])
def test_named_as_compiled(name):
    source = f"import torch\ndef f(x):\n    {ITEM}\n"
    findings = lint_source(source, "pkg/code.py", compiled=(name,), follow=False)
    assert [f.line for f in findings] == [3]
    assert lint_source(source, "pkg/code.py", compiled=("other:f",), follow=False) == []


def test_factory_gives_the_callable_and_its_arguments():
    source = (
        "import torch\ndef f(x, n):\n    return torch.zeros(n)\n"
        "def make():\n    return f, [(torch.ones(3), torch.tensor(2))]\n"
    )
    assert [f.code for f in lint_source(source, "a.py", compiled=("make()",))] == ["CS128"]
    assert lint_source(source, "a.py", compiled=("f",)) == []


def test_helpers_of_other_files_are_followed():
    sources = {
        "pkg/__init__.py": "",
        "pkg/net.py": (
            "from torch import nn\nfrom .ops import helper\n"
            "class Net(nn.Module):\n    def forward(self, x):\n        return helper(self.fc(x))\n"
            "    def __init__(self):\n        super().__init__()\n"
            "        self.fc = nn.Linear(2, 2)\n"
        ),
        "pkg/ops.py": "def helper(y):\n    return y.sum().item()\n",
    }
    findings = lint_project(Project(sources, follow=False))
    assert [(f.path, f.line) for f in findings] == [("pkg/ops.py", 2)]
    assert lint_project(Project(sources, follow=False), paths=["pkg/net.py"]) == []


def test_severity_tells_the_consequence():
    source = """
        import torch
        @torch.compile{options}
        def f(x):
            print(x)
            for _ in range(3):
                print(x)
            return x
    """
    text = textwrap.dedent(source)
    plain = lint_source(text.format(options=""), "a.py")
    assert [f.severity for f in plain] == ["split", "eager"]
    full = lint_source(text.format(options="(fullgraph=True)"), "a.py")
    assert [f.severity for f in full] == ["raises", "raises"]


@pytest.mark.parametrize(
    ("target", "count"), [((2, 11), 1), ((2, 13), 1), ((2, 14), 0), (((2, 11), (2, 14)), 1)]
)
def test_facts_have_torch_versions(target, count):
    source = "import torch, random\n@torch.compile\ndef f(x):\n    return x * random.random()\n"
    assert len(lint_source(source, "a.py", target_torch=target)) == count


def test_certainty():
    source = """
        import torch
        @torch.compile
        def f(x: torch.Tensor, y, z: torch.Tensor | float):
            if x > 0:
                return y
            if y.unsqueeze(0).sum() > 0:
                return x
            if z > 0:
                return y
            return x
    """
    text = textwrap.dedent(source)
    found = [(f.line, f.certainty) for f in lint_source(text, "a.py")]
    assert found == [(5, "certain"), (7, "likely")]
    assert (9, "possible") in [
        (f.line, f.certainty) for f in lint_source(text, "a.py", pedantic=True)
    ]


def test_a_file_that_is_no_python_stops_nothing():
    project = Project(
        {"a.py": "def (", "b.py": f"import torch\n@torch.compile\ndef f(x):\n    {ITEM}"}
    )
    assert [f.path for f in lint_project(project)] == ["b.py"]
    assert list(project.errors) == ["a.py"]
    with pytest.raises(SyntaxError):
        lint_source("def (", "a.py")


def test_columns_count_characters():
    source = 'import torch\n@torch.compile\ndef f(x):\n    return ("é", x.item())\n'
    (finding,) = lint_source(source, "a.py")
    assert (finding.column, finding.end_column) == (18, 26)


@pytest.mark.parametrize(
    "decorators",
    [
        "@classmethod @contextlib.contextmanager",
        "@classmethod @functools.lru_cache",
        "@property @functools.lru_cache",
        "@property @staticmethod",
        "@torch.compile @classmethod",
    ],
)
def test_decorators_on_decorators(decorators):
    lines = "\n    ".join(decorators.split())
    text = f"""
import contextlib, functools, torch

class Net(torch.nn.Module):
    {lines}
    def scale(self, x=None):
        return self

    def forward(self, x: torch.Tensor):
        with self.scale(x) as y:
            Net.scale(x)
        self.scale
        return {ITEM.removeprefix("return ")}
"""
    assert [f.code for f in lint_source(text, "a.py")] == ["CS120"]


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("if not x.any(): x = x + 1", "split"),
        ("if not (n == 4 and x.any()): raise ValueError", "split"),
        ("x = x if not x.any() else -x", "split"),
        ("assert not x.any() or n", "split"),
        ("n = not x.any()", "eager"),
        ("n = not (n and x.any())", "eager"),
        ("n = n and not x.any()", "eager"),
    ],
)
def test_a_branch_on_not_splits_and_its_value_does_not(body, severity):
    source = f"import torch\n@torch.compile\ndef f(x, n):\n    {body}\n    return x * 2\n"
    found = lint_source(source, "a.py", target_torch=(2, 13))
    assert [f.severity for f in found if f.code == "CS102"] == [severity]


@pytest.mark.parametrize(
    ("head", "call", "fix"),
    [("import random", "random.random()", "safe"), ("from random import random", "random()", "")],
)
def test_a_fix_is_promised_only_where_it_is_made(head, call, fix):
    source = f"{head}\nimport torch\n@torch.compile\ndef f(x):\n    return x * {call}\n"
    (finding,) = lint_source(source, "a.py", target_torch=(2, 13))
    assert (finding.code, finding.fix) == ("CS150", fix)


@pytest.mark.parametrize("place", ["backends/torch.py", "torch.py", "backends/random.py"])
def test_a_loose_file_named_like_a_library_does_not_replace_it(place):
    text = """
        import random
        import torch

        class Net(torch.nn.Module):
            def forward(self, x):
                if x.sum() > 0:
                    random.shuffle(self.order)
                return x
    """
    sources = {"pkg/__init__.py": "", "pkg/net.py": textwrap.dedent(text), place: "x = 1\n"}
    alone = lint_project(Project({"pkg/net.py": sources["pkg/net.py"]}, follow=False))
    findings = lint_project(Project(sources, follow=False))
    assert [(f.line, f.code) for f in findings] == [(f.line, f.code) for f in alone]
    assert "CS101" in {f.code for f in findings}
