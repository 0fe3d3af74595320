"""The example's login: who does not know a password, the lab's secret or the other half of a code gets nothing."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwk, jwt
from starlette.testclient import TestClient

from team.accounts import people_from_file, person_with_password, save_people
from team.login import Client, Login
from team.recent import Recent

BACK = "https://localhost/oauth2callback"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # of RFC 7636, appendix B
ASKED = {
    "client_id": "lab",
    "redirect_uri": BACK,
    "response_type": "code",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
    "state": "s&1",
    "nonce": "n",
}
GIVEN = {"email": " Anna@House.example", "password": "an owl and a moon"}


@pytest.fixture
def browser(tmp_path: Path) -> TestClient:
    people = tmp_path / "people.json"
    anna = person_with_password("anna@house.example", GIVEN["password"], may_release=True)
    save_people(people, {anna.email: anna})
    client = Client(
        client_id="lab",
        client_secret="kept",
        redirect_uri=BACK,
        issuer="https://localhost/house-login",
        inside="http://127.0.0.1:1",
        people=str(people),
    )
    return TestClient(Login(client).app(), follow_redirects=False)


def code(browser: TestClient) -> dict[str, str]:
    """Return what the lab sends for a token after a login that went well."""
    answer = browser.post("/authorize", params=ASKED, data=GIVEN)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{BACK}?")
    sent = parse_qs(urlsplit(answer.headers["location"]).query)
    assert sent["state"] == ["s&1"]
    return {
        "grant_type": "authorization_code",
        "code": sent["code"][0],
        "redirect_uri": BACK,
        "code_verifier": VERIFIER,
        "client_id": "lab",
        "client_secret": "kept",
    }


def test_the_challenge_is_that_of_the_standard() -> None:
    digest = hashlib.sha256(VERIFIER.encode()).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == CHALLENGE


def test_a_code_gives_the_address_signed_once(browser: TestClient) -> None:
    form = code(browser)
    answer = browser.post("/token", data=form)
    keys = jwk.KeySet.import_key_set(browser.get("/keys").json())
    claims = jwt.decode(answer.json()["id_token"], keys, algorithms=["RS256"]).claims
    assert (claims["email"], claims["email_verified"]) == ("anna@house.example", True)
    assert (claims["aud"], claims["nonce"]) == ("lab", "n")
    assert claims["exp"] - claims["iat"] == 300
    assert browser.post("/token", data=form).status_code == 400  # taken already


def test_the_public_key_tells_nothing_of_the_private_one(browser: TestClient) -> None:
    (key,) = browser.get("/keys").json()["keys"]
    assert not {"d", "p", "q", "dp", "dq", "qi"} & key.keys()


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("client_secret", "guessed", 401),
        ("code_verifier", "guessed", 400),
        ("redirect_uri", "https://evil.example", 400),
        ("grant_type", "password", 400),
        ("code", "guessed", 400),
    ],
)
def test_a_token_needs_all_that_belongs_to_its_code_iv(
    browser: TestClient, name: str, value: str, status: int
) -> None:
    answer = browser.post("/token", data=code(browser) | {name: value})
    assert answer.status_code == status
    assert "id_token" not in answer.json()


@pytest.mark.parametrize(
    "changed",
    [
        {"redirect_uri": "https://evil.example"},
        {"client_id": "x"},
        {"code_challenge": ""},
        {"response_type": "token"},
    ],
)
def test_only_the_lab_may_ask_for_a_login_iv(browser: TestClient, changed: dict[str, str]) -> None:
    for answer in (
        browser.get("/authorize", params=ASKED | changed),
        browser.post("/authorize", params=ASKED | changed, data=GIVEN),
    ):
        assert answer.status_code == 400
        assert "location" not in answer.headers


def test_after_five_wrong_passwords_not_even_the_right_one_opens(browser: TestClient) -> None:
    for _ in range(5):
        answer = browser.post("/authorize", params=ASKED, data=GIVEN | {"password": "guessed"})
        assert (answer.status_code, "Address or password is wrong." in answer.text) == (401, True)
    assert browser.post("/authorize", params=ASKED, data=GIVEN).status_code == 429
    unknown = browser.post("/authorize", params=ASKED, data=GIVEN | {"email": "ben@house.example"})
    assert (unknown.status_code, "Address or password is wrong." in unknown.text) == (401, True)


def field(page: str, name: str) -> dict[str, str | None]:
    """Return what the form says of a field, as a browser reads it."""
    found: list[dict[str, str | None]] = []

    class Fields(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append(dict(attrs) if tag == "input" else {})

    Fields().feed(page)
    (one,) = [said for said in found if said.get("name") == name]
    return one


@pytest.mark.parametrize(
    "typed", ["Anna@House.example", '"><script>alert(1)</script>@x', "{said}' onfocus=x&quot;"]
)
def test_after_a_wrong_password_the_address_stays_and_the_password_is_next_iv(
    browser: TestClient, typed: str
) -> None:
    first = browser.get("/authorize", params=ASKED).text
    assert "<title>privlab: log in</title>" in first
    assert (field(first, "email")["value"], "autofocus" in field(first, "email")) == ("", True)
    assert field(first, "email")["type"] == "email"
    assert "autofocus" not in field(first, "password")
    for status in [401] * 5 + [429]:
        answer = browser.post("/authorize", params=ASKED, data={"email": typed, "password": "guessed"})
        assert answer.status_code == status
        assert (field(answer.text, "email")["value"], "autofocus" in field(answer.text, "email")) == (
            typed,
            False,
        )
        assert "autofocus" in field(answer.text, "password")
        assert "value" not in field(answer.text, "password")
        assert "<script" not in answer.text
        assert set(field(answer.text, "email")) == set(field(first, "email")) - {
            "autofocus"
        }  # no other is let in


def test_what_the_form_says_of_a_wrong_password_can_be_read_in_light_and_in_dark(browser: TestClient) -> None:
    """At least 4.5 to 1, by the rule of WCAG 2.1 (1.4.3)."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    page = browser.get("/authorize", params=ASKED).text
    assert "color-scheme: light dark" in page
    found = {name: re.findall(rf"--{name}: #([0-9a-f]{{6}});", page) for name in ("ground", "ink", "wrong")}
    for words in ("ink", "wrong"):
        for ground, colour in zip(found["ground"], found[words], strict=True):
            darker, lighter = sorted((light(ground), light(colour)))
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5
    assert len(found["ground"]) == 2


def test_what_is_held_for_a_time_and_of_so_many_by_hand() -> None:
    now = [0.0]
    recent = Recent[int](seconds=10, most=2, clock=lambda: now[0])
    recent.put("a", 1)
    now[0] = 4.0
    recent.put("b", 2)
    now[0] = 6.0
    recent.put("a", 3)  # put anew: b is the oldest now
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (3, 2, None)
    recent.put("c", 4)  # the third: b goes
    assert (recent.get("a"), recent.get("b"), recent.get("c"), len(recent)) == (3, None, 4, 2)
    now[0] = 15.9
    assert (recent.pop("a"), recent.pop("a"), len(recent)) == (3, None, 1)
    now[0] = 16.0  # ten seconds after c was put
    assert (recent.get("c"), len(recent)) == (None, 0)


def test_neither_names_nor_codes_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    login = Login(
        Client(
            **dict.fromkeys(("client_id", "client_secret", "redirect_uri", "issuer", "inside", "people"), "x")
        )
    )
    monkeypatch.setattr(login, "_is_right", lambda email, password: "friend" in email)
    client = TestClient(login.app(), follow_redirects=False)
    asked = ASKED | {"client_id": "x", "redirect_uri": "x"}
    login._wrong._most = login._granted._most = 3
    for email in [f"{who}{n}" for who in ("friend", "nobody") for n in range(5)]:
        client.get("/authorize", params=asked)  # looking at the form is no try
        client.post("/authorize", params=asked, data={"email": email * 1000, "password": "x"})
    assert (len(login._wrong), len(login._granted)) == (3, 3)
    assert {len(name) for name in login._wrong._held} == {64}  # a digest, however long the name was


def test_the_file_of_accounts_is_private_and_holds_no_password(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    anna = person_with_password("anna@house.example", "an owl and a moon", may_release=True)
    save_people(path, {anna.email: anna})
    assert path.stat().st_mode & 0o777 == 0o600
    assert "owl" not in path.read_text(encoding="utf-8")
    assert people_from_file(path) == {anna.email: anna}
    assert anna.has_password("an owl and a moon")
    assert not anna.has_password("an owl and a moo")
