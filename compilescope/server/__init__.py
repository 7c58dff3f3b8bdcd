"""The language server: `lint` in an editor, while one types. Needs the extra `[server]`."""
