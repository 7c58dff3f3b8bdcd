"""CS152: state of the random generator in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule
from compilescope.lint.torch_facts import SKIPPED

MARKED = {
    name: versions
    for name, versions in SKIPPED.items()
    if "rng_state" in name or "manual_seed" in name or "default_generator" in name
}


class RandomState(CallRule):
    """State of the random generator in compiled code."""

    code = "CS152"
    name = "random-state"
    summary = "state of the random generator in compiled code"
    names = {
        **MARKED,
        "torch.seed": "",
        "torch.initial_seed": "",
        "torch.Generator": "",
        "torch.random.manual_seed": "",
        "torch.random.fork_rng": "",
        "torch.random.get_rng_state": "",
        "torch.random.set_rng_state": "",
        "torch.random.seed": "",
        "torch.cuda.seed": "",
        "torch.Generator.manual_seed": "",
        "torch.Generator.seed": "",
        "torch.Generator.get_state": "",
        "torch.Generator.set_state": "",
    }
    gb_ids = ("GB0007", "GB0208", "GB0055", "GB7650", "GB0363")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"
