"""Who may log in to the example, with which password, and who of them may release. Passwords are kept as scrypt digests."""

import hashlib
import hmac
import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

FIRST = {"anna@house.example": True, "ben@house.example": True, "cara@house.example": False}
"""The people of the example, by whether they may release."""
_COST = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One account: `salt` and `digest` in hexadecimal digits."""

    email: str
    may_release: bool
    salt: str
    digest: str

    def has_password(self, password: str) -> bool:
        """Return whether this is the person's password; takes as long for a wrong one."""
        return hmac.compare_digest(self.digest, _digest_from(password, self.salt))


NOBODY = Person(email="", may_release=False, salt="00" * 16, digest="00" * 32)
"""Who is asked where a name is unknown: so that names cannot be found out by the time that an answer takes."""


def person_with_password(email: str, password: str, *, may_release: bool) -> Person:
    """Return an account with a new password."""
    salt = secrets.token_hex(16)
    return Person(email=email, may_release=may_release, salt=salt, digest=_digest_from(password, salt))


def people_from_file(path: Path) -> dict[str, Person]:
    """Return all accounts by address; none where there is no file yet."""
    if not path.exists():
        return {}
    return {one["email"]: Person(**one) for one in json.loads(path.read_text(encoding="utf-8"))}


def save_people(path: Path, people: dict[str, Person]) -> None:
    """Write all accounts into a file for its owner only."""
    new = path.with_suffix(".new")
    new.touch(mode=0o600)
    new.write_text(json.dumps([asdict(one) for one in people.values()], indent=1), encoding="utf-8")
    new.replace(path)


def _digest_from(password: str, salt: str) -> str:
    return hashlib.scrypt(password.encode(), salt=bytes.fromhex(salt), **_COST).hex()
