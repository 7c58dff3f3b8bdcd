"""What a notice means, and that "nothing to do" is said and not left to guess."""

from __future__ import annotations

import re

import pytest

from compilescope.diagnose import diagnose
from compilescope.diagnose.notices import explain, texts
from compilescope.diagnose.notices_cudagraphs import NOTHING
from compilescope.model import Environment, Session, Warned


@pytest.mark.parametrize(
    ("text", "word", "remedy"),
    [
        ("skipping cudagraphs due to mutated inputs (2 instances)", "inputs", "clone"),
        (
            "skipping cudagraphs due to skipping cudagraphs due to mutated inputs (1 instances)",
            "inputs",
            "clone",
        ),
        ("skipping cudagraphs due to cpu device (arg0_1)", "CPU", "same_device"),
        (
            "skipping cudagraphs due to multiple devices: device(type='cuda', index=0)",
            "one",
            "same_device",
        ),
        (
            "disabling cudagraphs due to incompatible op aten.nonzero.default",
            "`aten.nonzero.default`",
            "move_out",
        ),
        (
            "skipping cudagraph due to function 3 exceeding max re-recording limit (=128)",
            "move",
            "keep_inputs",
        ),
        (
            "TensorFloat32 tensor cores for float32 matrix multiplication available",
            "tensor cores",
            "tf32",
        ),
        (
            "Unable to hit fast path of CUDAGraphs because of pending backwards",
            "fast path",
            "mark_step_begin",
        ),
    ],
)
def test_what_to_do(text, word, remedy):
    why, remedies = explain("cudagraph_skip", text)
    assert word in why
    assert remedies[0].id == remedy


@pytest.mark.parametrize(
    "text",
    [
        "Using FallbackKernel: torch.ops.aten.sort.stable",
        "Skip comprehensive padding on CPU",
        "Not enough SMs to use max_autotune_gemm mode",
        "Profiler record function <class 'x'> will be ignored",
    ],
)
def test_nothing_to_do_is_said(text):
    why, remedies = explain("perf_hint", text)
    assert why.endswith(NOTHING)
    assert remedies == ()


def test_values_of_the_text_are_named():
    assert (
        "`torch.ops.aten.sort.stable`"
        in explain("perf_hint", "Using FallbackKernel: torch.ops.aten.sort.stable")[0]
    )
    text = "CUDAGraph supports dynamic shapes by recording. We have observed 9 distinct sizes."
    assert "9 when PyTorch warned" in explain("cudagraph", text)[0]


TF32 = "TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled. "
FLEX = (
    "flex FLASH: mask_mod could not be lowered to packed 32-lane intervals; mask graph:\ngraph():"
)
# Every text that torch 2.6 to 2.15 writes as a performance hint, but for those on CUDA graphs.
HINTS = {
    "Using FallbackKernel: aten.sort.stable": [],
    "Skip comprehensive padding on CPU": [],
    "Skip comprehensive padding for use_runtime_constant_folding": [],
    "possibly bad tiling: [CandidateTiling(tiling=('x0', 'x1'), score=5, name='buf0')]": [],
    "reduction over non-contiguous dims": ["tile_reductions", "contiguous"],
    "Reduction over non-contiguous dims.\nConsider setting": ["tile_reductions", "contiguous"],
    "Found optimal tiling with 3 tiles but torch._inductor.config.triton.max_tiles set to 2. "
    "Consider increasing": ["max_tiles"],
    TF32 + "Consider setting `torch.set_float32_matmul_precision('high')`": ["tf32"],
    TF32 + "Skipping pattern matching to fused flash-attention. Consider": ["tf32", "sdpa"],
    FLEX: ["lane_uniform"],
    "('Grad tensors [] will be copied during cudagraphs execution.If',)": ["mark_static_address"],
}


@pytest.mark.parametrize("text", HINTS)
def test_every_hint_is_explained(text):
    why, remedies = explain("perf_hint", text)
    assert why
    assert [remedy.id for remedy in remedies] == HINTS[text]
    assert remedies or why.endswith((NOTHING, "among the slow ones."))


def test_a_setting_is_named_with_the_value_that_the_hint_asks_for():
    text = "Found optimal tiling with 2 tiles but torch._inductor.config.triton.max_tiles set to 1."
    assert explain("perf_hint", text)[1][0].snippet.endswith("max_tiles = 2")


@pytest.mark.parametrize(("torch", "has"), [("2.6.0", False), ("2.11.0+cu130", True), ("", True)])
def test_a_remedy_that_the_installed_torch_lacks_is_not_offered(torch, has):
    hint = Warned(0, "perf_hint", "Reduction over non-contiguous dims.")
    found = diagnose(Session(environment=Environment(torch=torch), events=(hint,)))
    assert ("tile_reductions" in [one.id for one in found.notices[0].remedies]) is has
    assert "contiguous" in [one.id for one in found.notices[0].remedies]


def test_unknown_texts_are_not_explained():
    assert explain("warning", "something else entirely") == ("", ())
    assert "not recorded" in explain("cudagraph_skip", "skipping cudagraphs due to a new reason")[0]


def test_sentences_are_short():
    for text in texts():
        for sentence in re.split(r"(?<=[.:;]) ", text):
            assert len(sentence.split()) <= 35, sentence
