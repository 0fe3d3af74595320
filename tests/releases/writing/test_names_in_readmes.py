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
