"""Digests of people, worked out again by hand: the same for the same people, however their file is written."""

import hashlib
from pathlib import Path

import pytest

from privlab.checks import ParameterError
from privlab.datasets.engines import Workspace
from privlab.datasets.people import N_DIGESTS, PeopleDigests
from privlab.datasets.people_query import people_digests_from_dataset
from privlab.datasets.read import read_dataset

KEY = "ab" * 32


def people_of(text: str, path: Path) -> PeopleDigests:
    path.write_text(text)
    with Workspace() as workspace:
        return people_digests_from_dataset(read_dataset(path, workspace=workspace), KEY)


def by_hand(texts: set[str]) -> tuple[str, ...]:
    """Return the smallest digests of some texts, by the library of the language."""
    return tuple(
        sorted(hashlib.sha256(f"{KEY}|{text}".encode()).hexdigest()[:16] for text in texts)[:N_DIGESTS]
    )


def test_digests_are_those_of_the_ids_and_first_rows_worked_out_by_hand(tmp_path: Path) -> None:
    rows = [f"{user},2026-03-02 {hour:02d}:05:30,{zone}" for user in "abc" for hour, zone in ((9, 2), (8, 1))]
    found = people_of("\n".join(["user,time,zone", *rows]), tmp_path / "a.csv")
    assert found.by_id == by_hand({"a", "b", "c"})
    assert found.by_first_row == by_hand({f"{user}|2026-03-02 08:05" for user in "abc"})
    assert not found.running
    other = people_of("\n".join(["zone,card,when", *(",".join(row.split(",")[::-1]) for row in rows[::-1])]).replace(
        "zone,card,when", "zone,time,user"), tmp_path / "b.csv")  # fmt: skip
    assert other == found


def test_of_many_people_the_smallest_digests_are_kept(tmp_path: Path) -> None:
    users = {f"card-{number}" for number in range(3 * N_DIGESTS)}
    rows = [f"{user},2026-03-02 08:05,1\n{user},2026-03-02 09:05,2" for user in sorted(users)]
    found = people_of("\n".join(["user,time,zone", *rows]), tmp_path / "a.csv")
    assert found.by_id == by_hand(users)
    assert len(found.by_id) == N_DIGESTS


SPELLED = {"27384": "27384", "27384.0": "27384", "00027384": "27384", " 27384 ": "27384", "000": "0", "0.0": "0", "7.": "7",
           "10.50": "10.50", "00a": "00a", "1e3": "1e3", "100": "100", "-07": "-07", "007.5": "007.5"}  # fmt: skip


@pytest.mark.parametrize(("written", "digested"), SPELLED.items())
def test_one_person_is_known_again_however_a_whole_number_is_spelled(
    written: str, digested: str, tmp_path: Path
) -> None:
    """As pandas writes a column of whole numbers that lacks one, and as a card's number is padded."""
    rows = [f'"{user}",2026-03-02 {hour:02d}:05,1' for user in (written, "x") for hour in (8, 9)]
    found = people_of("\n".join(["user,time,zone", *rows]), tmp_path / "a.csv")
    assert found.by_id == by_hand({digested, "x"})
    assert found.by_first_row == by_hand({f"{user}|2026-03-02 08:05" for user in (digested, "x")})


def test_ids_with_zeros_or_spaces_are_digested_as_they_are_written_too(tmp_path: Path) -> None:
    """As ledgers of before have them; where nothing is left out of any id there is no second list."""
    for users, is_twice in (({"00027384", "x"}, True), ({"27384", "x"}, False)):
        rows = [f'"{user}",2026-03-02 {hour:02d}:05,1' for user in users for hour in (8, 9)]
        found = people_of("\n".join(["user,time,zone", *rows]), tmp_path / "a.csv")
        assert found.by_id == by_hand({"27384", "x"})
        assert found.by_id_as_written == (by_hand(users) if is_twice else ())
        first_rows = {f"{user}|2026-03-02 08:05" for user in users}
        assert found.by_first_row_as_written == (by_hand(first_rows) if is_twice else ())


def test_two_spellings_in_one_file_do_not_make_a_list_seem_whole(tmp_path: Path) -> None:
    """Everybody is there twice: the list holds as many people as it may, and so says that others are missing."""
    users = [f"{zeros}{number}" for number in range(5_000, 5_000 + 2 * N_DIGESTS) for zeros in ("", "0")]
    rows = [f'"{user}",2026-03-02 08:05,1\n"{user}",2026-03-02 09:05,2' for user in users]
    found = people_of("\n".join(["user,time,zone", *rows]), tmp_path / "a.csv")
    assert found.by_id == by_hand({str(int(user)) for user in users})
    assert len(found.by_id) == N_DIGESTS


@pytest.mark.parametrize(
    ("ids", "running"),
    [
        ([0, 1, 2, 3], True),
        ([100, 101, 103, 107], True),  # four of eight numbers
        ([100, 101, 103, 108], False),
        ([17, 4_000_000, 99_999_999], False),
        (["00", "01", "02"], False),  # no plain numbers
        ([0, 1, 2, "x"], False),
        ([7], True),
        ([10**30, 10**30 + 1], False),
    ],
)
def test_whole_numbers_with_few_gaps_name_nobody(ids: list[object], running: bool, tmp_path: Path) -> None:
    rows = [f"{user},2026-03-02 {hour:02d}:05,{zone}" for user in ids for hour, zone in ((8, 1), (9, 2))]
    assert people_of("\n".join(["user,time,zone", *rows]), tmp_path / "a.csv").running is running


def test_counts_have_no_people_iv(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="dataset must name its users"):
        people_of("origin,destination,count\n1,2,30\n2,1,40\n", tmp_path / "a.csv")


@pytest.mark.parametrize("digests", [("b" * 16, "a" * 16), ("a" * 16, "a" * 16), ("a" * 15,), ("G" * 16,)])
def test_what_is_no_digest_is_refused_iv(digests: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError, match="digests must be"):
        PeopleDigests(by_id=digests, by_first_row=(), running=False)
