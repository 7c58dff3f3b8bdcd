"""Why nothing was compiled, where the session tells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from compilescope.model import (
    Called,
    Compiled,
    CudaGraphed,
    Errored,
    Event,
    GraphBroke,
    KernelCompiled,
    Session,
    Warned,
)

_OFF = ("TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE")
_EAGER_STANCES = ("force_eager", "eager_on_recompile")
_MODE = re.compile(r"(\w*(?:DispatchMode|CounterMode|FunctionMode)\w*)")


def nothing(session: Session) -> str:
    """One or two sentences: nothing was compiled, and for what reason."""
    if session.source != "probe" and any(map(_of_a_compile, session.events)):
        return "Something was compiled; the log does not tell which functions."
    launched = [event for event in session.events if isinstance(event, KernelCompiled)]
    interpreted = {event.name for event in launched if event.interpreted}
    if interpreted and len(interpreted) == len({event.name for event in launched}):
        ran = "1 Triton kernel" if len(interpreted) == 1 else f"{len(interpreted)} Triton kernels"
        return f"`torch.compile` compiled nothing; {ran} ran in Python (`TRITON_INTERPRET=1`)."
    own = {event.name for event in launched}
    if own:
        kernels = "1 Triton kernel" if len(own) == 1 else f"{len(own)} Triton kernels"
        return f"`torch.compile` compiled nothing; the run compiled {kernels} of its own."
    reasons = (_without_torch, _switched_off, _failed, _skipped, _empty, _warned, _ran_eagerly)
    why = next((text for find in reasons if (text := find(session))), "")
    if why:
        return f"Nothing was compiled: {why}"
    if session.callables:
        return "Nothing was compiled: the compiled functions were never called."
    return "Nothing was compiled."


def _of_a_compile(event: Event) -> bool:
    """Whether only a compile, or what it made, writes such a message."""
    hints = ("perf_hint", "cudagraph", "cudagraph_skip")
    return isinstance(event, CudaGraphed) or (isinstance(event, Warned) and event.kind in hints)


def _switched_off(session: Session) -> str:
    environment = session.environment
    for name in _OFF:
        if environment.variables.get(name) == "1":
            return f"the environment variable `{name}=1` switches the compiler off."
    config = {key.rpartition(".")[2]: value for key, value in environment.config.items()}
    if config.get("disable") == "true":
        return "`torch._dynamo.config.disable` is set."
    for stance in _EAGER_STANCES:
        if stance in config.get("stance", ""):
            return f"the stance was `{stance}` (`torch.compiler.set_stance`)."
    if named := re.findall(r"[^\W_]\w*", config.get("modes", "")):
        verb = "were" if len(named) > 1 else "was"
        return f"{_names(named)} {verb} active, under which PyTorch skips compiled functions."
    return ""


def _without_torch(session: Session) -> str:
    if session.source == "probe" and session.processes and not session.environment.torch:
        return "torch was never imported, or the interpreter was told to ignore `PYTHONPATH`."
    return ""


def _failed(session: Session) -> str:
    compiles = [event for event in session.events if isinstance(event, Compiled)]
    errors = [event for event in session.events if isinstance(event, Errored)]
    failed = [event for event in compiles if event.outcome == "failed"]
    if failed and len(failed) == len(compiles):
        every = "the only attempt" if len(failed) == 1 else f"all {len(failed)} attempts"
        return f"{every} to compile raised an error."
    if errors and not compiles:
        return "an error was raised before a compile succeeded."
    return ""


def _skipped(session: Session) -> str:
    breaks = [
        event for event in session.events if isinstance(event, GraphBroke) and event.whole_frame
    ]
    skipped = [
        event
        for event in session.events
        if isinstance(event, Compiled) and event.outcome == "skipped"
    ]
    if breaks:
        names = _names(event.frame.function for event in breaks)
        return f"a graph break makes {names} run eagerly as a whole."
    if skipped:
        names = _names(event.frame.function for event in skipped)
        return f"PyTorch left {names} to Python."
    return ""


def _empty(session: Session) -> str:
    compiles = [event for event in session.events if isinstance(event, Compiled)]
    if not compiles or any(event.outcome != "empty" for event in compiles):
        return ""
    names = _names(event.frame.function for event in compiles)
    return (
        f"in the calls that were made, {names} did no work on tensors, so every graph was empty "
        "and was thrown away."
    )


def _warned(session: Session) -> str:
    for event in session.events:
        if isinstance(event, Warned) and (mode := _MODE.search(event.text)):
            return f"`{mode[1]}` was active, under which PyTorch skips compiled functions."
    return ""


def _ran_eagerly(session: Session) -> str:
    calls = Counter(event.callable for event in session.events if isinstance(event, Called))
    if not calls:
        return ""
    total = sum(calls.values())
    made = "the only call" if total == 1 else f"all {total:,} calls"
    return (
        f"{made} of compiled functions ran eagerly. Usual reasons: a mode was active around the "
        "call (a `TorchDispatchMode` such as `FlopCounterMode`), the stance is `force_eager`, or "
        "the function does no work on tensors."
    )


def _names(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(f"`{name}`" for name in names if name))
    if not distinct:
        return "the function"
    if len(distinct) > 3:
        return f"{', '.join(distinct[:3])} and {len(distinct) - 3} more"
    return " and ".join((", ".join(distinct[:-1]), distinct[-1])) if distinct[1:] else distinct[0]
