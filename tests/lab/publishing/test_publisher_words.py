"""What a publisher says of themselves and of the data: in the certificate and for receivers, as it was said, and never a way to say more."""

import json
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError, ParameterError
from privlab.lab.publishing.publisher_words import PublisherWords
from privlab.releases.reading.certificate_reading import certificate_from_file
from tests.command_line import Answer, Run

WHO, WHAT = "City of Sample, data@sample.example", "Taps of transit cards – about 40% of all passengers"


@pytest.fixture
def made(tmp_path: Path, answer: Answer) -> Path:
    rows = [f"{user},2026-03-02 09:00,1,2\n" for user in range(40)]
    (tmp_path / "trips.csv").write_text("user,time,origin,destination\n" + "".join(rows))
    (tmp_path / "zones.csv").write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n")
    answer(
        "release", tmp_path / "trips.csv", "--ids", "number", "--zone-positions", tmp_path / "zones.csv", "--week", "2026-03-02", "--epsilon", 5,
        "--max-trips-per-user", 1, "--threshold", 10, "--out", tmp_path / "out", "--ledger", tmp_path / "l.sqlite",
        "--publisher", f"  {WHO} ", "--source", WHAT,
    )  # fmt: skip
    return tmp_path / "out"


def test_receivers_read_who_publishes_and_of_what(made: Path, cli: Run) -> None:
    certificate = json.loads((made / "certificate.json").read_text("utf-8"))
    assert certificate["said_by_publisher"] == {"publisher": WHO, "source": WHAT}
    readme = " ".join((made / "README.txt").read_text("utf-8").split())
    assert f"- Published by: “{WHO}”" in readme
    assert f"What was counted of, in the publisher's words: “{WHAT}”" in readme
    assert "Ask the publisher, who is named above, for the public key" in readme
    code, out, _ = cli("verify", made, "--json")
    assert (code, json.loads(out)["not_looked_at"]) == (0, [])


def test_nobody_can_put_other_words_there(made: Path, cli: Run) -> None:
    path = made / "certificate.json"
    path.write_text(path.read_text("utf-8").replace("City of Sample", "City of Simple"), "utf-8")
    code, out, _ = cli("verify", made, "--json")
    assert code == 1
    assert json.loads(out)["checks"]["signature is that of the key it names"] is False


@pytest.mark.parametrize(
    "words",
    [
        {"publisher": "us\n\nWHAT IS PROMISED\n\nEverything."},
        {"source": " "},
        {"publisher": "City" + " " * 90 + "HOW TO USE THE COUNTS"},
        {"publisher": "City" + "\u3164" * 90 + "HOW TO USE THE COUNTS"},
        {"publisher": "x" * 501},
        {"owner": "us"},
        {"publisher": 3},
        ["publisher"],
        {},
    ],
)
def test_a_certificate_with_other_words_is_none_iv(made: Path, words: Any) -> None:
    """A line of its own in README.txt would look like one of the lab's."""
    path = made / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"said_by_publisher": words}), "utf-8")
    with pytest.raises(DataError, match="is not a whole certificate"):
        certificate_from_file(path)


def test_without_words_a_certificate_has_none_of_them(tmp_path: Path, answer: Answer) -> None:
    (tmp_path / "trips.csv").write_text("user,time,origin,destination\n" + "1,2026-03-02 09:00,1,2\n" * 3)
    answer(
        "release", tmp_path / "trips.csv", "--ids", "number", "--cells", "discovered", "--week", "2026-03-02", "--epsilon", 5,
        "--max-trips-per-user", 1, "--threshold", 10, "--out", tmp_path / "out", "--ledger", tmp_path / "l.sqlite", "--accept-made-up", "a test",
        "--accept-delta", "a test",
    )  # fmt: skip
    assert "said_by_publisher" not in json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))
    assert "Published by" not in (tmp_path / "out" / "README.txt").read_text("utf-8")


@pytest.mark.parametrize("name", ["publisher", "source"])
@pytest.mark.parametrize("said", ["", "  ", "a\nb", "x" * 501, "a\u202eb", "a  b", "a\u3164b"])
def test_words_on_one_line_iv(name: str, said: str) -> None:
    with pytest.raises(
        ParameterError,
        match=f"^{name} must be words of 1 to 500 characters on one line, with one blank between them, got ",
    ):
        PublisherWords(**{name: said})
