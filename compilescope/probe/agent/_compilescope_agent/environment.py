"""What this process runs on: versions, devices, and the settings of the compiler."""

from __future__ import annotations

import json
import os
import platform
import sys
from typing import TYPE_CHECKING, Any

from .process import variables

if TYPE_CHECKING:
    from types import ModuleType

    from .record import Record

DYNAMO = (
    "recompile_limit",
    "cache_size_limit",
    "accumulated_recompile_limit",
    "accumulated_cache_size_limit",
    "automatic_dynamic_shapes",
    "assume_static_by_default",
    "capture_scalar_outputs",
    "capture_dynamic_output_shape_ops",
    "allow_unspec_int_on_nn_module",
    "force_parameter_static_shapes",
    "force_nn_module_property_static_shapes",
    "specialize_float",
    "specialize_int",
    "suppress_errors",
    "fail_on_recompile_limit_hit",
    "guard_nn_modules",
    "nested_graph_breaks",
    "compiled_autograd",
    "optimize_ddp",
    "caching_precompile",
)
INDUCTOR = ("triton.cudagraphs", "max_autotune", "fx_graph_cache", "graph_partition", "freezing")
SHAPES = ("use_duck_shape", "backed_size_oblivious")
PACKAGES = ("triton", "transformers", "diffusers", "vllm", "lightning", "torchvision", "numpy")


def note_torch(torch: ModuleType, record: Record) -> None:
    """Note which torch was imported, and where the trace of this process goes."""
    version: Any = getattr(torch, "version", None)
    record.note(
        "torch",
        version=str(getattr(torch, "__version__", "")),
        cuda=str(getattr(version, "cuda", None) or getattr(version, "hip", None) or ""),
        folder=os.path.dirname(getattr(torch, "__file__", "") or ""),
        trace=os.environ.get("TORCH_TRACE", ""),
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        cpu_count=os.cpu_count(),
        singletons={str(id(one)): repr(one) for one in (None, True, False)},
        variables=variables(),
    )


def note_first_call(record: Record) -> None:
    """Note the settings and devices, which a program has chosen by its first compiled call."""
    modules = sys.modules
    config: dict[str, str] = {}
    for prefix, name, keys in (
        ("dynamo", "torch._dynamo.config", DYNAMO),
        ("inductor", "torch._inductor.config", INDUCTOR),
        ("shapes", "torch.fx.experimental._config", SHAPES),
    ):
        config.update(_settings(prefix, modules.get(name), keys))
    config.update(_around_the_call())
    record.note("settings", config=config, devices=_devices(), packages=_packages(), rank=_rank())


def _settings(prefix: str, module: Any, keys: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key in keys:
        value: Any = module
        try:
            if _is_deprecated(module, key):
                continue
            for part in key.split("."):
                value = getattr(value, part)
            found[f"{prefix}.{key}"] = json.dumps(value)
        except Exception:  # noqa: BLE001, S112  settings come and go between versions
            continue
    return found


def _around_the_call() -> dict[str, str]:
    """The stance and the dispatch modes that the first call was made under, where not the usual."""
    found = {}
    dynamo: Any = sys.modules.get("torch._dynamo.eval_frame")
    stance = getattr(getattr(dynamo, "_stance", None), "stance", "default")
    if stance != "default":
        found["dynamo.stance"] = json.dumps(str(stance))
    dispatch: Any = sys.modules.get("torch.utils._python_dispatch")
    active = getattr(dispatch, "_get_current_dispatch_mode_stack", list)
    if names := [type(mode).__name__ for mode in active()]:
        found["modes"] = json.dumps(names)
    return found


def _is_deprecated(module: Any, key: str) -> bool:
    # Reading such a setting makes torch print a warning that the program did not ask for.
    entry = getattr(module, "_config", {}).get(key)
    return (
        any(name.startswith("deprecat") and value for name, value in vars(entry).items())
        if hasattr(entry, "__dict__")
        else False
    )


def _devices() -> list[str]:
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    # Asking would initialise CUDA, which the program may not want, or not yet.
    if cuda is None or not cuda.is_initialized():
        return []
    return [str(cuda.get_device_name(index)) for index in range(cuda.device_count())]


def _packages() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if isinstance(version, str):
            found[name] = version
    return found


def _rank() -> int | None:
    text = os.environ.get("RANK", "")
    return int(text) if text.isdigit() else None
