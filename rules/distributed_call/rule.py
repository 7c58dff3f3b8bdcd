"""CS190: a collective that is not traced."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class DistributedCall(CallRule):
    """A collective that is not traced."""

    code = "CS190"
    name = "distributed-call"
    summary = "a collective that is not traced"
    names = {
        "torch.distributed.barrier": "",
        "torch.distributed.monitored_barrier": "",
        "torch.distributed.broadcast_object_list": "",
        "torch.distributed.all_gather_object": "",
        "torch.distributed.gather_object": "",
        "torch.distributed.scatter_object_list": "",
        "torch.distributed.send": "",
        "torch.distributed.recv": "",
        "torch.distributed.isend": "",
        "torch.distributed.irecv": "",
        "torch.distributed.new_group": "",
        "torch.distributed.init_process_group": "",
        "torch.distributed.destroy_process_group": "",
    }
    gb_ids = ("GB0172", "GB0007")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside; functional collectives are traced"
