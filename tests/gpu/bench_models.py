"""Models that tests/gpu/bench.py measures: each function returns a model and inputs.

COMPILESCOPE_LAYERS and COMPILESCOPE_WIDTH make the captioning model smaller or larger.
"""

from __future__ import annotations

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LAYERS = int(os.environ.get("COMPILESCOPE_LAYERS", "4"))
WIDTH = int(os.environ.get("COMPILESCOPE_WIDTH", "768"))
BATCH = int(os.environ.get("COMPILESCOPE_BATCH", "64"))
IMAGE = int(os.environ.get("COMPILESCOPE_IMAGE", "224"))
LENGTHS = (29, 61, 48, 17, 40, 33)


def caption_aligned():
    """`caption` with a vocabulary of a multiple of 8: inductor need not pad its logits."""
    return caption(vocabulary=50264)


def caption(vocabulary: int = 50257):
    """A training step of ViT + GPT-2 with random weights, captions of many lengths."""
    from transformers import (
        GPT2Config,
        VisionEncoderDecoderConfig,
        VisionEncoderDecoderModel,
        ViTConfig,
    )

    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    heads = WIDTH // 64
    vision = ViTConfig(
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=heads,
        intermediate_size=4 * WIDTH,
        image_size=IMAGE,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    # Without dropout the results can be compared.
    text = GPT2Config(
        vocab_size=vocabulary,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=heads,
        add_cross_attention=True,
        is_decoder=True,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
    )
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(vision, text)
    config.decoder_start_token_id = config.pad_token_id = 0
    model = VisionEncoderDecoderModel(config).to(DEVICE).train()
    pixels = torch.randn(BATCH, 3, IMAGE, IMAGE, device=DEVICE)
    inputs = [
        {
            "pixel_values": pixels,
            "labels": torch.randint(1, 5000, (BATCH, length), device=DEVICE),
        }
        for length in LENGTHS
    ]
    return model, inputs


def mlp_item():
    """The training step of programs/mlp_item.py, which returns the number that it logs."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 10)
    ).to(DEVICE)

    def loss_of(x, y):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        return loss, loss.item()

    inputs = [
        (torch.randn(rows, 256, device=DEVICE), torch.randint(0, 10, (rows,), device=DEVICE))
        for rows in (128, 128, 77)
    ]
    return loss_of, inputs, lambda result: result[0]
