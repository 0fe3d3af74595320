"""What is recognised quickly is what the slow definitions say: lines, published layouts, delimiters."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privlab.datasets.files import file_kinds
from privlab.datasets.files.delimiters import DELIMITERS, _fit, delimiter_from_text
from privlab.datasets.files.file_kinds import scan_from_path
from privlab.datasets.files.sources import source_from_path, sources_from_files
from privlab.datasets.layouts import layouts
from privlab.datasets.layouts.known_layouts import _agreeing
from privlab.datasets.layouts.layouts import TextLayout, layout_from_head

PIECES = st.sampled_from(["a", "b c", "1.5", '"', '"x,y"', "\r", "\n", "\r\n", "", " ", *DELIMITERS])


@given(st.lists(st.booleans(), max_size=30))
def test_enough_lines_agree_against_their_share(holds: list[bool]) -> None:
    expected = bool(holds) and sum(holds) >= 0.8 * len(holds)
    lines = [str(number) for number in range(len(holds))]
    assert _agreeing(lines, lambda line: holds[int(line)]) == expected


@given(st.lists(PIECES, max_size=60).map("".join))
def test_the_delimiter_is_the_one_that_fits_best_of_all(body: str) -> None:
    assert delimiter_from_text(body) == max(DELIMITERS, key=lambda one: _fit(body, one))


@given(
    st.lists(st.sampled_from(["ab", "c", "\r", "\n", "\r\n", "\x0b", "\x85", "\u2028"]), max_size=30).map(
        "".join
    )
)
def test_lines_end_where_files_end_them_and_nowhere_else(text: str) -> None:
    head = f"user,time,zone\n{text}\nu,2026-03-02 08:00,1\n"
    layout = layout_from_head(head.encode(), Path("a.csv"))
    lines = re.split(r"\r\n|\r|\n", text)
    assert [row[0].strip() for row in layout.rows if len(row) == 1] == [
        line.strip() for line in lines if line.strip()
    ]


LINES = st.sampled_from(
    [
        "u,2026-03-02,1",
        "37.75 -122.39 0 1213084687",
        "a;b",
        ",,",
        " ",
        "",
        '"x',
        "48.5,9",
        "u\t2010-10-19T23:55:27Z\t1\t2\tx",
    ]
)


@given(
    header=st.sampled_from(["user,time,zone", "a;b,c", "user,time,zone,", "1,2,3", "", "Geolife trajectory"]),
    repeated=st.lists(LINES, min_size=1, max_size=3),
    rest=st.lists(LINES, max_size=5),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_the_beginning_tells_what_the_whole_text_tells(
    header: str, repeated: list[str], rest: list[str], end: str
) -> None:
    head = end.join([header, *(repeated * 450)[:450], *rest, "u,t,z"] * 3).encode()

    def told() -> TextLayout | str:
        try:
            return layout_from_head(head, Path("a.csv"))
        except layouts.DataError as error:
            return str(error)

    quick = told()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layouts, "_enough", lambda text: text)
        assert quick == told()


def test_a_sound_beginning_is_enough_and_no_other() -> None:
    row = "u,2026-03-02,1\n"
    assert len(layouts._enough(row * 100_000)) < 33_000
    for other in ('u,"2026-03-02",1\n', ",,\n", "\n"):
        text = row * 5 + other + row * 100_000
        assert layouts._enough(text) == text


@given(
    data=st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b",", b"a", "é".encode(), b"\xff"])).map(b"".join)
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_one_look_over_a_file_against_definitions(
    size: int, data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"looked_over_{size}.csv"
    path.write_bytes(data)

    def pieces(file: object, digest: object, path: Path, *, is_text: bool) -> list[bytes]:
        digest.update(data)  # type: ignore[attr-defined]
        return [data[at : at + size] for at in range(0, len(data), size)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_kinds, "_chunks", pieces)
        scan = scan_from_path(path, is_text=True, n_columns=3)
    ends = set(re.findall(rb"\r\n|\r|\n", data))
    is_utf8 = data.decode("utf-8", errors="replace").encode() == data
    assert scan.digest == hashlib.blake2b(data, digest_size=16).hexdigest()
    assert (scan.is_utf8, scan.is_plain) == (is_utf8, is_utf8 and len(ends) <= 1)


@pytest.mark.parametrize("wanted", ["auto", "table", "headerless"])
def test_later_files_of_a_folder_are_what_they_are_by_themselves_but_keep_no_rows(
    tmp_path: Path, wanted: str
) -> None:
    paths = [tmp_path / f"{name}.csv" for name in "abc"]
    for number, path in enumerate(paths):
        rows = "".join(f"u{number},2026-03-0{day},{day}\n" for day in range(1, 9))
        path.write_text("user,time,zone\n" + rows)
    found = sources_from_files(paths, tmp_path, wanted)
    alone = [source_from_path(path, tmp_path, wanted) for path in paths]
    assert found[0] == alone[0]
    for one, other in zip(found[1:], alone[1:], strict=True):
        assert one.layout is not None
        assert other.layout is not None
        assert len(other.layout.rows) >= 8
        assert one.layout == replace(other.layout, rows=())
