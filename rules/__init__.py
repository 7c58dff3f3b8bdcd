"""What compilescope can detect: a folder a rule."""
