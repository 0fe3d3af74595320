"""What a publisher says of themselves and of the data, in words for whoever receives a release: no figure, and nothing that the lab checks."""

from dataclasses import dataclass

from privlab.checks import ParameterError
from privlab.limits import MAX_REASON
from privlab.safe_text import is_plain_line


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherWords:
    """Who publishes a release and where to ask, and what was counted of (whose cards, which share of all people); None where nothing is said."""

    publisher: str | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        """Refuse words that say nothing, or too much. Raises ParameterError."""
        for name, said in (("publisher", self.publisher), ("source", self.source)):
            if said is not None and not is_plain_line(said, MAX_REASON):
                raise ParameterError(
                    f"{name} must be words of 1 to {MAX_REASON} characters on one line, with one blank between them, got {said!r}."
                )

    def as_record(self) -> dict[str, str]:
        """Return the words by name, for a certificate."""
        both = {"publisher": self.publisher, "source": self.source}
        return {name: said.strip() for name, said in both.items() if said is not None}


NOTHING_SAID = PublisherWords()
