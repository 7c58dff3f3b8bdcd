"""For transformers' Trainer: `CompileCallback.add_to(trainer)`."""

from __future__ import annotations

import logging
import os
from typing import Any

from transformers import TrainerCallback

from compilescope.integrations.monitor import StepMonitor

_log = logging.getLogger("compilescope")


class CompileCallback(TrainerCallback):  # type: ignore[misc]  # untyped where it is installed
    """Adds what torch.compile did to every log of the trainer, and warns once of late recompiles.

    `Trainer(callbacks=[CompileCallback()])` reaches the progress bar and trainer_state.json; a
    reporter such as TensorBoard's stands before it in the trainer's list and does not see what it
    adds. `CompileCallback.add_to(trainer)` puts it in front of them.
    """

    def __init__(self, *, warm_up: int = 20, save_to: str | os.PathLike[str] | None = None) -> None:
        """Prepare.

        Args:
            warm_up: Steps in which recompiles are expected.
            save_to: Where the session goes at the end of the training.
        """
        self._monitor = StepMonitor(warm_up, save_to)

    @classmethod
    def add_to(cls, trainer: Any, **options: Any) -> CompileCallback:
        """Add one to `trainer`, in front of its reporters; `options` as for the class."""
        callback = cls(**options)
        trainer.callback_handler.callbacks.insert(0, callback)
        return callback

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Begin to watch."""
        del args, state, control
        self._monitor.start("Trainer.train")

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Warn where this step recompiled too late."""
        del args, state, control
        warning = self._monitor.step()
        if warning:
            _log.warning(warning)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Add the numbers to what is logged."""
        del args, control
        numbers = self._monitor.numbers()
        if logs is not None:
            logs.update(numbers)
        if state.log_history:
            state.log_history[-1].update(numbers)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """End."""
        del args, state, control
        self._monitor.stop()
