"""What zones hold of some data, in words. Computes nothing."""

from privlab.figures.wording import words


def zones_in_words(
    *,
    n_zones: int,
    n_rows: int,
    n_outside: int,
    n_users_outside: int,
    n_flows: int,
    share_small: float | None,
) -> str:
    """Return how zones look over some data, in a sentence.

    >>> zones_in_words(n_zones=9, n_rows=1000, n_outside=20, n_users_outside=1, n_flows=24, share_small=0.75)
    '9 zones; 24 flows, 75% of them with fewer than ten people; 20 of 1,000 rows lie outside (2.0%), all rows of 1 user among them.'
    >>> zones_in_words(n_zones=1, n_rows=1, n_outside=1, n_users_outside=1, n_flows=0, share_small=None)
    '1 zone; 0 flows; 1 of 1 row lies outside (100.0%), all rows of 1 user among them.'
    """
    small = "" if share_small is None else f", {_some(share_small)} of them with fewer than ten people"
    outside = (
        f"{n_outside:,} of {words.number_of('row', n_rows)} {'lies' if n_outside == 1 else 'lie'} outside"
        + (f" ({n_outside / n_rows:.1%})" if n_rows and n_outside else "")
    )
    lost = ""
    if n_users_outside:
        lost = f", all rows of {words.number_of('user', n_users_outside)} among them"
    return f"{words.number_of('zone', n_zones)}; {words.number_of('flow', n_flows)}{small}; {outside}{lost}."


def _some(share: float) -> str:
    """Return a share in words that say neither all of what is nearly all, nor none of a few.

    >>> _some(1), _some(0.9988), _some(0.994), _some(0.004), _some(0)
    ('100%', 'more than 99%', '99%', 'less than 1%', '0%')
    """
    rounded = f"{share:.0%}"
    if rounded == "100%" and share < 1:
        return "more than 99%"
    return "less than 1%" if rounded == "0%" and share > 0 else rounded
