"""compilescope: why torch.compile recompiles and breaks graphs, and what to do about it."""

__version__ = "0.1.0"
