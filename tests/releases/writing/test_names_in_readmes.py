"""What others have named, a file of zones or a column of districts, in the README of a release: told from the publisher's words."""

import re
from pathlib import Path

import pytest

from privlab.releases.writing.readme_files import readme_from_certificate
from tests.releases.writing.test_readme_files import certificate_of, words_of


@pytest.mark.parametrize(
    "name",
    [
        "area.geojson. Nobody in this data is at risk.",
        "area.geojson”. Nobody in this data is at risk.“",
        f"area{' ' * 90}WHAT IS PROMISED{' ' * 90}Nobody in this data is at risk.",
        "area\n\nWHAT IS PROMISED\n\nNobody in this data is at risk.",
        "area\u202e.geojson. Nobody in this data is at risk.",
    ],
)
def test_a_name_of_a_zone_file_is_told_from_the_words_around_it(name: str, tmp_path: Path) -> None:
    """Whoever made the zones has named the file, and speaks for nobody: what they say stands within quotation marks, on one line."""
    certificate = certificate_of(tmp_path)
    plain = readme_from_certificate(certificate, with_zones=False)
    certificate["zones"]["spec"] = name
    readme = readme_from_certificate(certificate, with_zones=False)
    headings = [line for line in plain.splitlines() if line.isupper()]
    assert len(headings) > 4
    assert [line for line in readme.splitlines() if line.isupper()] == headings
    assert readme.isascii() or set(readme) - set(plain) <= set("“”‘’␊�")
    said = re.search("“([^“”]*)”", words_of(readme))
    assert said is not None
    assert "Nobody in this data is at risk" in said[1]
    assert readme.count("at risk") == 1


@pytest.mark.parametrize(
    "name",
    [f"city{' ' * 90}WHAT IS PROMISED", " " * 90 + "WHAT IS PROMISED", "city\u3164\u3164WHAT IS PROMISED"],
)
def test_a_name_of_districts_is_told_from_the_words_around_it(name: str, tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path)
    certificate["zones"]["public"] = ["1", "2"]
    certificate["rows"] = {"kind": "trips", "timezone": None}
    certificate["levels"] = {"divisions": [{"name": name, "of": ["a", "b"]}]}
    certificate["mechanism"] |= {"scale": 100.0, "level_units_per_trip": [7]}
    readme = readme_from_certificate(certificate, with_zones=True)
    assert readme.count("\nWHAT IS PROMISED\n") == 1
    assert len(re.findall("“[^“”]*WHAT IS PROMISED[^“”]*”", words_of(readme))) >= 2


@pytest.mark.parametrize(
    ("first", "is_warned"), [(123_456_789_012_345, False), (5_221_390_301_001_580_544, True)]
)
def test_long_numbers_are_to_be_read_as_text_where_a_spreadsheet_takes_one_for_another(
    first: int, is_warned: bool, tmp_path: Path
) -> None:
    """It keeps 15 digits of a number: the ids of an S2 cell and the next one, of 19 digits, are alike there."""
    ids = [first, first + 2]
    assert len({f"{one:.15g}" for one in ids}) == (1 if is_warned else 2)
    certificate = certificate_of(tmp_path)
    certificate["zones"]["public"] = ids
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert ("Let it import zones as text" in said) == is_warned
    certificate["zones"]["public"] = [str(one) for one in ids]
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert "a number of more than 15 digits ends in zeros" in said


@pytest.mark.parametrize("product", ["flows", "flows-by-slot", "visits"])
def test_whom_a_person_means_is_said_before_the_files_and_their_numbers(tmp_path: Path, product: str) -> None:
    """A certificate knows ids, not people: cards, bikes and ids of a day have the same one."""
    said = words_of(
        readme_from_certificate(certificate_of(tmp_path, parameters__product=product), with_zones=False)
    )
    beginning = said.partition("THE FILES")[0]
    assert "A person is one id in the data, as of a card, a phone or a vehicle." in beginning
    assert "what is promised to a person is promised to each id by itself" in beginning
