"""How compilescope can show a diagnosis: a module a format, each `render(diagnosis) -> str`."""
