"""A login, where the operator asked for one: whoever has not logged in gets a button and nothing of any data."""

from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from privlab.ui.sessions import access

ROOT = Path(__file__).parents[2]
AUTH = {"redirect_uri": "https://lab.example/oauth2callback", "cookie_secret": "x" * 40, "client_id": "lab"}
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))


def visited(page: str = "home", *, signed_in: bool = False, auth: bool = True) -> AppTest:
    at = AppTest.from_file(str(ROOT / "privlab" / "ui" / "main.py"), default_timeout=900)
    if auth:
        at.secrets["auth"] = AUTH
        at.user = {"is_logged_in": signed_in}
    at.query_params["data"] = "cabs"
    at.run()
    if page != "home":
        at.switch_page(f"../../pages/{page}.py").run()
    return at


@pytest.mark.parametrize("page", PAGES)
def test_an_anonymous_visitor_gets_a_button_and_nothing_else(page: str) -> None:
    at = visited(page)
    assert not at.exception
    assert [button.label for button in at.button] == ["Log in"]
    assert [title.value for title in at.title] == ["privlab"]
    assert [element.type for element in at.main.children.values()] == [
        "title",
        "markdown",
        "button",
        "bidi_component",
    ]
    assert at.sidebar.children == {}
    assert [element.value for element in at.markdown] == ["This lab is for its team."]
    assert "plan" not in at.session_state
    # Dark words on light blue, as on all pages.
    assert any("stBaseButton-primary" in one.proto.body for one in at.get("html"))


def test_who_has_logged_in_gets_the_lab_and_a_way_out() -> None:
    at = visited(signed_in=True)
    assert not at.exception
    assert at.selectbox(key="data").value == "cabs"
    assert at.button(key="logout").label == "Log out"


def test_who_has_logged_in_is_told_as_whom_and_the_address_is_no_link() -> None:
    at = AppTest.from_string("from privlab.ui.sessions import access\naccess.log_out_control()")
    at.user = {"is_logged_in": True, "email": "anna@house.example"}
    # In code nothing is a link.
    assert [one.value for one in at.run().markdown] == ["Logged in as `anna@house.example`"]
    at.user = {"is_logged_in": False, "email": "anna@house.example"}
    assert not at.run().markdown


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ({"is_logged_in": True, "email": "anna@house", "name": "Anna"}, "anna@house"),
        ({"is_logged_in": True, "name": "An\u202ena\n"}, "An�na␊"),
        ({"is_logged_in": True, "email": "anna@house", "email_verified": False, "name": "Anna"}, "Anna"),
        ({"is_logged_in": True, "sub": "x" * 500}, "x" * 119 + "…"),
        ({"is_logged_in": True}, "a visitor without a name"),
        ({"is_logged_in": False, "email": "anna@house"}, "None"),
    ],
)
def test_the_name_of_a_visitor_is_what_the_login_says_of_who_has_logged_in(
    user: dict[str, Any], name: str
) -> None:
    at = AppTest.from_string(
        "import streamlit as st\nfrom privlab.ui.sessions import access\nst.text(str(access.visitor()))"
    )
    at.user = user
    assert at.run().text[0].value == name


ANNA = {"is_logged_in": True, "email": "Anna@House.example"}


@pytest.mark.parametrize(
    ("roles", "user", "may"),
    [
        (None, {}, True),
        (None, ANNA, True),
        ({"release": ["ben@house.example", "anna@house.example"]}, ANNA, True),
        ({"release": ["anna@house.example"]}, ANNA | {"email_verified": False}, False),
        ({"release": ["anna@house.example"]}, ANNA | {"is_logged_in": False}, False),
        ({"release": ["anna@house.example"]}, {"is_logged_in": True, "name": "anna@house.example"}, False),
        ({"release": ["anna@house.example"]}, {}, False),
        ({"release": ["ben@house.example"]}, ANNA, False),
        ({"release": "anna@house.example"}, ANNA, False),
        ({"release": []}, ANNA, False),
        ({}, ANNA, False),
        ("anna@house.example", ANNA, False),
    ],
)
def test_who_may_release_is_whom_the_operator_has_named(roles: Any, user: dict[str, Any], may: bool) -> None:
    at = AppTest.from_string(
        "import streamlit as st\nfrom privlab.ui.sessions import access\nst.text(str(access.may_release()))"
    )
    if roles is not None:
        at.secrets["roles"] = roles
    at.user = user
    assert at.run().text[0].value == str(may)


def test_without_the_section_nobody_is_asked() -> None:
    at = visited(auth=False)
    assert at.selectbox(key="data").value == "cabs"
    assert not [button for button in at.button if button.key in ("login", "logout")]


def test_without_the_library_of_the_login_one_sentence_is_shown_iv(monkeypatch: pytest.MonkeyPatch) -> None:
    def unfinished() -> None:
        raise st.errors.StreamlitAuthError("no Authlib")

    monkeypatch.setattr(st, "login", unfinished)
    at = visited()
    at.button(key="login").click().run()
    assert not at.exception
    assert "not set up completely" in at.error[0].value


@pytest.mark.parametrize("text", ["[auth", "[auth]\nclient_id = ", "\x00"])
def test_secrets_that_cannot_be_read_shut_the_door_iv(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secrets.toml").write_text(text)
    monkeypatch.setattr(st, "secrets", st.runtime.secrets.Secrets())
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(tmp_path / "secrets.toml")])
    try:
        at = visited(auth=False)
    finally:
        config.set_option("secrets.files", before)
    assert not at.exception
    assert [error.value for error in at.error] == [
        "The file of secrets cannot be read. Until it can, nothing is shown."
    ]
    assert not at.selectbox


def test_where_a_login_is_asked_for_nobody_uploads_who_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a session that no server knows nobody can say that it has logged in."""
    monkeypatch.setattr(access, "_login_is_asked", lambda: True)
    assert not access.may_upload("a session")
    monkeypatch.setattr(access, "_login_is_asked", lambda: False)
    assert access.may_upload("a session")
