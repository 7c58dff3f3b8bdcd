"""What the probe adds to a steady call: with and without it, in turns, in one process.

    python tests/gpu/overhead.py OUT      # runs itself under the probe, leaves OUT/overhead.json

The hook of the probe is taken out of a compiled callable's context and put back between blocks of
calls, so that clock, caches and neighbours are the same for both.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROUNDS = 9


def main() -> None:
    """Run the measurement under the probe, which also times the device."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    session = out / "overhead.cscope.json.gz"
    probe = [sys.executable, "-m", "compilescope", "probe", "-q", "--device-time", "-o"]
    subprocess.run([*probe, str(session), __file__, str(out), "--measure"], check=True)


def measure() -> dict[str, Any]:
    """Microseconds of a call without the probe, and what the probe and the device's time add."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    found: dict[str, Any] = {"torch": torch.__version__, "device": device, "pieces": pieces()}
    one = torch.ones(4)
    trivial = torch.compile(lambda x: x + 1, backend="eager")
    found["trivial, CPU, 1 tensor"] = compare(trivial, (one,), 2000)
    backend = "inductor" if device == "cuda" else "eager"
    size = 6144 if device == "cuda" else 512
    tensors = [torch.randn(size, size, device=device) for _ in range(2)]
    tensors += [torch.randn(size, device=device) for _ in range(4)]
    work = torch.compile(_work, backend=backend)
    with torch.no_grad():
        found[f"five milliseconds, {device}, 6 tensors"] = compare(work, tuple(tensors), 40)
    return found


def _work(x: Any, y: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return ((x @ y + a) * b + c).relu().sum() + d.sum()


def compare(call: Any, args: tuple[Any, ...], calls: int) -> dict[str, Any]:
    """Medians over rounds, each with all three ways in turn; ratios are of the same round."""
    for _ in range(3):
        call(*args)
    hooks, hook, tracker = _probe_of(call)
    clock = tracker._device
    ways: dict[str, list[float]] = {"plain": [], "probed": [], "device time": []}
    for _ in range(ROUNDS):
        hooks.remove(hook)
        ways["plain"].append(_time(call, args, calls))
        hooks.insert(0, hook)
        tracker._device = None
        ways["probed"].append(_time(call, args, calls))
        tracker._device = clock
        ways["device time"].append(_time(call, args, calls))
    plain = ways["plain"]
    result: dict[str, Any] = {"call us": round(statistics.median(plain), 2)}
    for way in ("probed", "device time"):
        added = [own - bare for own, bare in zip(ways[way], plain, strict=True)]
        result[f"{way}: added us"] = round(statistics.median(added), 2)
        share = statistics.median(own / bare for own, bare in zip(ways[way], plain, strict=True))
        result[f"{way}: share"] = f"{share - 1:.2%}"
    return result


def _probe_of(call: Any) -> tuple[list[Any], Any, Any]:
    """The hooks of the context that `call` came from, ours among them, and our tracker."""
    cells = [cell.cell_contents for cell in call.__closure__ or ()]
    context = next(cell for cell in cells if hasattr(cell, "enter_exit_hooks"))
    hooks = context.enter_exit_hooks
    hook = next(one for one in hooks if one.__module__.startswith("_compilescope_agent"))
    held = [cell.cell_contents for cell in hook.__closure__]
    return hooks, hook, next(cell for cell in held if hasattr(cell, "_device"))


def _time(call: Any, args: tuple[Any, ...], calls: int) -> float:
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()
    gc.disable()
    began = time.perf_counter()
    for _ in range(calls):
        call(*args)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    took = time.perf_counter() - began
    gc.enable()
    return took / calls * 1e6


def pieces() -> dict[str, float]:
    """What single steps cost on this machine, in microseconds."""
    import torch

    path = Path(os.environ.get("COMPILESCOPE_RAW", "/tmp"), "pieces.txt")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    x = torch.ones(4, device="cuda" if torch.cuda.is_available() else "cpu")
    steps: dict[str, Any] = {
        "nothing": lambda: None,
        "clock": time.perf_counter_ns,
        "os.write of a line": lambda: os.write(descriptor, b"C 1 1000 1234567890123 12345678\n"),
        "shape, strides, dtype, device, requires_grad": lambda: (
            x.shape, x.stride(), x.dtype, x.device, x.requires_grad,
        ),
    }  # fmt: skip
    found = {name: round(_step(step), 3) for name, step in steps.items()}
    os.close(descriptor)
    if torch.cuda.is_available():
        event = torch.cuda.Event(enable_timing=True)
        found["event recorded"] = round(_step(event.record), 3)
        found["event asked"] = round(_step(event.query), 3)
    return found


def _step(step: Any, times: int = 20_000) -> float:
    began = time.perf_counter()
    for _ in range(times):
        step()
    return (time.perf_counter() - began) / times * 1e6


if __name__ == "__main__":
    if "--measure" in sys.argv:
        text = json.dumps(measure(), indent=1)
        Path(sys.argv[1], "overhead.json").write_text(text + "\n")
        print(text)
    else:
        main()
