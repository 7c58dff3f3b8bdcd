import pytest
import torch
from model import step


def test_one_graph_serves_every_size(compile_watch):
    for size in (4, 5, 6):
        x = torch.ones(size)
        torch._dynamo.mark_dynamic(x, 0)
        step(x)
    compile_watch.assert_graphs(1)
    compile_watch.assert_no_graph_breaks()


@pytest.mark.no_recompile(after=2)
def test_steady_after_two_calls():
    for size in (4, 5, 6, 7):
        step(torch.ones(size))
