"""A small login for the example: OpenID Connect's authorization code flow, for one client, on this machine only.

A house that has accounts uses theirs instead: three lines of the secrets change (docs/privacy.md). It knows no sessions:
whoever wants in gives the password each time.
"""

import base64
import hashlib
import hmac
import html
import json
import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import anyio.to_thread
import uvicorn
from joserfc import jwk, jwt
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from team.accounts import NOBODY, people_from_file
from team.recent import Recent

CODE_S = 60.0  # so long a code is good, once
PAUSE_S = 300.0  # so long an account is closed after the last of them
MOST_WRONG = 5  # passwords, until five minutes have passed without one
MOST_HELD = 100_000  # names with wrong passwords, and codes: more than anybody can try in that time, for each try costs a digest
_ALGORITHM = "RS256"
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>privlab: log in</title>
<meta name="viewport" content="width=device-width">
<style>:root {{ color-scheme: light dark; --ground: #ffffff; --ink: #0a0a0a; --wrong: #a3001b; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ground: #0e1117; --ink: #fafafa; --wrong: #ff8a80; }} }}
body {{ font: 1rem sans-serif; max-width: 22rem; margin: 4rem auto; padding: 0 1rem; background: var(--ground); color: var(--ink); }}
label, input, button {{ display: block; width: 100%; box-sizing: border-box; margin: .3rem 0; font: inherit; }}
input, button {{ padding: .4rem; }}
label {{ margin-top: 1rem; }}
[role="alert"] {{ color: var(--wrong); font-weight: bold; }}</style>
</head><body><h1>The house's accounts</h1><p role="alert">{said}</p><form method="post" novalidate>
<label for="email">E-mail</label>
<input id="email" name="email" type="email" inputmode="email" autocapitalize="none" autocomplete="username" value="{email}" required{at_email}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required{at_password}>
<button>Log in</button></form></body></html>"""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The lab, as the login knows it, and where the two meet.

    `issuer` is the login's address for browsers, `inside` the one for the lab; `people` is the file of accounts.
    """

    client_id: str
    client_secret: str
    redirect_uri: str
    issuer: str
    inside: str
    people: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What a code stands for until it is taken."""

    email: str
    nonce: str | None
    challenge: str


class Login:
    """The addresses of the login. Codes and wrong passwords are kept in memory and end with it."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._key = jwk.RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig"})
        self._granted = Recent[Granted](seconds=CODE_S, most=MOST_HELD)
        self._wrong = Recent[int](seconds=PAUSE_S, most=MOST_HELD)  # by the digest of a name, which is short

    def app(self) -> Starlette:
        """Return what a server serves."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self.described),
                Route("/keys", self.keys),
                Route("/authorize", self.asked, methods=["GET", "POST"]),
                Route("/token", self.token, methods=["POST"]),
            ]
        )

    async def described(self, request: Request) -> Response:
        """Answer where everything is."""
        return JSONResponse(
            {
                "issuer": self._client.issuer,
                "authorization_endpoint": f"{self._client.issuer}/authorize",
                "token_endpoint": f"{self._client.inside}/token",
                "jwks_uri": f"{self._client.inside}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": [_ALGORITHM],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
                "scopes_supported": ["openid", "email", "profile"],
            }
        )

    async def keys(self, request: Request) -> Response:
        """Answer the key that signatures are checked with."""
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})

    async def asked(self, request: Request) -> Response:
        """Ask for address and password; send whoever gives the right ones back to the lab with a code."""
        query = request.query_params
        wanted = (self._client.client_id, self._client.redirect_uri, "code", "S256")
        given = (
            query.get(one) for one in ("client_id", "redirect_uri", "response_type", "code_challenge_method")
        )
        if tuple(given) != wanted or not query.get("code_challenge"):
            return PlainTextResponse("This is not how the lab asks for a login.", 400, headers=_HEADERS)
        if request.method == "GET":
            return _form("")
        form = await request.form()
        typed, password = str(form.get("email", "")).strip(), str(form.get("password", ""))
        email = typed.casefold()
        name = hashlib.sha256(email.encode()).hexdigest()
        n_wrong = self._wrong.get(name) or 0
        if n_wrong >= MOST_WRONG:
            return _form("Too many wrong passwords: wait five minutes.", 429, typed)
        self._wrong.put(name, n_wrong + 1)  # before it is looked at, or many at once would all be looked at
        if not await anyio.to_thread.run_sync(self._is_right, email, password):
            return _form("Address or password is wrong.", 401, typed)
        self._wrong.pop(name)
        code = secrets.token_urlsafe(32)
        self._granted.put(
            code, Granted(email=email, nonce=query.get("nonce"), challenge=query["code_challenge"])
        )
        back = urlencode({"code": code, "state": query.get("state", "")})
        return RedirectResponse(f"{self._client.redirect_uri}?{back}", 303, headers=_HEADERS)

    async def token(self, request: Request) -> Response:
        """Give the lab, for a code, who has logged in, signed."""
        form = {name: str(value) for name, value in (await request.form()).items()}
        granted = self._granted.pop(form.get("code", ""))
        if not self._is_client(request.headers.get("authorization", ""), form):
            return JSONResponse({"error": "invalid_client"}, 401)
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proved = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if (
            granted is None
            or form.get("grant_type") != "authorization_code"
            or form.get("redirect_uri") != self._client.redirect_uri
            or not hmac.compare_digest(proved, granted.challenge)
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {
            "iss": self._client.issuer,
            "aud": self._client.client_id,
            "sub": granted.email,
            "email": granted.email,
            "email_verified": True,
            "iat": now,
            "exp": now + 300,
            **({} if granted.nonce is None else {"nonce": granted.nonce}),
        }
        signed = jwt.encode({"alg": _ALGORITHM, "kid": self._key.kid}, claims, self._key)
        return JSONResponse(
            {
                "access_token": secrets.token_urlsafe(16),
                "token_type": "Bearer",
                "expires_in": 300,
                "id_token": signed,
            },
            headers={"Cache-Control": "no-store"},
        )

    def _is_right(self, email: str, password: str) -> bool:
        return people_from_file(Path(self._client.people)).get(email, NOBODY).has_password(password)

    def _is_client(self, header: str, form: dict[str, str]) -> bool:
        """Return whether it is the lab that asks; it says so in a header or in the form."""
        said = f"{form.get('client_id', '')}:{form.get('client_secret', '')}"
        if header.startswith("Basic "):
            said = base64.b64decode(header.removeprefix("Basic ")).decode(errors="replace")
        return hmac.compare_digest(
            said.encode(), f"{self._client.client_id}:{self._client.client_secret}".encode()
        )


def _form(said: str, status: int = 200, email: str = "") -> Response:
    """Return the form, with what was said of the last try; who has typed an address writes on at the password."""
    at = ("", " autofocus") if email else (" autofocus", "")
    page = _PAGE.format(said=html.escape(said), email=html.escape(email), at_email=at[0], at_password=at[1])
    return HTMLResponse(page, status, headers=_HEADERS)


if __name__ == "__main__":
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    address, _, port = settings["inside"].removeprefix("http://").partition(":")
    app = Login(Client(**settings)).app()
    uvicorn.run(app, host=address, port=int(port), log_level="warning", access_log=False)
