"""What is wrong with what a person wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable


@dataclass(frozen=True)
class Problem:
    """A mistake, in the words of the program."""

    message: str
    #: What may help.
    help: str | None = None
    #: The file, ``<scenario>`` for a text, or the setting that it is in.
    file: str | None = None
    line: int | None = None
    column: int | None = None


class InputError(ValueError):
    """A scenario, a setting or an option is wrong. The text draws every mistake at its place, as
    the program does; ``problems`` has them one by one."""

    def __init__(self, text: str, problems: Iterable[Problem] = ()) -> None:
        super().__init__(text)
        self.problems = tuple(problems)

    @classmethod
    def _of(
        cls, text: str, problems: list[tuple[str, str | None, str | None, int | None, int | None]]
    ) -> InputError:
        return cls(text, [Problem(*problem) for problem in problems])

    def __reduce__(self) -> tuple[type[InputError], tuple[str, tuple[Problem, ...]]]:
        # Dask sends exceptions from process to process.
        return (type(self), (str(self), self.problems))
