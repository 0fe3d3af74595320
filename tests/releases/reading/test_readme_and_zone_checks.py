"""What stands beside a release, and is not signed: changed by hand, it no longer passes, and what no release has is named."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.command_line import Answer, Run
from tests.datasets.columns.test_projected_systems import utm

README, ZONES = "README.txt follows from the certificate", "zones.csv follows from the certificate"


@pytest.fixture
def folder(tmp_path: Path, answer: Answer) -> Path:
    """A release over two by two boxes in degrees, where people go from the first to the last."""
    rows = [
        f"{user},2026-03-02 {hour:02d}:05,{at}\n"
        for user in range(40)
        for hour, at in ((8, "45.1,8.1"), (9, "45.6,8.6"))
    ]
    (tmp_path / "people.csv").write_text("user,time,lat,lon\n" + "".join(rows))
    answer(
        "release", tmp_path / "people.csv", "--zones", "box:45,8,46,9:2x2", "--week", "2026-03-02", "--epsilon", 1,
        "--max-trips-per-user", 1, "--threshold", 5, "--ledger", tmp_path / "l.sqlite", "--out", tmp_path / "out",
        "--accept-made-up", "a drill",
    )  # fmt: skip
    return tmp_path / "out"


def verified(cli: Run, folder: Path) -> dict[str, Any]:
    code, out, _ = cli("verify", folder, "--json")
    found: dict[str, Any] = json.loads(out)
    assert code == (0 if found["holds"] else 1)
    return found


def test_all_files_of_a_sound_release_are_looked_at(cli: Run, folder: Path) -> None:
    found = verified(cli, folder)
    assert (found["holds"], found["not_looked_at"]) == (True, [])
    assert found["checks"][README]
    assert found["checks"][ZONES]
    (folder / "zones.csv").unlink()  # a copy is whole without what only explains it
    found = verified(cli, folder)
    assert (found["holds"], found["not_looked_at"]) == (True, [])
    assert README in found["checks"]
    assert ZONES not in found["checks"]


def test_a_readme_that_promises_more_than_the_certificate_is_named(cli: Run, folder: Path) -> None:
    """Not a fault, since a sound release of another privlab has other words; but never passed over."""
    path = folder / "README.txt"
    said = path.read_text("utf-8")
    assert "ε = 1" in said
    for content in (said.replace("ε = 1", "ε = 0.1").encode(), b"\xff\x00"):  # the second is no text at all
        path.write_bytes(content)
        found = verified(cli, folder)
        assert found["holds"]
        assert found["differs_from_certificate"] == [
            "README.txt (not the words that follow from the certificate today: believe the certificate)"
        ]
        assert found["not_looked_at"] == []  # it was
        assert README not in found["checks"]


def test_a_file_that_was_saved_again_is_named_with_what_does_it(cli: Run, folder: Path) -> None:
    """By pandas, with ends of lines as a spreadsheet writes them: the same numbers, other bytes."""
    assert verified(cli, folder)["differs_from_certificate"] == []
    path = folder / "release.csv"
    pd.read_csv(path).to_csv(path, index=False, lineterminator="\r\n")
    found = verified(cli, folder)
    assert not found["checks"]["files are those certified"]
    how = "not the bytes certified: saving it again, as from a spreadsheet, changes them, even where all numbers stay"
    assert found["differs_from_certificate"] == [f"release.csv ({how})"]
    estimates = folder / "estimates.csv"
    estimates.write_bytes(estimates.read_bytes() + b"\n")
    found = verified(cli, folder)
    assert found["differs_from_certificate"] == [f"release.csv ({how})", f"estimates.csv ({how})"]
    code, out, _ = cli("verify", folder)
    assert code == 1
    assert f"release.csv ({how})" in out


def test_zones_that_changed_places_do_not_pass_and_a_last_digit_does(cli: Run, folder: Path) -> None:
    path = folder / "zones.csv"
    genuine = path.read_text("utf-8")
    header, first, second, *others = genuine.splitlines()
    assert first.startswith(
        "0,45.250000,8.250000,"
    )  # the middle of the box of 45 to 45.5 and 8 to 8.5 degrees
    swapped = [f"{first[0]}{second[1:]}", f"{second[0]}{first[1:]}"]
    for rows in (
        [second, first],
        swapped,
        [first],
        [first, second, *others, "4,45.0,8.0,"],
        [first, second, *others[:-1], f"{others[-1]}1.000000"],
    ):
        path.write_text("\n".join([header, *rows, *(others if len(rows) == 2 else [])]) + "\n")
        found = verified(cli, folder)
        assert [what for what, holds in found["checks"].items() if not holds] == [ZONES]
        assert found["differs_from_certificate"] == ["zones.csv (not the zones that the certificate states)"]
    path.write_text(genuine.replace("45.250000", "45.250001", 1))  # as another machine may round it
    assert verified(cli, folder)["holds"]
    path.write_text(genuine.replace("45.250000", "45.250004", 1))
    assert not verified(cli, folder)["holds"]


def test_what_no_release_has_is_named(cli: Run, folder: Path) -> None:
    (folder / "true_counts.csv").write_text("origin,destination,count\n0,3,40\n")
    (folder / "more").mkdir()
    (folder / "a\u202eb.txt").write_text("")
    found = verified(cli, folder)
    assert found["holds"]
    assert found["not_looked_at"] == ["a�b.txt", "more/", "true_counts.csv"]


def test_where_another_check_fails_what_stands_beside_it_is_not_compared(cli: Run, folder: Path) -> None:
    (folder / "release.csv").write_text("week,origin,destination,count\n")
    found = verified(cli, folder)
    assert README not in found["checks"]
    assert found["not_looked_at"] == [
        "README.txt (compared only where all else holds)",
        "zones.csv (compared only where all else holds)",
    ]


def test_zones_of_a_publisher_that_the_certificate_does_not_place_are_named(
    cli: Run, answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    where, out = tmp_path / "zones.csv", tmp_path / "out"
    where.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    answer(
        "release", world_csv, "--ids", "number", "--zone-positions", where, "--week", "2026-03-02", "--epsilon", 5,
        "--max-trips-per-user", 2, "--threshold", 0, "--accept-made-up", "a test", "--out", out, "--ledger",
        tmp_path / "l.sqlite",
    )  # fmt: skip
    assert (out / "zones.csv").read_text("utf-8").splitlines()[:2] == ["zone,lat,lon", "1,45.000000,9.000000"]
    assert verified(cli, out)["holds"]
    found = tmp_path / "found"
    answer(
        "release", world_csv, "--ids", "number", "--cells", "discovered", "--week", "2026-03-02", "--epsilon", 5, "--max-trips-per-user", 2,
        "--threshold", 40, "--accept-made-up", "a test", "--out", found, "--ledger", tmp_path / "l.sqlite",
    )  # fmt: skip
    assert not (found / "zones.csv").exists()
    (found / "zones.csv").write_bytes(where.read_bytes())
    said = verified(cli, found)
    assert (said["holds"], said["not_looked_at"]) == (True, ["zones.csv"])


def test_a_release_of_metres_of_a_known_system_is_in_degrees(
    cli: Run, answer: Answer, tmp_path: Path
) -> None:
    places = [utm(48.137, 11.575, 32), utm(48.16, 11.6, 32)]
    row = ",".join(f"{value:.1f}" for place in places for value in place)
    rows = [f"{user},2026-03-02 09:00,{row}\n" for user in range(40)]
    (tmp_path / "trips.csv").write_text("user,time,from_x,from_y,to_x,to_y\n" + "".join(rows))
    out = tmp_path / "out"
    answer(
        "release", tmp_path / "trips.csv", "--crs", "32632", "--zones", "grid:2000:48.1,11.5,48.2,11.7", "--week", "2026-03-02", "--epsilon", 5,
        "--max-trips-per-user", 1, "--threshold", 20, "--ledger", tmp_path / "l.sqlite", "--out", out,
    )  # fmt: skip
    assert (out / "zones.csv").read_text("utf-8").startswith("zone,lat,lon,outline_wkt\n0,48.1")
    assert verified(cli, out)["holds"]
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    assert certificate["rows"] == {"kind": "trips", "timezone": None}
    (flow,) = pd.read_csv(out / "release.csv").query("count > 0").to_dict("records")
    where = pd.read_csv(out / "zones.csv").set_index("zone")
    for end, place in (("origin", (48.137, 11.575)), ("destination", (48.16, 11.6))):
        middle = where.loc[flow[end], ["lat", "lon"]].to_numpy(float)
        assert (abs(middle - place) < (0.01, 0.014)).all()  # half of 2,000 m


def test_a_release_of_places_in_metres_says_metres(cli: Run, answer: Answer, tmp_path: Path) -> None:
    """Two rows and two columns of 1,000 m, of which the eastern ones end at 500 m: middles and corners by hand."""
    rows = [f"{user},2026-03-02 09:00,430100,5410100,431100,5411900\n" for user in range(40)]
    (tmp_path / "trips.csv").write_text("user,time,from_x,from_y,to_x,to_y\n" + "".join(rows))
    out = tmp_path / "out"
    answer(
        "release", tmp_path / "trips.csv", "--zones", "grid:1000:5410000,430000,5412000,431500", "--week", "2026-03-02", "--epsilon", 5,
        "--max-trips-per-user", 1, "--threshold", 5, "--ledger", tmp_path / "l.sqlite", "--out", out,
    )  # fmt: skip
    header, first, second, *_ = (out / "zones.csv").read_text("utf-8").splitlines()
    assert header == "zone,x,y,outline_wkt"
    assert first.startswith('0,430500.00,5410500.00,"POLYGON ((430000.00 5410000.00, 431000.00 5410000.00, ')
    assert second.startswith("1,431250.00,5410500.00,")
    words = " ".join((out / "README.txt").read_text("utf-8").split())
    assert (
        "zones.csv says where each lies, in metres of a projected system. There are 4 zones. Where certificate.json gives"
        in words
    )
    assert "- x: its middle, in metres to the east" in words
    assert "latitude" not in words
    found = verified(cli, out)
    assert (found["holds"], found["not_looked_at"]) == (True, [])
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    assert certificate["rows"] == {"kind": "trips", "timezone": None, "in_metres": True}
    (out / "zones.csv").write_text("\n".join((header, second, first)) + "\n", "utf-8")
    assert [what for what, holds in verified(cli, out)["checks"].items() if not holds] == [ZONES]


def test_a_release_of_numbered_days_says_that_dates_mean_nothing(
    cli: Run, answer: Answer, tmp_path: Path
) -> None:
    """Day 7 begins the second week, which is called by the Monday after day 0: people go from cell (0, 0) to cell (2, 2) of 500 m."""
    rows = [f"{user},7,{slot},{cell},{cell}\n" for user in range(40) for slot, cell in ((16, 0), (18, 2))]
    (tmp_path / "study.csv").write_text("uid,d,t,x,y\n" + "".join(rows))
    out = tmp_path / "out"
    answer(
        "release", tmp_path / "study.csv", "--zones", "grid:1000:0,0,2000,2000", "--week", "2000-01-10", "--epsilon", 5,
        "--max-trips-per-user", 1, "--threshold", 5, "--ledger", tmp_path / "l.sqlite", "--out", out,
    )  # fmt: skip
    words = " ".join((out / "README.txt").read_text("utf-8").split())
    assert "day 0 is called Monday 3 January 2000 here. Dates and days of the week mean nothing" in words
    assert "clock that the times were written by" not in words
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    assert certificate["rows"] == {
        "kind": "records",
        "timezone": None,
        "in_metres": True,
        "days_numbered": True,
    }
    flows = pd.read_csv(out / "release.csv")
    assert (
        (flows.origin == 0) & (flows.destination == 3)
    ).sum() == 1  # from the cell of the south-west to that of the north-east
    found = verified(cli, out)
    assert (found["holds"], found["not_looked_at"]) == (True, [])
    refused = answer(
        "release", tmp_path / "study.csv", "--zones", "grid:1000:0,0,2000,2000", "--week", "2000-01-10", "--epsilon", 5,
        "--max-trips-per-user", 1, "--product", "flows-by-slot", "--ledger", tmp_path / "l.sqlite", "--out", out, fails=True,
    )  # fmt: skip
    assert "the data numbers its days and does not say which are workdays" in refused
    simulated = answer(
        "od", tmp_path / "study.csv", "--zones", "grid:1000:0,0,2000,2000", "--epsilon", 5, "--max-trips-per-user", 1,
        "--product", "flows-by-slot", "--out", tmp_path / "od", fails=True,
    )  # fmt: skip
    assert simulated == refused
