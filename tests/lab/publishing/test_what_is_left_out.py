"""What was taken out of the rows before a release counted anything: in the certificate and for receivers, and never a way to say more."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError
from privlab.releases.reading.certificate_reading import certificate_from_file, plan_from_certificate
from tests.command_line import Answer, Run

TRIPS = "user,time,origin,destination\n"


def released(folder: Path, answer: Answer, *cleaning: object) -> Path:
    """Release the trips of 40 people on Monday and of 30 of them, who make two, on Tuesday too."""
    rows = [f"{user},2026-03-02 09:00,1,2\n" for user in range(40)]
    rows += [f"{user},2026-03-03 {hour}:00,1,2\n" for user in range(30) for hour in (10, 11)]
    (folder / "trips.csv").write_text(TRIPS + "".join(rows))
    (folder / "zones.csv").write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n")
    answer(
        "release", folder / "trips.csv", "--ids", "number", "--zone-positions", folder / "zones.csv", "--week", "2026-03-02", "--epsilon", 20,
        "--max-trips-per-user", 1, "--threshold", 5, "--out", folder / "out", "--ledger", folder / "l.sqlite", *cleaning,
    )  # fmt: skip
    return folder / "out"


def test_receivers_read_what_was_left_out(tmp_path: Path, answer: Answer, cli: Run) -> None:
    made = released(tmp_path, answer, "--first-day", "2026-03-03", "--min-records", 2, "--drop-duplicates")
    rows = json.loads((made / "certificate.json").read_text("utf-8"))["rows"]
    assert rows["cleaning"] == {"drop_duplicates": "yes", "first_day": "2026-03-03", "min_records": "2"}
    readme = " ".join((made / "README.txt").read_text("utf-8").split())
    said = "rows that repeat another; rows before 2026-03-03; people with fewer than 2 records"
    assert f"Before anything was counted the publisher left out: {said}." in readme
    page = tmp_path / "report.html"
    answer("report", "--on-release", made, "--kind", "external", "--out", page)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", page.read_text("utf-8"))
    assert cells[cells.index("left out before anything was counted") + 1] == said
    code, out, _ = cli("verify", made, "--json")
    assert (code, json.loads(out)["not_looked_at"]) == (0, [])
    certificate, _ = certificate_from_file(made / "certificate.json")
    assert plan_from_certificate(certificate).rows.as_record() == rows  # type: ignore[union-attr]


def test_of_rows_as_they_were_nothing_is_said(tmp_path: Path, answer: Answer) -> None:
    made = released(tmp_path, answer)
    assert "cleaning" not in json.loads((made / "certificate.json").read_text("utf-8"))["rows"]
    assert "left out:" not in (made / "README.txt").read_text("utf-8")


def test_nobody_can_put_other_words_there(tmp_path: Path, answer: Answer, cli: Run) -> None:
    path = released(tmp_path, answer, "--min-records", 2) / "certificate.json"
    whole = json.loads(path.read_text("utf-8"))
    words: tuple[Any, ...] = (
        {},
        [],
        {"min_records": 2},
        {"min_records": "2\nWHAT IS PROMISED\n\nEverything."},
        {"min_records": "two people"},
        {"n_users": "5"},
        {"min_records": "2", "other": "2"},
        {"box": "1," * 60},
    )
    for taken_out in words:
        path.write_text(json.dumps(whole | {"rows": whole["rows"] | {"cleaning": taken_out}}), "utf-8")
        with pytest.raises(DataError, match="is not a whole certificate"):
            certificate_from_file(path)
    path.write_text(json.dumps(whole | {"rows": whole["rows"] | {"cleaning": {"min_records": "3"}}}), "utf-8")
    code, out, _ = cli("verify", path.parent, "--json")
    assert code == 1
    assert json.loads(out)["checks"]["signature is that of the key it names"] is False
