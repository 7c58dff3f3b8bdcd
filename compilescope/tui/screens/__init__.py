"""What fills the terminal: the list of sessions, one session, questions and help."""
