"""How the tests are shared out among processes: every file that is named is there, once."""

from pathlib import Path

import pytest

from tests.sharing import LONGEST, place_in_line

FILES = [path.as_posix() for path in Path(__file__).parent.rglob("test_*.py")]


@pytest.mark.parametrize("name", LONGEST)
def test_what_takes_longest_is_one_file(name: str) -> None:
    assert len([file for file in FILES if file.endswith(f"/{name}")]) == 1


def test_the_longest_come_first_and_others_last() -> None:
    line = sorted(FILES, key=place_in_line)
    assert [file.endswith(f"/{name}") for file, name in zip(line, LONGEST, strict=False)] == [True] * len(
        LONGEST
    )
    assert place_in_line("tests/dp/audit/test_auditing.py") == len(LONGEST)
    assert place_in_line("tests/browser/test_sessions.py") < place_in_line("tests/ui/test_sessions.py")
