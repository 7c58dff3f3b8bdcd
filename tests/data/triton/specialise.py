"""Compiles a kernel for eight specialisations, without a GPU; for Triton 3.9 and its H100 target.

    TRITON_CACHE_DIR=$(mktemp -d) PYTHONPATH=compilescope/probe/agent COMPILESCOPE_RAW=OUT \
        python tests/data/triton/specialise.py
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

DIVISIBLE = [["tt.divisibility", 16]]
TYPES = {"x": "*fp32", "out": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}
TARGET = GPUTarget("cuda", 90, 32)


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):  # noqa: N803  as Triton writes it
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + index, tl.load(x + index, mask=index < n) * factor, mask=index < n)


def build(divisible: str = "x out n", block: int = 128, warps: int = 4, **types: str) -> None:
    """Compile `scale` as a launch with such arguments would."""
    signature = {**TYPES, **types}
    names = list(TYPES)
    constants = {(4,): block}
    if signature["n"] == "constexpr":
        constants[2,] = 1
    attrs = {(names.index(name),): DIVISIBLE for name in divisible.split()}
    source = ASTSource(scale, signature, constants, attrs)
    triton.compile(source, target=TARGET, options={"num_warps": warps})


build()  # n = 4096
build("x out")  # n = 1000
build("x out", n="constexpr")  # n = 1
build("out")  # n = 1000, x[1:]
build(block=256)
build(block=512)
build(warps=8)
build(x="*fp16", out="*fp16")
build()  # once more: from Triton's cache
