"""CS164: an optimizer in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule

KINDS = (
    "SGD Adam AdamW Adamax NAdam RAdam RMSprop Rprop Adagrad Adadelta ASGD SparseAdam LBFGS "
    "Adafactor Optimizer"
)
SCHEDULES = (
    "LRScheduler LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR "
    "SequentialLR PolynomialLR CosineAnnealingLR CyclicLR CosineAnnealingWarmRestarts OneCycleLR "
    "ChainedScheduler"
)


class OptimizerStep(CallRule):
    """An optimizer in compiled code."""

    code = "CS164"
    name = "optimizer-step"
    summary = "an optimizer in compiled code"
    names = {
        **{f"torch.optim.{kind}.step": "" for kind in KINDS.split()},
        **{f"torch.optim.{kind}.zero_grad": "" for kind in KINDS.split()},
        **{f"torch.optim.lr_scheduler.{kind}.step": "" for kind in SCHEDULES.split()},
        **{f"torch.amp.GradScaler.{name}": "" for name in ("scale", "step", "update", "unscale_")},
        **{f"torch.cuda.amp.GradScaler.{name}": "" for name in ("scale", "step", "update")},
    }
    gb_ids = ("GB0025",)
    reason = "Optimizer steps break the graph by design."
    help = "step outside the compiled function"
