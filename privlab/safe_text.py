"""Ids and names from files → text that every place may show: nothing in it runs, breaks a line or hides.

Figures and pages show such text as plain text; no place reads it as HTML. What remains is dealt with here:
characters that are not seen, words that the map's JSON reader takes for code, and formulas in CSV files.
"""

import codecs
import re
import unicodedata

_NUMBER = re.compile(
    r"[+-]?[0-9][0-9,]*(\.[0-9]+)?(e[+-]?[0-9]+)?( ?%)?"
)  # a spreadsheet reads it as what it is
MOST_CHARACTERS = 120  # longer names are cut where they are shown
_MOST_BYTES = 120  # of a file's name, of the 255 that file systems hold

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # control, direction, surrogate, line separators …
_FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "＝",
    "＋",
    "－",
    "＠",
    "'",
)  # the quote too, so that one added quote can be told from the id's own
# Quotes too, for the file doubles them, and a cell that is cut there may begin with some.
_BEHIND_SEMICOLON = re.compile(rf"(;[\s\"]*)(?=[{re.escape(''.join(_FORMULA))}])")


def visible(text: object) -> str:
    """Return text with a picture of each control character and a mark for other unseen ones.

    >>> visible("a\\x00b\\nc"), visible("a\\u202eb"), visible(7)
    ('a␀b␊c', 'a�b', '7')
    """
    words = str(text)
    return words if words.isprintable() else "".join(map(_seen, words))


def _seen(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return "�" if unicodedata.category(character) in _UNSEEN else " "


def label(text: object) -> str:
    """Return text for a label or a tooltip: visible, and not endless.

    >>> len(label("x" * 5000))
    120
    """
    seen = visible(str(text)[: MOST_CHARACTERS + 1])
    return seen if len(seen) <= MOST_CHARACTERS else seen[: MOST_CHARACTERS - 1] + "…"


def figure_text(text: str) -> str:
    """Return text for a figure, which would read a tag in it as one: a link, a line's end, bold letters.

    >>> figure_text("<a href='http://a.b'>zone 7</a> &amp; 8")
    "&lt;a href='http://a.b'&gt;zone 7&lt;/a&gt; &amp;amp; 8"
    """
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def csv_text(text: str) -> str:
    """Return text for a CSV file that a spreadsheet may open: visible, and never a formula, in no country's spreadsheet.

    Text that begins with = + - @ or ' gets a ' before it, and so does what stands behind a semicolon, where a spreadsheet that parts
    cells there begins another; taking one away at each such place gives the id back.

    >>> csv_text("=cmd()"), csv_text("zone 7"), csv_text("'x"), csv_text("a; =cmd();b")
    ("'=cmd()", 'zone 7', "''x", "a; '=cmd();b")
    """
    seen = visible(text)
    return _BEHIND_SEMICOLON.sub(r"\1'", _no_formula(seen)) if ";" in seen else _no_formula(seen)


def cell_text(text: str) -> str:
    """Return text for a cell of a table that may be copied or saved from the page: as in a CSV file, numbers left alone.

    >>> cell_text("=cmd()"), cell_text("-1+cmd()"), cell_text("-3.2 %"), cell_text("zone 7")
    ("'=cmd()", "'-1+cmd()", '-3.2 %', 'zone 7')
    """
    return text if _NUMBER.fullmatch(text) else _no_formula(visible(text))


def _no_formula(seen: str) -> str:
    return f"'{seen}" if seen.lstrip().startswith(_FORMULA) else seen


def file_word(text: str) -> str:
    """Return text for the name of a file, so short that there is room for more beside it.

    >>> file_word("my trips/2026;=x().csv"), len(file_word("x" * 5000))
    ('my_trips_2026_x_.csv', 120)
    """
    words = "".join(c if c.isalnum() or c in "._-" else " " for c in text).split()
    word = "_".join(words).lstrip(".-").encode()[:_MOST_BYTES]
    return word.decode(errors="ignore") or "data"


def readable_csv(content: bytes) -> bytes:
    """Return a CSV file whose first line, where it is a comment, says how pandas reads what is below the comments.

    One with other letters than ASCII's begins with the mark of UTF-8, without which spreadsheets read ε as two others.

    >>> readable_csv(b"# Curve\\n# seed 1\\na,b\\n1,2\\n")
    b"# Curve (pandas.read_csv reads it with comment='#')\\n# seed 1\\na,b\\n1,2\\n"
    >>> readable_csv(b"# Curve\\na,b\\n1,no #2\\n"), readable_csv(b"a,b\\n")
    (b'# Curve (pandas.read_csv reads it with skiprows=1)\\na,b\\n1,no #2\\n', b'a,b\\n')
    >>> readable_csv("ε,b\\n".encode())
    b'\\xef\\xbb\\xbf\\xce\\xb5,b\\n'
    """
    return (b"" if content.isascii() else codecs.BOM_UTF8) + _commented(content)


def _commented(content: bytes) -> bytes:
    lines = content.split(b"\n")
    n_comments = next((at for at, line in enumerate(lines) if not line.startswith(b"#")), len(lines))
    if not n_comments:
        return content
    # A # in a cell would cut its row off.
    cut = any(b"#" in line for line in lines[n_comments:])
    how = f"skiprows={n_comments}" if cut else "comment='#'"
    lines[0] += f" (pandas.read_csv reads it with {how})".encode()
    return b"\n".join(lines)


_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"  # that print, and show nothing


def is_plain_line(text: str, most: int) -> bool:
    """Return whether a text is words on one line that can look like nothing else where it stands: no more than `most` letters, none unseen.

    >>> is_plain_line("City of Sample, data@sample.example", 500), is_plain_line("City" + " " * 90 + "THE COLUMNS", 500)
    (True, False)
    """
    words = text.strip()
    is_seen = words.isprintable() and not any(one in words for one in _BLANK_LETTERS)
    return bool(words) and len(text) <= most and is_seen and " ".join(words.split()) == words


def within_words(name: str, *, spaced: bool = False) -> str:
    """Return a name for a sentence, which it must not go on: as it is where it is one word, else on one line, within quotation marks.

    With `spaced` words on one line are as they are, too.

    >>> within_words("area.geojson"), within_words("our area.geojson"), within_words("our area", spaced=True)
    ('area.geojson', '“our area.geojson”', 'our area')
    >>> within_words("area”." + " " * 90 + "Nobody is at risk.", spaced=True)
    '“area’. Nobody is at risk.”'
    """
    if name == name.strip() and is_plain_line(name, MOST_CHARACTERS) and (spaced or " " not in name):
        return name
    on_one_line = " ".join(visible(name).split())
    return f"“{label(on_one_line.replace('“', '‘').replace('”', '’'))}”"


_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PHONE = re.compile(r"\+?\(?\d[\d ()/-]*\d")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[/-]\d{1,2}[/-]\d{2,4}")
_LONG_ID = re.compile(r"[0-9A-Za-z_-]{16,}")
_FEWEST_DIGITS = 7


def masked(text: str) -> str:
    """Return a phone number, a mail address or a long id with its first and last two characters alone; else the text.

    >>> masked("+49 170 1234567"), masked("ann@example.org"), masked("3f2b9c0d1e4f5a6b7c8d"), masked("A17")
    ('+4…67', 'an…rg', '3f…8d', 'A17')
    >>> masked("2026-03-02"), masked("-37.06274211"), masked("9/13/2014")
    ('2026-03-02', '-37.06274211', '9/13/2014')
    """
    word = text.strip()
    phone = _PHONE.fullmatch(word) and sum(map(str.isdigit, word)) >= _FEWEST_DIGITS
    is_long = _LONG_ID.fullmatch(word) and any(map(str.isdigit, word))
    if not (_MAIL.fullmatch(word) or phone or is_long) or _DAY.fullmatch(word):
        return text
    return f"{word[:2]}…{word[-2:]}"
