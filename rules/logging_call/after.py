import logging

import torch

logger = logging.getLogger(__name__)


def f(x):
    y = x + 1
    if not torch.compiler.is_compiling():
        logger.info("step")
    return y * 2


def make():
    return f, [(torch.ones(3),)]
