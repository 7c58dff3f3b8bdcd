"""What a notice means, and that "nothing to do" is said and not left to guess."""

from __future__ import annotations

import re

import pytest

from compilescope.diagnose.notices import explain, texts
from compilescope.diagnose.notices_cudagraphs import NOTHING


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
    assert "9 so far" in explain("cudagraph", text)[0]


def test_unknown_texts_are_not_explained():
    assert explain("warning", "something else entirely") == ("", ())
    assert "not recorded" in explain("cudagraph_skip", "skipping cudagraphs due to a new reason")[0]


def test_sentences_are_short():
    for text in texts():
        for sentence in re.split(r"(?<=[.:;]) ", text):
            assert len(sentence.split()) <= 35, sentence
