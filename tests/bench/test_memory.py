"""Memory of a step on a GPU, with torch's counters stood in for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

AGENT = Path(__file__).parents[2] / "compilescope" / "bench" / "agent"
CODE = """
import contextlib, sys, types
sys.path.insert(0, sys.argv[1])
import torch
cuda = torch.cuda
cuda.synchronize = cuda.reset_peak_memory_stats = lambda: None
cuda.memory_allocated, cuda.max_memory_allocated = lambda: 100, lambda: 130
cuda.memory_snapshot = lambda: [
    {"total_size": 1000, "segment_pool_id": (0, 0)},
    {"total_size": 2000, "segment_pool_id": (0, 1)},
    {"total_size": 4000, "segment_pool_id": (0, 1)},
]
from _compilescope_bench.memory import peak
plain = types.SimpleNamespace(items=[], step=None, graphed=False)
graphed = types.SimpleNamespace(items=[], step=None, graphed=True)
device = types.SimpleNamespace(type="cuda")
print([peak(one, device, contextlib.nullcontext) for one in (plain, graphed)])
"""


def test_a_cuda_graph_holds_what_its_pool_has_reserved():
    command = [sys.executable, "-c", CODE, str(AGENT)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[30, 6030]\n"
