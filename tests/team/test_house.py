"""A new password at the command line: typed by a person, and one sentence where nobody types."""

import subprocess
import sys
from pathlib import Path

from team.accounts import people_from_file, person_with_password, save_people

ROOT = Path(__file__).parents[2]


def test_a_password_that_nobody_types_changes_nothing(tmp_path: Path) -> None:
    people = tmp_path / "login" / "people.json"
    people.parent.mkdir()
    anna = person_with_password("anna@house.example", "an owl and a moon", may_release=True)
    save_people(people, {anna.email: anna})

    def asked(typed: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "ignore", "-m", "team.house", "password", "Ben@house.example"]
        return subprocess.run(
            [*command, "--folder", str(tmp_path)],
            cwd=ROOT,
            input=typed,
            capture_output=True,
            text=True,
            start_new_session=True,
        )

    for typed, sentence in (
        ("", "No password was typed: nothing was changed."),
        ("short\n", "A password must have 12 characters or more."),
    ):
        done = asked(typed)
        assert (done.returncode, done.stderr.splitlines()[-1].endswith(sentence)) == (1, True), done.stderr
        assert list(people_from_file(people)) == [anna.email]
    assert asked("an ox and a sun\n").returncode == 0
    assert sorted(people_from_file(people)) == [anna.email, "ben@house.example"]
