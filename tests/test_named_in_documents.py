"""What documents name is there: options, defaults, variables, headings, places to touch; and what is there they name."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_plain_numbers import COMMANDS

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "sample_data/README.md")
]
DOCUMENTS += sorted((ROOT / "docs").rglob("*.md"))
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def options_of(command: Any) -> dict[str, Any]:
    """Return a command's options by name, with their defaults."""
    return {
        name: one.default
        for one in command.params
        for name in (*one.opts, *one.secondary_opts)
        if name.startswith("--")
    }


OPTIONS = {" ".join(words): options_of(one) for words, one in COMMANDS.items()}


def calls_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield each call of a command that a document names, and the command: in backticks, or a line of its own."""
    joined = re.sub(r"```\w*", "", text.replace("\\\n", " "))
    lines = re.findall(r"python -m privlab ([^`\n]+)", joined)
    for call in (*re.findall(r"`([^`]+)`", joined), *lines):
        words = re.sub(r"^(python -m )?privlab ", "", " ".join(call.split())).split()
        for n in (2, 1):
            if (name := " ".join(words[:n])) in OPTIONS:
                yield " ".join(words), name
                break


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_a_command_has_the_options_that_a_document_gives_it(page: Path) -> None:
    wrong = [
        (call, option)
        for call, name in calls_in(text_of(page))
        for option in OPTION.findall(call)
        if option not in OPTIONS[name]
    ]
    assert not wrong


def test_the_search_for_calls_sees_them() -> None:
    found = list(
        calls_in("as `kgap … --person 20` does\n    python -m privlab ledger check --head 1 \\\n  --json\n")
    )
    assert found == [("kgap … --person 20", "kgap"), ("ledger check --head 1 --json", "ledger check")]
    assert sum(len(list(calls_in(text_of(page)))) for page in DOCUMENTS) > 250


def test_a_default_that_a_document_states_is_that_of_a_command() -> None:
    stated = [
        (option, float(number.replace(",", "")))
        for page in DOCUMENTS
        for option, number in re.findall(r"`(--[\w-]+)`, ([\d.,]*\d) by default", text_of(page))
    ]
    assert stated
    for option, number in stated:
        assert number in {defaults.get(option) for defaults in OPTIONS.values()}, option


@pytest.mark.parametrize(
    ("page", "words", "option"),
    [
        ("docs/commands.md", r"\*\*Controls\*\*, for ([^:]+):", "--control"),
        ("docs/commands.md", r"\n\n(`describe`.+) take `--engine", "--engine"),
        ("docs/scale.md", r"`--engine spark://HOST:PORT` runs (.+) on an Apache", "--engine"),
    ],
)
def test_the_commands_that_take_an_option_are_those_that_a_document_names(
    page: str, words: str, option: str
) -> None:
    found = re.search(words, text_of(ROOT / page))
    assert found is not None
    named = {one.split()[0] for one in re.findall(r"`([^`]+)`", found[1])}
    assert named == {name for name, options in OPTIONS.items() if option in options}


def test_every_variable_that_the_lab_reads_is_in_the_table_of_settings() -> None:
    code = "\n".join(text_of(path) for path in sorted((ROOT / "privlab").rglob("*.py")))
    table = text_of(ROOT / "docs/reliability.md").partition("| variable |")[2].partition("\n\n")[0]
    read = set(re.findall(r'"(PRIVLAB_[A-Z_]+)"', code))
    assert len(read) > 6
    assert read == set(re.findall(r"^\| `(PRIVLAB_\w+)`", table, re.M))


def test_secrets_that_an_operator_writes_into_the_folder_are_not_committed() -> None:
    """As documents say where they stand; Streamlit reads them from there."""
    assert "`.streamlit/secrets.toml`" in text_of(ROOT / "docs/privacy.md")
    assert "/.streamlit/secrets.toml" in text_of(ROOT / ".gitignore").splitlines()


def anchor(heading: str) -> str:
    """Return what a heading is called in an address: its words in small letters, with dashes for spaces."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()).replace(
        " ", "-"
    )


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_a_link_to_a_part_of_a_document_leads_to_a_heading(page: Path) -> None:
    for target, part in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", text_of(page)):
        there = (page.parent / target) if target else page
        assert part in {anchor(one) for one in re.findall(r"^#+ (.+)$", text_of(there), re.M)}, (target, part)


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_a_merge_left_no_line_twice_and_no_paragraph_among_items(page: Path) -> None:
    lines = text_of(page).splitlines()
    assert not [one for one, after in pairwise(lines) if one.strip() and one == after]
    if page.name == "CHANGELOG.md":
        assert not [
            after
            for one, after in pairwise(lines)
            if one[:2] in ("- ", "  ") and after[:2] not in ("- ", "  ", "")
        ]


def test_what_is_new_is_told_in_whole_items_each_once() -> None:
    for part in re.split(r"^### ", text_of(ROOT / "CHANGELOG.md"), flags=re.M)[1:]:
        items = [" ".join(one.split()) for one in re.findall(r"^- (.+(?:\n  .+)*)", part, re.M)]
        assert not [one for one in items if one[-1] not in ".:!?)"], part[:30]
        begun = [one[:110] for one in items]
        assert len(set(begun)) == len(begun), part[:30]


def test_every_document_is_reached_by_links_from_the_first_one() -> None:
    """A link to a folder leads to what lies in it."""
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page.is_dir():
            waiting += sorted(page.glob("*.md"))
        elif page.suffix == ".md" and page not in reached:
            reached.add(page)
            waiting += [
                (page.parent / one).resolve() for one in re.findall(r"\]\((?!https?:)([^)#]+)", text_of(page))
            ]
    assert set(DOCUMENTS) - reached == set()


def test_a_command_to_be_added_is_put_into_every_file_that_lists_all_commands() -> None:
    """Wherever all names of commands stand as texts, the next one must stand too."""
    wanted = {words[0] for words in COMMANDS}
    listed = [
        path for folder in ("privlab", "tests", "bench") for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    paths = [
        path.relative_to(ROOT).as_posix()
        for path in listed
        if (text := text_of(path)).count('"') > len(wanted)
        and wanted
        <= {
            one.value
            for one in ast.walk(ast.parse(text))
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        }
    ]
    section = text_of(ROOT / "docs/adding.md").partition("## A command\n")[2].partition("\n## ")[0]
    assert len(paths) > 1
    assert [path for path in paths if f"`{path}`" not in section] == []
