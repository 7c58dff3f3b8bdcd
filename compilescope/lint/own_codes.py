"""The codes that no rule of a pack reports: about the files themselves and about suppressions."""

from __future__ import annotations

from typing import NamedTuple


class OwnCode(NamedTuple):
    """A code that `lint` itself reports."""

    code: str
    name: str
    summary: str
    text: str  # what `compilescope explain` prints


UNUSED = "CS990"
UNREADABLE = "CS998"
SYNTAX = "CS999"
UNSILENCEABLE = frozenset({UNREADABLE, SYNTAX})

OWN_CODES = {
    own.code: own
    for own in (
        OwnCode(
            UNUSED,
            "unused-suppression",
            "A suppression comment that silences nothing",
            "A `# noqa: CS101` or `# compilescope: ignore[CS101]` stands where CS101 has nothing"
            " to report, or names a code that no rule has. It hides the next finding there.\n\n"
            "`--fix` removes it. Codes of other linters are left alone, and so is a `# noqa`"
            " without codes. A code is judged only where its rule is on.",
        ),
        OwnCode(
            UNREADABLE,
            "unreadable-file",
            "A file that cannot be read as Python source",
            "The file is not in the encoding that it declares (UTF-8 where it declares none), may"
            " not be read, or is a notebook whose JSON is damaged. Nothing in it was checked.",
        ),
        OwnCode(
            SYNTAX,
            "invalid-syntax",
            "A file that Python cannot parse",
            "Nothing in the file was checked; the other files were. compilescope parses with the"
            " Python that runs it: newer syntax needs a newer Python.",
        ),
    )
}
