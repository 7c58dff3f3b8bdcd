"""A training with Lightning's Trainer and a logger of its own."""

from __future__ import annotations

import json
import sys

import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.loggers import Logger

from compilescope.integrations.lightning import CompileCallback


class Memory(Logger):
    name, version = "memory", 0

    def __init__(self):
        super().__init__()
        self.seen = []

    def log_metrics(self, metrics, step=None):
        self.seen.append(dict(metrics))

    def log_hyperparams(self, *args, **kwargs):
        pass


class Model(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.inner = torch.compile(self.layer, backend="eager")

    def training_step(self, batch, index):
        loss = self.inner(batch).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.layer.parameters(), lr=0.01)


memory = Memory()
trainer = Trainer(
    max_epochs=1, accelerator="cpu", logger=memory, log_every_n_steps=1,
    callbacks=[CompileCallback(warm_up=4, save_to=f"{sys.argv[1]}/run.cscope.json.gz")],
    enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
)  # fmt: skip
rows = [4, 4, 4, 4, 4, 4, 11, 12]
batches = torch.utils.data.DataLoader([torch.ones(number, 3) for number in rows], batch_size=None)
trainer.fit(Model(), batches)
print(json.dumps({"seen": memory.seen}))
