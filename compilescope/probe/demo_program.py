"""Ranks users against items, batch after batch, with everything that makes a service recompile."""

from __future__ import annotations

import sys
import time

import torch


class Ranker(torch.nn.Module):
    """Scores a batch of users against the items that each request brings."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.users = torch.nn.Linear(16, width)
        self.items = torch.nn.Linear(16, width)

    def forward(
        self, user: torch.Tensor, item: torch.Tensor, history: torch.Tensor, temperature: float
    ) -> torch.Tensor:
        """The score of every item for every user."""
        query = torch.relu(self.users(user)) + history.sum(0)
        keys = torch.relu(self.items(item))
        return (query @ keys.T) / temperature


def main() -> None:
    """Serve a few requests and say how long the slow ones took."""
    torch.manual_seed(0)
    model = Ranker().eval()
    score = torch.compile(model, backend="eager", dynamic=True)
    # (users, items, history): equal sizes, a single user, no history, no items at all.
    steady = [(5, 7, 3), (6, 9, 4), (8, 20, 11)]
    requests = [(4, 4, 4), *steady, (1, 9, 5), *steady, (7, 30, 0), *steady, (3, 0, 6), *steady]
    with torch.no_grad():
        for number, (users, items, history) in enumerate(requests * 2):
            inputs = torch.randn(users, 16), torch.randn(items, 16), torch.randn(history, 32)
            began = time.perf_counter()
            score(*inputs, 0.5 if number % 2 else 2.0)
            took = (time.perf_counter() - began) * 1e3
            if took > 20:
                print(f"request {number:2d}: {took:6.0f} ms  <- slow", file=sys.stdout)
    print(f"{2 * len(requests)} requests served")


if __name__ == "__main__":
    main()
