"""What a report that leaves the house may hold: the rule that pages, commands and every export ask."""

from privlab.checks import DataError


def reason_against_part(kind: str, *, title: str, discloses: bool) -> str | None:
    """Return why a part must not stand in a report of this kind, None if it may.

    `discloses` says whether true data can be read from it. Only an internal report holds such a part.

    >>> reason_against_part("internal", title="People", discloses=True)
    >>> reason_against_part("external", title="People", discloses=False)
    """
    if kind == "internal" or not discloses:
        return None
    return (
        f"“{title}” shows true data and cannot stand in an {kind} report. Take it out, or make the report "
        "internal."
    )


def require_part_allowed(kind: str, *, title: str, discloses: bool) -> None:
    """Raise DataError if a part must not stand in a report of this kind."""
    reason = reason_against_part(kind, title=title, discloses=discloses)
    if reason is not None:
        raise DataError(reason)
