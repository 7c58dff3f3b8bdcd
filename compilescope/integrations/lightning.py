"""For Lightning: `Trainer(callbacks=[CompileCallback()])`."""

from __future__ import annotations

import logging
import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from compilescope.integrations.monitor import StepMonitor

_log = logging.getLogger("compilescope")
# One project under two names; a program that uses the one must not get the other's class.
_package = "lightning.pytorch" if find_spec("lightning") else "pytorch_lightning"
_Callback: Any = import_module(f"{_package}.callbacks").Callback


class CompileCallback(_Callback):  # type: ignore[misc]  # known at run time only
    """Logs what torch.compile did to every logger of the trainer; warns once of late recompiles."""

    def __init__(self, *, warm_up: int = 20, save_to: str | os.PathLike[str] | None = None) -> None:
        """Prepare.

        Args:
            warm_up: Steps in which recompiles are expected.
            save_to: Where the session goes at the end of the training.
        """
        self._monitor = StepMonitor(warm_up, save_to)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin to watch."""
        del trainer, pl_module
        self._monitor.start("Trainer.fit")

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Log the numbers, and warn where this step recompiled too late."""
        del trainer, outputs, batch, batch_idx
        warning = self._monitor.step()
        if warning:
            _log.warning(warning)
        pl_module.log_dict(self._monitor.numbers(), on_step=True, on_epoch=False)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """End."""
        del trainer, pl_module
        self._monitor.stop()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """End; what led to the exception is worth keeping."""
        del trainer, pl_module, exception
        self._monitor.stop()
