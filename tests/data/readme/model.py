import torch


class Encoder(torch.nn.Module):
    def __init__(self, width: int = 64):
        super().__init__()
        self.project = torch.nn.Linear(width, width)
        self.calls = 0

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        hidden = torch.relu(self.project(x))
        if mask.any():
            hidden = hidden.masked_fill(mask, 0.0)
        print("mean", hidden.mean())
        return hidden * self.calls
