import logging

import torch

logger = logging.getLogger(__name__)


def f(x):
    y = x + 1
    logger.info("step")  # CS111
    return y * 2


def make():
    return f, [(torch.ones(3),)]
