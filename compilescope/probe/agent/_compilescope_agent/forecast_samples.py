"""What the program called: real samples to build from, and the sizes of all that came."""

from __future__ import annotations

import copy
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from .forecast_strides import bases

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_FACTS = 2000  # signatures whose sizes are kept
_MOST_SAMPLES = 12  # real arguments that are kept for each kind of call
_MOST_KINDS = 8
PLAIN = (bool, int, float, str, bytes, complex, type(None))


class Leaf:
    """One tensor or plain value among the arguments, by the path that leads to it."""

    __slots__ = ("path", "value")

    def __init__(self, path: tuple[Any, ...], value: Any) -> None:
        self.path = path
        self.value = value

    def fact(self) -> Any:
        """What of the value decides between graphs and may change: sizes, or the value itself."""
        if is_tensor(self.value):
            return tuple(self.value.shape)
        return self.value if type(self.value) in PLAIN else None


class Sample:
    """Arguments that really came, with the modes that were on."""

    def __init__(
        self, args: Any, kwargs: Any, ambient: Ambient, changes: tuple[Any, ...] = ()
    ) -> None:
        pytree: Any = sys.modules["torch.utils._pytree"]
        self.args, self.kwargs = args, kwargs
        self.changes = changes  # what was done to a sample that came, to get this one
        found, self.spec = pytree.tree_flatten_with_path((args, kwargs))
        self.leaves = [Leaf(tuple(path), value) for path, value in found]
        self.ambient = ambient
        self.index = -1
        self.ids: tuple[str, ...] = ()

    def but(
        self, args: Any = None, kwargs: Any = None, ambient: Any = None, changes: Any = ()
    ) -> Sample:
        """A sample like this one with parts replaced; `changes` say which."""
        found = Sample(
            self.args if args is None else args,
            self.kwargs if kwargs is None else kwargs,
            ambient or self.ambient,
            (*self.changes, *changes),
        )
        found.index = self.index
        return found

    def structure(self) -> Any:
        """What two samples must share for the sizes of one to be given to the other."""
        return (
            self.spec,
            self.ambient.key,
            tuple(kind_of(leaf.value) for leaf in self.leaves),
        )

    def facts(self) -> tuple[Any, ...]:
        """The changeable part of every leaf, in order."""
        return tuple(leaf.fact() for leaf in self.leaves)

    def layout(self) -> tuple[Any, ...]:
        """The strides of every tensor, in order."""
        return tuple(_strides(leaf.value) for leaf in self.leaves)

    def closed(self) -> Iterator[tuple[Any, ...]]:
        """The keys of each object that holds tensors: it is passed as it is, nothing is varied."""
        for leaf in self.leaves:
            module = isinstance(leaf.value, sys.modules["torch"].nn.Module)
            if module or is_tensor(leaf.value):
                continue
            if any(is_tensor(held) for held in getattr(leaf.value, "__dict__", {}).values()):
                yield tuple(keys_of(leaf.path))

    def bases(self) -> tuple[Any, ...]:
        """The sizes of the larger tensors that tensors are slices of, in order."""
        return tuple(bases(leaf.value) if is_tensor(leaf.value) else () for leaf in self.leaves)


class Ambient:
    """The modes of the calling thread, and how to have them again."""

    def __init__(self, module: Any) -> None:
        torch: Any = sys.modules["torch"]
        self.grad = torch.is_grad_enabled()
        self.inference = torch.is_inference_mode_enabled()
        self.training = getattr(module, "training", None)
        self.autocast = tuple(
            (kind, torch.get_autocast_dtype(kind))
            for kind in ("cpu", "cuda")
            if torch.is_autocast_enabled(kind)
        )
        self.dtype = torch.get_default_dtype()

    @property
    def key(self) -> Any:
        """Equal for calls in the same modes."""
        return (self.grad, self.inference, self.training, self.autocast, self.dtype)

    def but(self, **modes: Any) -> Ambient:
        """These modes with some of them changed."""
        found = copy.copy(self)
        for name, value in modes.items():
            setattr(found, name, value)
        return found

    def again(self, module: Any) -> ExitStack:
        """A context in which the modes are as they were."""
        torch: Any = sys.modules["torch"]
        stack = ExitStack()
        stack.enter_context(torch.inference_mode(self.inference))
        if not self.inference:
            stack.enter_context(torch.set_grad_enabled(self.grad))
        for kind, dtype in self.autocast:
            stack.enter_context(torch.autocast(kind, dtype=dtype))
        torch.set_default_dtype(self.dtype)
        if self.training is not None and module.training != self.training:
            module.train(self.training)
        return stack


class Kind:
    """Calls of one structure: the same containers, types, ranks and modes."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.facts: dict[tuple[Any, ...], None] = {}
        self.bases: set[tuple[Any, ...]] = set()
        self.times = 0


class Watched:
    """One compiled callable: how to call it, and with what it was called."""

    def __init__(self, function: Any, call: Any, dynamic: Any, options: dict[str, Any]) -> None:
        self.function = function
        self.call = call
        self.dynamic = dynamic
        self.module = _module_of(function)
        self.number = -1
        self.kinds: dict[Any, Kind] = {}
        self.compiles: list[Sample] = []  # samples that paid for a compile, in order
        self.left_out = 0
        self.is_cut = False  # Python of the program runs between the graphs of a call
        self._bytes = 0
        self._memory = int(options["memory"])
        self._seen: set[Any] = set()

    def sample(self, args: Any, kwargs: Any) -> Sample:
        """The call that begins now."""
        return Sample(args, kwargs, Ambient(self.module))

    def keep(self, sample: Sample, index: int, ids: tuple[str, ...]) -> None:
        """Remember a call that went well."""
        self.is_cut = self.is_cut or len({name.rpartition("/")[0] for name in ids}) > 1
        structure, facts = sample.structure(), sample.facts()
        kind = self.kinds.get(structure)
        if kind is None:
            if len(self.kinds) >= _MOST_KINDS:
                self.left_out += 1
                return
            kind = self.kinds[structure] = Kind()
        kind.times += 1
        if len(kind.facts) < _MOST_FACTS:
            kind.facts[facts] = None
            kind.bases.add(sample.bases())
        seen = (id(kind), facts, sample.layout())
        if (seen in self._seen and not ids) or len(kind.samples) >= _MOST_SAMPLES:
            return
        size = sum(_size(leaf.value) for leaf in sample.leaves)
        if kind.samples and self._bytes + size > self._memory:
            return
        self._bytes += size
        self._seen.add(seen)
        sample.index, sample.ids = index, ids
        kind.samples.append(sample)
        if ids:
            self.compiles.append(sample)


def is_tensor(value: Any) -> bool:
    """Whether the value is a plain dense tensor, which can be made anew in another size."""
    torch: Any = sys.modules["torch"]
    return type(value) is torch.Tensor and value.layout is torch.strided


def keys_of(path: tuple[Any, ...]) -> list[Any]:
    """The path as plain keys: "args" or "kwargs", then indexes, keys and `.attribute`s."""
    found: list[Any] = ["kwargs" if path[0].idx else "args"]
    for part in path[1:]:
        if hasattr(part, "idx"):
            found.append(part.idx)
        elif hasattr(part, "name"):
            found.append(f".{part.name}")
        else:
            found.append(part.key)
    return found


def kind_of(value: Any) -> Any:
    """What of a value makes calls be of another kind."""
    if is_tensor(value):
        return (value.dim(), value.dtype, value.device, value.requires_grad, value.is_inference())
    kind = type(value)
    # A number that changes is not another kind of call; a flag, a name or None is.
    return (kind, value) if kind in PLAIN and kind not in (int, float) else kind


def _strides(value: Any) -> Any:
    return value.stride() if is_tensor(value) else None


def _size(value: Any) -> int:
    return int(value.numel() * value.element_size()) if is_tensor(value) else 0


def _module_of(function: Any) -> Any:
    from .callables import module_of

    return module_of(function)
