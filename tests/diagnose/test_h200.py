"""Sessions recorded on an H200 with torch 2.11 and inductor: tests/data/h200/README.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilescope import store
from compilescope.bench.earlier import load
from compilescope.diagnose import diagnose

DATA = Path(__file__).parents[1] / "data" / "h200"
TEN = [1, 4, 12, 24, 40, 60, 84, 112, 144, 180]


def diagnosis(name: str):
    return diagnose(store.load(DATA / f"{name}.cscope.json.gz"))


def test_the_graph_network_recompiles_ten_times_at_the_known_requests():
    found = diagnosis("graph_net")
    assert [item.call for item in found.recompiles] == TEN
    assert found.environment.torch == "2.11.0+cu130"
    assert found.environment.devices[0].startswith("NVIDIA H200")
    assert {cause.kind for cause in found.causes} == {"shape.zero_one", "shape.duck"}
    duck = next(cause for cause in found.causes if cause.kind == "shape.duck")
    assert duck.calls == (1,)
    hinted = {cause.kind: {remedy.id for remedy in cause.remedies} for cause in found.causes}
    assert "use_duck_shape" in hinted["shape.duck"]
    assert "mark_unbacked" in hinted["shape.zero_one"]
    # A recompile costs seconds where a steady call takes milliseconds.
    assert found.seconds.lost > 1000 * (found.calls[0].steady or 0.0)


def test_an_item_in_a_training_step_reaches_the_limit():
    found = diagnosis("mlp_item")
    assert found.status == "fallback"
    assert found.fallbacks[0].calls_eager == 22
    assert any(item.gb_id == "GB0124" for item in found.graph_breaks)


def test_a_branch_on_data_in_the_experts_leaves_the_function_eager():
    found = diagnosis("mixture_of_experts")
    assert found.status == "breaks"
    assert [(item.gb_id, item.whole_frame) for item in found.graph_breaks] == [("GB0170", True)]
    assert found.memory == ()  # of graphs, of which there is none


@pytest.mark.parametrize("path", sorted(DATA.glob("*.gz")), ids=lambda path: path.name)
def test_everything_recorded_there_is_understood(path: Path):
    found = diagnose(store.load(path))
    assert found.counts.unknown == 0
    assert not [cause for cause in found.causes if cause.kind == "unknown"]
    assert all(cause.why and cause.remedies for cause in found.causes)


def test_cuda_graphs_are_told_by_what_moved_and_what_was_left_out():
    found = diagnosis("cudagraph_moves").cudagraphs
    assert found is not None
    assert (found.recorded, found.rerecorded, found.warm_ups) == (10, 1, 9)
    assert sum(len(graph.sizes) for graph in found.graphs) == 7
    skipped, moved, sizes = found.problems
    assert skipped.frame is not None
    assert skipped.frame.code == "x.add_(1)"
    assert moved.frame is not None
    assert moved.frame.code == "return torch.relu(layer(x))"
    assert "of its own, with its memory: 5 when PyTorch warned" in sizes.why
    assert found.pools


def test_kernels_of_the_programs_own_say_what_changed():
    kernels = {kernel.name: kernel for kernel in diagnosis("triton_rows").kernels}
    rows, scale = kernels["sum_rows"], kernels["scale_rows"]
    assert (rows.compiles, scale.compiles) == (5, 3)
    assert "`ROWS` is a `tl.constexpr`" in rows.causes[0].why
    said = " ".join(cause.why for cause in scale.causes)
    assert "multiple of 16" in said
    assert "was 1 in one launch" in said
    assert any('do_not_specialize=["rows"]' in fix.snippet for fix in scale.causes[0].remedies)


def test_times_are_the_devices_own():
    found = diagnosis("triton_rows").calls[0]
    assert found.device_steady is not None
    assert found.device_steady < 0.001


def test_registers_that_do_not_fit_are_told():
    (kernel,) = diagnosis("triton_spills").kernels
    assert (kernel.name, kernel.compiles, kernel.spills) == ("normalise_tile", 2, 618)
    assert "`num_warps` was 1 and then 8" in kernel.causes[0].why


def test_a_length_that_inductor_fixed_is_told_as_that():
    (cause,) = diagnosis("caption_step").causes
    assert (cause.times, cause.calls) == (4, (1, 3, 4, 6))
    assert "inductor fixed it while it compiled" in cause.why
    assert cause.remedies[0].id == "shape_padding"


def test_layers_of_other_widths_are_told_from_changing_inputs():
    first = diagnosis("gcn").causes[0]
    assert first.kind == "module.param_shape"
    assert "Modules of several widths share the code of `forward`" in first.why
    assert first.remedies[0].id == "remove_break"


@pytest.mark.parametrize("path", sorted(DATA.glob("*-bench.json")), ids=lambda path: path.name)
def test_every_bench_recorded_there_can_be_read(path: Path):
    found = load(path)
    assert found.device == "NVIDIA H200"
    assert found.verdict.startswith("Compiled ")
