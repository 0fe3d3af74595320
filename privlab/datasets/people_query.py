"""A dataset → keyed digests of some of its people.

They are those of everybody, cut off after the smallest: two datasets of the same people keep the same ones, whatever
else differs between their files. Out of the database come these digests and four numbers, never an id.
"""

from dataclasses import replace

import ibis
import ibis.expr.types as ir

from privlab.checks import ParameterError
from privlab.datasets.people import DIGEST_DIGITS, N_DIGESTS, PeopleDigests
from privlab.datasets.records import Dataset

_MOST_DIGITS = 18  # of an id that is a number: more do not fit the database's


def people_digests_from_dataset(dataset: Dataset, key: str) -> PeopleDigests:
    """Return the digests of the people in a dataset: SHA-256 of the key, a bar and the id, cut to `DIGEST_DIGITS`.

    Spaces around an id, and zeros before a whole number or behind its point, are left out: a table that lacks one id writes 27384
    as 27384.0. Nothing else is of this spelling: what is counted goes by ids as they are written. Where an id has any of these, the
    digests of ids as they are written come beside the others: earlier versions kept those.

    `key` is a secret of 64 hexadecimal digits: without it nobody can work out a digest from an id. It stands in the
    queries of whatever engine reads the data. Raises ParameterError if the data names no users.
    """
    if dataset.kind == "counts":
        raise ParameterError("dataset must name its users, got one of counts.")
    rows = dataset.table
    first = rows.group_by("user_id").agg(first=rows.time.min())
    people = dataset.workspace.materialise("people", first.mutate(person=first.user_id.cast("string")))
    try:
        minute = people.first.strftime("%Y-%m-%d %H:%M").fill_null("")
        named = _spelled_alike(people.person)
        found = PeopleDigests(
            by_id=_smallest(people, _digest(key, named)),
            by_first_row=_smallest(people, _digest(key, named + "|" + minute)),
            running=_are_running(people),
        )
        if people.filter(named != people.person).limit(1).count().to_pyarrow().as_py() == 0:
            return found
        return replace(
            found,
            by_id_as_written=_smallest(people, _digest(key, people.person)),
            by_first_row_as_written=_smallest(people, _digest(key, people.person + "|" + minute)),
        )
    finally:
        dataset.workspace.forget(people)


def _spelled_alike(person: ir.StringValue) -> ir.StringValue:
    """Return ids without spaces around them, and whole numbers without zeros before them or behind a point."""
    text = person.strip()
    number = text.re_replace("[.]0*$", "").re_replace("^0+", "")
    whole: ir.StringValue = (number == "").ifelse("0", number)
    alike: ir.StringValue = text.re_search("^[0-9]+([.]0*)?$").ifelse(whole, text)
    return alike


def _digest(key: str, text: ir.Value) -> ir.Value:
    named: ir.StringValue = ibis.literal(f"{key}|") + text
    return named.hexdigest("sha256").lower().substr(0, DIGEST_DIGITS)


def _smallest(people: ir.Table, digest: ir.Value) -> tuple[str, ...]:
    found = people.select(digest=digest).distinct().order_by("digest").limit(N_DIGESTS)
    return tuple(found.to_pyarrow()["digest"].to_pylist())


def _are_running(people: ir.Table) -> bool:
    """Return whether ids are whole numbers that fill at least half of the span from the least to the greatest."""
    number = (people.person.length() <= _MOST_DIGITS).ifelse(people.person, None).try_cast("int64")
    is_written = number.cast("string") == people.person
    row = people.aggregate(
        n=people.count(), numbers=is_written.sum(), least=number.min(), greatest=number.max()
    ).to_pyarrow()
    n, numbers, least, greatest = (row[name][0].as_py() for name in ("n", "numbers", "least", "greatest"))
    return bool(n) and numbers == n and greatest - least + 1 <= 2 * n
