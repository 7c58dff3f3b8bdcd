"""CS183: changing a module in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class HookOrStateChange(CallRule):
    """Changing a module in compiled code."""

    code = "CS183"
    name = "hook-or-state-change"
    summary = "changing a module in compiled code"
    names = {
        "torch.nn.Module.load_state_dict": "",
        "torch.nn.Module.register_forward_hook": "",
        "torch.nn.Module.register_forward_pre_hook": "",
        "torch.nn.Module.register_full_backward_hook": "",
        "torch.nn.Module.register_module": "",
        "torch.nn.Module.add_module": "",
        "torch.nn.Module.state_dict": "<2.13",
        "torch.nn.Module.to": "<2.12",
        "torch.nn.Module.float": "<2.12",
    }
    gb_ids = ("GB0467", "GB0208", "GB0059", "GB0264")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it before the module is compiled"
