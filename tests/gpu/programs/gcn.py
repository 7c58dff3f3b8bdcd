"""torch_geometric's GCN over graphs of many sizes, one of them without edges."""

from __future__ import annotations

import torch
from torch_geometric.nn import GCN

torch.manual_seed(0)
model = torch.compile(GCN(16, 64, num_layers=2, out_channels=4).cuda(), dynamic=True)
with torch.no_grad():
    for nodes, edges in ((50, 200), (80, 300), (64, 64), (20, 0), (1, 0), (120, 500), (90, 90)):
        x = torch.randn(nodes, 16, device="cuda")
        edge_index = torch.randint(0, nodes, (2, edges), device="cuda")
        y = model(x, edge_index)
torch.cuda.synchronize()
print("classified", tuple(y.shape))
