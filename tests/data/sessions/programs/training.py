"""A small model in training: forward and backward graphs, a scheduler whose rate is read inside."""

import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)


@torch.compile(backend="aot_eager")
def loss_of(x, y, scale):
    return ((net(x) - y) ** 2).mean() * scale


for step, rows in enumerate((32, 32, 32, 20, 32, 20)):
    loss = loss_of(torch.ones(rows, 8), torch.zeros(rows, 1), scheduler.get_last_lr()[0])
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 2:
        net.eval()
        with torch.no_grad():
            loss_of(torch.ones(rows, 8), torch.zeros(rows, 1), 1.0)
        net.train()
        scheduler.step()
