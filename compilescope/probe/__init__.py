"""Run a program unchanged and record what torch.compile does in it."""
