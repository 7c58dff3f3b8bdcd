"""Whose code a path is."""

from __future__ import annotations

import pytest

from compilescope.model import Frame
from compilescope.paths import is_interpreter, is_library, may_be_torch, own_frame

VENV = "/home/u/.venv/lib/python3.12/site-packages"


@pytest.mark.parametrize(
    ("path", "interpreter", "library"),
    [
        ("/home/u/project/train.py", False, False),
        ("train.py", False, False),
        ("C:\\work\\train.py", False, False),
        ("/home/u/torch/nn.py", True, True),  # looks like torch's own
        ("/home/u/lib/torch_utils/model.py", False, False),
        ("/tmp/ipykernel_12/345.py", False, False),
        ("<ipython-input-3-abc>", False, False),
        ("<frozen os>", True, True),
        ("<string>", True, True),
        (f"{VENV}/transformers/modeling.py", False, True),
        (f"{VENV}/torch/nn/modules/linear.py", True, True),
        (f"{VENV}/torch_geometric/nn/conv.py", False, True),
        ("/usr/lib/python3/dist-packages/numpy/core.py", False, True),
        ("/usr/local/lib/python3.11/copy.py", True, True),
        ("C:\\Python311\\Lib\\copy.py", True, True),
        ("C:\\Python311\\Lib\\site-packages\\diffusers\\unet.py", False, True),
        ("/src/compilescope/bench/agent/_compilescope_bench/subject.py", True, True),
        ("/src/compilescope/bench/agent/bench_child.py", True, True),
        ("/src/compilescope/probe/agent/_compilescope_agent/overlay_calls.py", True, True),
        ("/src/compilescope/mitigations/cache.py", False, False),
    ],
)
def test_paths_are_told_apart(path: str, *, interpreter: bool, library: bool):
    assert (is_interpreter(path), is_library(path)) == (interpreter, library)


def frames(*paths: str) -> list[Frame]:
    return [Frame(path, line, "f") for line, path in enumerate(paths, 1)]


def test_the_innermost_frame_of_the_user_is_theirs():
    stack = frames("/p/train.py", "/p/model.py", f"{VENV}/einops/e.py", f"{VENV}/torch/nn/m.py")
    assert own_frame(stack) == stack[1]


def test_an_installed_model_comes_before_torch_and_python():
    stack = frames(
        f"{VENV}/transformers/bert.py", f"{VENV}/torch/nn/m.py", "/usr/lib/python3.12/copy.py"
    )
    assert own_frame(stack) == stack[0]


def test_torch_alone_is_better_than_nothing():
    stack = frames(f"{VENV}/torch/optim/adam.py")
    assert own_frame(stack) == stack[0]
    assert own_frame([]) is None


def test_what_pytorch_leaves_of_its_own_paths():
    assert all(
        map(may_be_torch, ["nn/modules/linear.py", "_dynamo/output_graph.py", "optim/sgd.py"])
    )
    assert not any(map(may_be_torch, ["t/net.py", "model/net.py", "net.py"]))
