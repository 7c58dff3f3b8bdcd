"""CS199: device management in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class DeviceQuery(CallRule):
    """Device management in compiled code."""

    code = "CS199"
    name = "device-query"
    summary = "device management in compiled code"
    names = {
        "torch.set_num_threads": "",
        "torch.set_num_interop_threads": "",
        "torch.set_printoptions": "",
        "torch.cuda.set_device": "",
        "torch.accelerator.set_device_index": "",
        "torch.accelerator.set_device_idx": "",
        "torch.cuda.memory_allocated": "",
        "torch.cuda.max_memory_allocated": "",
        "torch.cuda.memory_reserved": "",
        "torch.cuda.reset_peak_memory_stats": "",
        "torch.cuda.memory_summary": "",
        "torch.cuda.mem_get_info": "",
        "torch.cuda.cudart": "",
        "torch.cuda.nvtx.range_push": "",
        "torch.cuda.nvtx.range_pop": "",
        "torch.cuda.nvtx.mark": "",
    }
    gb_ids = ("GB0208", "GB0007")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"
