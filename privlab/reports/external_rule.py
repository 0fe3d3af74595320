"""What a report that leaves the house may hold: the rule that pages, commands and every export ask."""

from collections.abc import Sequence

TRUE_DATA = "True data: for internal eyes, not for publication"  # beside whatever shows it


def reason_against_part(kind: str, *, title: str, discloses: bool) -> str | None:
    """Return why a part must not stand in a report of this kind, None if it may.

    `discloses` says whether true data can be read from it. Only an internal report holds such a part.

    >>> reason_against_part("internal", title="People", discloses=True)
    >>> reason_against_part("external", title="People", discloses=False)
    """
    return reason_against_parts(kind, [title] if discloses else [])


def reason_against_parts(kind: str, disclosing: Sequence[str]) -> str | None:
    """Return why parts with these titles, from which true data can be read, must not stand in a report of this kind, all in one sentence.

    >>> reason_against_parts("external", ["People", "Maps", "People"])[:52]
    '“People” and “Maps” show true data and cannot stand '
    """
    names = [f"“{title}”" for title in dict.fromkeys(disclosing)]
    if kind == "internal" or not names:
        return None
    if len(names) == 1:
        show, them = f"{names[0]} shows", "it"
    else:
        show, them = f"{', '.join(names[:-1])} and {names[-1]} show", "them"
    return f"{show} true data and cannot stand in an {kind} report. Take {them} out, or make the report internal."
