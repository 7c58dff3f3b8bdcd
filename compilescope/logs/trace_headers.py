"""The headers of structured-trace records, typed, with only the fields that are needed."""

from __future__ import annotations

import msgspec


class StackFrame(msgspec.Struct):
    """A frame of a stack; `filename` is the number of an interned string."""

    line: int | None = None
    name: str = ""
    filename: int | str | None = None
    loc: str | None = None


class Artifact(msgspec.Struct):
    """Any named text or JSON."""

    name: str = ""


class Start(msgspec.Struct):
    """Tracing begins."""

    stack: list[StackFrame] | None = None


class Tensor(msgspec.Struct):
    """The metadata of a tensor."""

    id: int
    describer_id: int
    dtype: str = ""
    device: str = ""
    size: list[int | str | float | None] | None = None
    stride: list[int | str | float | None] | None = None
    requires_grad: bool = False
    is_parameter: bool = False
    type: str | None = None


class Source(msgspec.Struct):
    """The expression that reads a described tensor."""

    id: int
    describer_id: int
    source: str


class NewSymbol(msgspec.Struct):
    """A symbolic number is born."""

    symbol: str
    val: str | int | float | None = None
    vr: str | None = None
    source: str | None = None
    user_stack: list[StackFrame] | None = None


class Specialization(msgspec.Struct):
    """A symbolic number becomes a constant."""

    symbol: str | None = None
    sources: list[str] | None = None
    value: str | int | float | None = None
    reason: str | None = None
    stack: list[StackFrame] | None = None
    user_stack: list[StackFrame] | None = None


class AddedGuard(msgspec.Struct):
    """An expression over symbols becomes a guard."""

    expr: str = ""
    user_stack: list[StackFrame] | None = None


class RealTensors(msgspec.Struct):
    """A data-dependent expression, decided by real data."""

    expr: str = ""
    result: str | int | float | bool | None = None
    user_stack: list[StackFrame] | None = None


class FakeKernel(msgspec.Struct):
    """An operator whose fake kernel is missing or wrong."""

    op: str = ""
    reason: str | None = None


Number = float | None


class Metrics(msgspec.Struct):
    """The fields of CompilationMetrics from torch 2.6 on; which exist depends on the version."""

    compile_id: str | None = None
    co_name: str | None = None
    co_filename: str | None = None
    co_firstlineno: int | None = None
    guard_count: int | None = None
    graph_op_count: int | None = None
    start_time: Number = None
    entire_frame_compile_time_s: Number = None
    backend_compile_time_s: Number = None
    inductor_compile_time_s: Number = None
    code_gen_time_s: Number = None
    duration_us: Number = None
    dynamo_cumulative_compile_time_us: Number = None
    aot_autograd_cumulative_compile_time_us: Number = None
    inductor_cumulative_compile_time_us: Number = None
    inductor_code_gen_cumulative_compile_time_us: Number = None
    triton_compile_time_us: Number = None
    runtime_cudagraphify_time_us: Number = None
    runtime_triton_autotune_time_us: Number = None
    fail_type: str | None = None
    fail_reason: str | None = None
    fail_user_frame_filename: str | None = None
    fail_user_frame_lineno: int | None = None
    restart_reasons: list[str] | str | None = None
    dynamo_time_before_restart_s: Number = None
    dynamo_compile_time_before_restart_us: Number = None
    has_guarded_code: bool | None = None
    guard_latency_us: Number = None
    recompile_reason: str | None = None
    cudagraph_skip_reason: str | None = None
    inductor_fx_local_cache_hit_count: Number = None
    inductor_fx_local_cache_miss_count: Number = None
    inductor_fx_remote_cache_hit_count: Number = None
    inductor_fx_remote_cache_miss_count: Number = None
    aotautograd_local_cache_hit_count: Number = None
    aotautograd_local_cache_miss_count: Number = None
    aotautograd_remote_cache_hit_count: Number = None
    aotautograd_remote_cache_miss_count: Number = None
    dynamo_config: msgspec.Raw = msgspec.Raw(b"null")
    inductor_config: msgspec.Raw = msgspec.Raw(b"null")
    pytorch_version: str | None = None
    python_version: str | None = None
    cuda_version: str | None = None
    triton_version: str | None = None

    def forget_config(self) -> None:
        """Let go of the configuration: it keeps the bytes of the whole record alive."""
        self.dynamo_config = self.inductor_config = msgspec.Raw(b"null")


class Header(msgspec.Struct):
    """A record's header: one of the kinds, and where it belongs."""

    rank: int | None = None
    compiled_autograd_id: int | None = None
    frame_id: int | None = None
    frame_compile_id: int | None = None
    attempt: int | None = None
    has_payload: str | None = None
    interned: tuple[str, int] | None = msgspec.field(default=None, name="str")
    artifact: Artifact | None = None
    dynamo_start: Start | None = None
    describe_tensor: Tensor | None = None
    describe_source: Source | None = None
    create_symbol: NewSymbol | None = None
    create_unbacked_symbol: NewSymbol | None = None
    symbolic_shape_specialization: Specialization | None = None
    guard_added_fast: AddedGuard | None = None
    propagate_real_tensors: RealTensors | None = None
    missing_fake_kernel: FakeKernel | None = None
    mismatched_fake_kernel: FakeKernel | None = None
    compilation_metrics: Metrics | None = None
    bwd_compilation_metrics: Metrics | None = None
    aot_autograd_backward_compilation_metrics: Metrics | None = None
    compilation_metrics_runtime: Metrics | None = None
    bwd_compilation_metrics_runtime: Metrics | None = None

    @property
    def compile_id(self) -> str:
        """The compile id without the attempt: `0/1`, `!0`, `!0/1/0`, "" outside a compile."""
        parts = []
        if self.compiled_autograd_id is not None:
            parts.append(f"!{self.compiled_autograd_id}")
        if self.frame_id is not None:
            parts.append(f"{self.frame_id}/{self.frame_compile_id or 0}")
        return "/".join(parts)

    @property
    def metrics(self) -> Metrics | None:
        """The metrics, whichever kind the record is of."""
        return (
            self.compilation_metrics
            or self.bwd_compilation_metrics
            or self.aot_autograd_backward_compilation_metrics
            or self.compilation_metrics_runtime
            or self.bwd_compilation_metrics_runtime
        )
