"""Two ranks train one model; the last batch of each is short, and the second rank's is another."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 16)
        self.head = torch.nn.Linear(16, 4)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


dist.init_process_group("gloo")
rank = dist.get_rank()
model = DistributedDataParallel(Net())
step = torch.compile(model, backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for rows in (16, 16, 16, 12 - rank):
    optimizer.zero_grad()
    step(torch.ones(rows, 8)).sum().backward()
    optimizer.step()
dist.barrier()
dist.destroy_process_group()
