"""The filter language of the page and the terminal program: one parser, one meaning.

    query = term ...                     every term must hold
    term  = ["!"] (field ":" text  |  number operator amount  |  text)

A field is one of `FIELDS`, a number one of `NUMBERS`; anything else is free text, so that `a.py:3`
finds what it says. Text in double quotes may hold blanks. Case never matters. A term that is not
finished (`file:`, `n>`) holds for everything: the user is still typing it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

FIELDS = ("rule", "kind", "file", "fn", "cause", "phase")
NUMBERS = ("n", "s", "call")  # times, seconds, number of a call

Values = Mapping[str, str | float | None]

_TERM = re.compile(r'(!?)((?:"[^"]*"?|[^\s"])+)')
_COMPARISON = re.compile(r"(?i)(n|s|call)(<=|>=|=|<|>)(.*)")
_AMOUNT = re.compile(r"(?i)(\d+(?:\.\d*)?|\.\d+)(us|µs|ms|s|min|h)?")
_UNITS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}


@dataclass(frozen=True)
class Term:
    """One condition of a query."""

    value: str  # lower case
    field: str = ""  # "" for free text
    compare: str = ""  # "<", "<=", ... where `field` is a number
    amount: float = 0.0
    negated: bool = False

    def holds(self, values: Values) -> bool:
        """Whether `values` fulfil this term."""
        return self._plain(values) is not self.negated

    def where(self, rows: Sequence[int], numbers: Sequence[float]) -> list[int]:
        """The rows whose number, of all `numbers`, fulfils this comparison."""
        compare, amount, wanted = _OPERATORS[self.compare], self.amount, not self.negated
        return [row for row in rows if compare(numbers[row], amount) is wanted]

    def _plain(self, values: Values) -> bool:
        if self.compare:
            number = values.get(self.field)
            return isinstance(number, (int, float)) and _OPERATORS[self.compare](
                number, self.amount
            )
        if self.field:
            return self.value in str(values.get(self.field) or "").lower()
        return any(isinstance(text, str) and self.value in text.lower() for text in values.values())


@dataclass(frozen=True)
class Query:
    """A parsed filter; an empty one holds for everything."""

    terms: tuple[Term, ...] = ()

    def holds(self, values: Values) -> bool:
        """Whether `values` fulfil every term."""
        return all(term.holds(values) for term in self.terms)


def parse(text: str) -> Query:
    """The query that `text` means; every text means one."""
    words = (match for match in _TERM.finditer(text) if match[0] != "!")
    found = (_term(match[2], negated=bool(match[1])) for match in words)
    return Query(tuple(term for term in found if term is not None))


def _term(word: str, *, negated: bool) -> Term | None:
    comparison = _COMPARISON.fullmatch(word)
    if comparison:
        name, sign, amount = comparison.groups()
        if not amount:
            return None
        number = _AMOUNT.fullmatch(amount)
        if number:
            size = float(number[1]) * _UNITS[(number[2] or "s").lower()]
            return Term(amount.lower(), name.lower(), sign, size, negated)
    name, colon, rest = word.partition(":")
    if colon and name.lower() in FIELDS:
        value = rest.replace('"', "").lower()
        return Term(value, name.lower(), negated=negated) if value else None
    value = word.replace('"', "").lower()
    return Term(value, negated=negated) if value else None
