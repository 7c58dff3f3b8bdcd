"""compilescope: why torch.compile recompiles and breaks graphs, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.live import Watch

__version__ = "0.1.0"


def watch(*, reset: bool = True, name: str = "watch") -> Watch:
    """Record what torch.compile does in a block, for `with compilescope.watch() as w: ...`.

    Args:
        reset: Whether to forget what was compiled before the block, so that nothing which an
            earlier test compiled hides a compile of this one.
        name: What the session is called.
    """
    from compilescope.live import Watch

    return Watch(reset=reset, name=name)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext compilescope`: the magic `%%compilescope`."""
    from compilescope.notebook import load_ipython_extension as load

    load(shell)
