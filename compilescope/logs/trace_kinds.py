"""The kinds of structured-trace records that are known and carry nothing for a session."""

from __future__ import annotations

CACHE_ARTIFACTS = frozenset(
    {
        b"fx_graph_cache_hit",
        b"fx_graph_cache_miss",
        b"fx_graph_cache_bypass",
        b"aotautograd_cache_hit",
        b"aotautograd_cache_miss",
        b"aotautograd_cache_bypass",
    }
)
IGNORED = frozenset(
    {
        b"describe_storage",
        b"dynamo_guards",
        b"aot_joint_graph",
        b"aot_forward_graph",
        b"aot_backward_graph",
        b"aot_inference_graph",
        b"compiled_autograd_graph",
        b"inductor_input_graph",
        b"inductor_pre_grad_graph",
        b"inductor_post_grad_graph",
        b"inductor_output_code",
        b"graph_dump",
        b"optimize_ddp_split_graph",
        b"optimize_ddp_split_child",
        b"dump_file",
        b"link",
        b"guard_added",
        b"expression_created",
        b"guard_on_data_dependent_error",
        b"propagate_real_tensors_provenance",
        b"export",
        b"exported_program",
        b"stack",  # a record without a compile id carries the stack where it was made
    }
)
