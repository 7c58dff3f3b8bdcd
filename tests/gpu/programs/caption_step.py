"""A training step of ViT + GPT-2 with random weights, captions of another length each step."""

from __future__ import annotations

import torch
from transformers import (
    GPT2Config,
    VisionEncoderDecoderConfig,
    VisionEncoderDecoderModel,
    ViTConfig,
)

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
VIT = ViTConfig(hidden_size=192, num_hidden_layers=2, num_attention_heads=3, intermediate_size=768)
GPT2 = GPT2Config(n_embd=192, n_layer=2, n_head=3, add_cross_attention=True, is_decoder=True)
config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(VIT, GPT2)
config.decoder_start_token_id = config.pad_token_id = 0
model = VisionEncoderDecoderModel(config).to("cuda", torch.bfloat16)
step = torch.compile(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
pixels = torch.randn(16, 3, 224, 224, device="cuda", dtype=torch.bfloat16)
for length in (29, 61, 29, 48, 17, 61, 1, 48):
    labels = torch.randint(1, 5000, (16, length), device="cuda")
    loss = step(pixel_values=pixels, labels=labels).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
print("loss is finite:", bool(torch.isfinite(loss)))
