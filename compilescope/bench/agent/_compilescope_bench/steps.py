"""One measured step of the eager or the compiled variant: call, backward, optimizer."""

from __future__ import annotations

from typing import Any

from .library import torch
from .record import Problem, told
from .subject import Input, Subject, copied, tensors_in
from .tensors import leaves, mark, padded, varying

_RATE = 1e-6  # of the learning rate: thousands of steps must leave the numbers ordinary
_GRAPHED = ("reduce-overhead", "max-autotune")  # modes with CUDA graphs


class Variant:
    """Eager or compiled: calls, with all that belongs to a step."""

    def __init__(self, name: str, call: Any, subject: Subject) -> None:
        self.name = name
        self.call = call
        self.items: list[list[Input]] = [list(case.inputs) for case in subject.cases]
        self.graphed = False
        self.anew = False  # each call gets a copy of its input, made before its time begins
        self._subject = subject
        self._optimizer: Any = None
        self._step: Any = None
        self._leaves: list[Any] | None = None
        self._gradients: dict[Any, Any] = {}

    def step(self, item: Input) -> None:
        """What is timed."""
        if self.graphed:
            torch.compiler.cudagraph_mark_step_begin()
        if not self._subject.train:
            self._subject.call(self.call, item)
            return
        self.clear()
        self.backward(self._subject.call(self.call, item))
        if self._step is not None:
            self._step()

    def input(self, item: Input) -> Input:
        """What `step` is to be given for `item`."""
        return copied(item) if self.anew else item

    def clear(self) -> None:
        """Forget the gradients."""
        for leaf in self._leaves or ():
            leaf.grad = None

    def backward(self, result: Any) -> None:
        """Run the backward of `result`: of its loss, or of gradients that were drawn once."""
        loss = self.loss(result)
        if loss is not None:
            loss.backward()
            return
        outs = [part for part in tensors_in(result) if part.requires_grad]
        if not outs:
            raise Problem(
                "input",
                "nothing to train: no output requires a gradient",
                hint="leave out --train, or return a model with parameters",
            )
        torch.autograd.backward(outs, [self._gradient(out) for out in outs])

    def loss(self, result: Any) -> Any:
        """The loss, None where the result has none."""
        given = self._subject.loss
        if given is not None:
            return given(result)
        named = getattr(result, "loss", None)
        if isinstance(named, torch.Tensor):
            return named
        whole = isinstance(result, torch.Tensor) and result.numel() == 1 and result.requires_grad
        return result.reshape(()) if whole else None

    def find_leaves(self, result: Any) -> None:
        """Find what gets gradients, from the result of a call.

        Raises:
            Problem: nothing does.
        """
        subject = self._subject
        if not (subject.train or subject.steps):
            return
        found = {id(one): one for _, one in subject.parameters() if one.requires_grad}
        found |= {id(one): one for one in _reached(tensors_in(result))}
        for one in subject.inputs:
            found |= {id(t): t for t in subject.tensors(one).values() if t.requires_grad}
        self._leaves = list(found.values())
        if subject.train:
            self.backward(result)
            self.clear()

    def optimize(self, *, compiled: bool = False) -> None:
        """Make this variant's own optimizer; `compiled` gives its step to torch.compile."""
        given = self._subject.optimizer
        if given is None or not self._leaves:
            return
        trained = [one for one in self._leaves if one.grad_fn is None]
        self._optimizer = _optimizer(given, trained)
        self._step = self._optimizer.step
        if compiled:
            self._step = torch.compile(self._optimizer.step, **_backend(self._subject.options))

    def like(self, other: Variant) -> None:
        """Take over what another variant found: what gets gradients, and how calls are made."""
        self._leaves, self.anew = other._leaves, other.anew

    def gradients(self) -> list[tuple[str, Any]]:
        """The gradients that there are, by the names of their leaves."""
        names = {id(one): name for name, one in self._subject.parameters()}
        for item in self._subject.inputs:
            names |= {id(one): name for name, one in self._subject.tensors(item).items()}
        return [
            (names.get(id(leaf), f"leaf {number}"), leaf.grad)
            for number, leaf in enumerate(self._leaves or ())
            if leaf.grad is not None
        ]

    def _gradient(self, out: Any) -> Any:
        key = (tuple(out.shape), out.dtype, out.device)
        if key not in self._gradients:
            draw = torch.Generator().manual_seed(0)
            made = torch.randn(out.shape, generator=draw, dtype=torch.float64)
            self._gradients[key] = made.to(out.device, out.dtype)
        return self._gradients[key]


def compiled(subject: Subject, setting: dict[str, Any]) -> tuple[Variant, list[str]]:
    """The compiled variant, and what was marked or padded for it.

    Raises:
        Problem: the setting does not apply to these inputs.
    """
    options = {key: value for key, value in subject.options.items() if value is not None}
    if setting["mode"]:
        options["mode"] = setting["mode"]
        options.pop("options", None)
    dynamic = setting["dynamic"]
    if dynamic:
        options["dynamic"] = {"True": True, "False": False}.get(dynamic)
    if dynamic == "unbacked":
        torch.fx.experimental._config.use_duck_shape = False  # noqa: SLF001
    if not setting["shape_padding"]:
        _has_padding(subject)
        torch._inductor.config.shape_padding = False  # noqa: SLF001
    try:
        call = torch.compile(subject.target, **options)
    except Exception as error:
        raise Problem("compile", "torch.compile refused", cause=told(error)) from error
    variant = Variant("compiled", call, subject)
    variant.graphed = subject.device.type == "cuda" and options.get("mode") in _GRAPHED
    return variant, _prepared(variant, subject, setting)


def _has_padding(subject: Subject) -> None:
    backend = subject.options.get("backend") or "inductor"
    if (subject.device.type, backend) != ("cuda", "inductor"):
        text = "there is no padding to leave out: inductor pads matrices on a GPU only"
        raise Problem("setting", text)


def _prepared(variant: Variant, subject: Subject, setting: dict[str, Any]) -> list[str]:
    marks = setting["dynamic"] in ("marked", "unbacked")
    if not marks and not setting["pad"]:
        return []
    places = varying([subject.tensors(item) for item in subject.inputs])
    if not places:
        what = "mark" if marks else "pad"
        raise Problem(
            "setting",
            f"there is nothing to {what}: no size varies between the inputs",
            hint="--shapes varies them, or return several inputs",
        )
    if setting["pad"]:
        for group in variant.items:
            for number, item in enumerate(group):
                args, kwargs = padded(
                    subject.target, item.args, item.kwargs, places, setting["pad"]
                )
                group[number] = Input(args, kwargs, item.weight)
    if marks:
        # The milder mark: a size that the code fixes (a number of labels) is an error otherwise.
        how = "maybe_mark_dynamic" if setting["dynamic"] == "marked" else "mark_unbacked"
        for group in variant.items:
            for item in group:
                mark(subject.tensors(item), places, how)
    return [f"{path}.shape[{dimension}]" for path, dimension in places]


def _optimizer(given: Any, leaves_of: list[Any]) -> Any:
    if isinstance(given, str):
        kind = getattr(torch.optim, given, None)
        if kind is None:
            raise Problem("input", f"torch.optim has no {given}", hint="--optimizer AdamW")
        return kind(leaves_of, lr=1e-3 * _RATE)
    try:
        return type(given)([dict(group) for group in given.param_groups])
    except Exception:  # noqa: BLE001  its class takes other arguments: both share the one
        return given


def _backend(options: dict[str, Any]) -> dict[str, Any]:
    return {"backend": options["backend"]} if "backend" in options else {}


def _reached(results: list[Any]) -> list[Any]:
    """The leaves that the graph behind `results` ends in."""
    found = []
    seen: set[Any] = set()
    waiting = [one.grad_fn for one in results if one.grad_fn is not None]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found.append(leaf)
        waiting += [one for one, _ in node.next_functions]
    return found


def numbers_in(path: str, value: Any) -> list[tuple[str, Any]]:
    """The outputs of a result, by path, as tensors."""
    return [
        (name, part if isinstance(part, torch.Tensor) else _tensor(part))
        for name, part in leaves(path, value)
    ]


def _tensor(number: float) -> Any:
    """A number of Python's, which may be whole and too large for 64 bits."""
    exact = isinstance(number, int) and abs(number) < 1 << 63
    return torch.tensor(number) if exact else torch.tensor(number, dtype=torch.float64)
