"""Callbacks for trainers: recompiles, causes and compile seconds in the trainer's own logs."""
