"""How the tests are shared out among processes: every file that is named is there, once."""

from pathlib import Path

import pytest

from tests.sharing import BROWSER, LONGEST, place_in_line, unit

FILES = [path.as_posix() for path in Path(__file__).parent.rglob("test_*.py")]


@pytest.mark.parametrize("name", LONGEST)
def test_what_takes_longest_is_one_file_or_all_with_a_browser(name: str) -> None:
    found = [file for file in FILES if file.endswith(f"/{name}")]
    assert len(found) == 1 or (name == BROWSER and found == [])


def test_all_that_drive_a_browser_are_one_unit_and_no_other_file() -> None:
    together = {file for file in FILES if unit(file) == BROWSER}
    assert together == {path.as_posix() for path in (Path(__file__).parent / "browser").glob("test_*.py")}
    assert len(together) > 5
    assert {unit(file) for file in FILES} == {BROWSER, *FILES} - together


def test_the_longest_come_first_and_others_last() -> None:
    line = list(dict.fromkeys(unit(file) for file in sorted(FILES, key=place_in_line)))
    assert line[0] == BROWSER
    assert [file.endswith(name) for file, name in zip(line, LONGEST, strict=False)] == [True] * len(LONGEST)
    assert place_in_line("tests/dp/audit/test_auditing.py") == len(LONGEST)
    assert place_in_line("tests/browser/test_sessions.py") < place_in_line("tests/ui/test_sessions.py")
