"""A training with transformers' Trainer and TensorBoard's place in its list of callbacks."""

from __future__ import annotations

import json
import sys

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments

from compilescope.integrations.transformers import CompileCallback


class Reporter(TrainerCallback):
    """Sees what TensorBoard, W&B and MLflow see: it stands before a callback of the user."""

    seen = []

    def on_log(self, args, state, control, logs=None, **kwargs):
        self.seen.append(dict(logs))


class Data(torch.utils.data.Dataset):
    """The last batches are longer than the others."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        rows = 4 if index < 6 else 5 + index
        return {"x": torch.ones(rows, 3)}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, x):
        return {"loss": self.layer(x).square().mean()}


out, added = sys.argv[1:]
model = Model()
model.compile(backend="eager")
arguments = TrainingArguments(
    out, per_device_train_batch_size=1, num_train_epochs=1, logging_steps=2, report_to=[],
    save_strategy="no", use_cpu=True, disable_tqdm=True, torch_compile=False,
)  # fmt: skip


class InOrder(Trainer):
    def _get_train_sampler(self, *args, **kwargs):
        return torch.utils.data.SequentialSampler(self.train_dataset)


options = {"warm_up": 4, "save_to": f"{out}/run.cscope.json.gz"}
callbacks = [Reporter()] if added == "in-front" else [Reporter(), CompileCallback(**options)]
trainer = InOrder(
    model=model, args=arguments, train_dataset=Data(), callbacks=callbacks,
    data_collator=lambda rows: rows[0],
)  # fmt: skip
if added == "in-front":
    CompileCallback.add_to(trainer, **options)
trainer.train()
print(json.dumps({"seen": Reporter.seen, "history": trainer.state.log_history}))
