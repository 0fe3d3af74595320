"""The keys of a ledger, in a file beside it: one that names accounts, one that signs certificates.

Without this file the ledger does not tell whether someone is in the data, and nobody can make a certificate that
passes for one of this ledger's.
"""

import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from privlab.checks import DataError, ParameterError
from privlab.kept import private_folder_made, put_in_place, tighten_file

_WHAT = "privlab ledger keys"
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LedgerKeys:
    """The two keys of a ledger, 32 bytes each."""

    naming: bytes
    signing: bytes

    def account_name(self, digest: str) -> str:
        """Return the name of a dataset's account: its digest under the naming key."""
        return self._named("account", digest)[:32]

    def keyed_digest(self, digest: str, salt: str) -> str:
        """Return what a certificate says of the data: its digest and a salt under the naming key.

        The bare digest would tell anyone who knows all other records whether the target's are among them.
        """
        return self._named("release", salt, digest)

    def people_key(self) -> str:
        """Return the secret that ids of people are digested with: one of its own, for it stands in queries."""
        return self._named("people")

    def mark(self) -> str:
        """Return by what a ledger knows its own keys."""
        return self._named("ledger")[:32]

    def signature(self, content: bytes) -> str:
        """Return the Ed25519 signature of some bytes, in hexadecimal."""
        return Ed25519PrivateKey.from_private_bytes(self.signing).sign(content).hex()

    @property
    def public_key(self) -> str:
        """The key that signatures are checked with, in hexadecimal."""
        return Ed25519PrivateKey.from_private_bytes(self.signing).public_key().public_bytes_raw().hex()

    def _named(self, *words: str) -> str:
        return hmac.new(self.naming, "|".join(words).encode(), hashlib.sha256).hexdigest()


def key_path_of(ledger: Path) -> Path:
    """Return where the keys of a ledger lie: beside the file itself, whatever link leads to it."""
    return Path(f"{os.path.realpath(ledger)}.key")


def public_key_path_of(ledger: Path) -> Path:
    """Return where the public key of a ledger lies, to be handed to whoever checks its certificates."""
    return Path(f"{os.path.realpath(ledger)}.pub")


def create_ledger_keys(ledger: Path) -> LedgerKeys:
    """Return the keys beside a ledger, made if there are none. Raises DataError where that fails."""
    path = key_path_of(ledger)
    content = {
        "what": _WHAT,
        "format": 1,
        "naming": secrets.token_hex(32),
        "signing": Ed25519PrivateKey.generate().private_bytes_raw().hex(),
    }
    try:
        private_folder_made(path.parent)
        if not path.exists():
            put_in_place(path, (json.dumps(content) + "\n").encode())
        keys = ledger_keys_from_file(ledger)
        _write_public_key(public_key_path_of(ledger), f"{keys.public_key}\n".encode())
    except OSError as error:
        raise DataError(f"Could not write the keys {path}: {error.strerror or error}.") from None
    return keys


def _write_public_key(path: Path, content: bytes) -> None:
    """Write the public key; one of keys that are gone is replaced.

    Processes that begin a ledger at once all write the same one, that of the one key file that is in place.
    """
    if not put_in_place(path, content, 0o644) and path.read_bytes() != content:
        put_in_place(path, content, 0o644, over=True)


def ledger_keys_from_file(ledger: Path) -> LedgerKeys:
    """Return the keys beside a ledger. Raises DataError if they are missing or damaged."""
    path = key_path_of(ledger)
    tighten_file(path)
    try:
        content: Any = json.loads(path.read_text("utf-8"))
        named = content["what"] == _WHAT and content["format"] == 1
        keys = LedgerKeys(naming=bytes.fromhex(content["naming"]), signing=bytes.fromhex(content["signing"]))
    except FileNotFoundError:
        raise DataError(
            f"The keys of the ledger {ledger} are missing: without {path.name} beside it no account can be "
            "found. Put the file back from a copy."
        ) from None
    except OSError as error:
        raise DataError(f"Could not read the keys {path}: {error.strerror or error}.") from None
    except (ValueError, RecursionError, KeyError, TypeError):
        named = False
    if not named or len(keys.naming) != 32 or len(keys.signing) != 32:
        raise DataError(f"{path} does not hold the keys of a ledger. Put the file back from a copy.")
    return keys


def public_key_from_text(text: str) -> str:
    """Return a public key that is written out. Raises ParameterError if it is none.

    >>> public_key_from_text(" " + "0A" * 32) == "0a" * 32
    True
    """
    written = text.strip().lower()
    if len(written) != 64 or not set(written) <= _HEX:
        raise ParameterError(f"public_key must be 64 hexadecimal digits, got {text.strip()!r}.")
    return written


def public_key_from_text_or_file(text: str) -> str:
    """Return a public key that is written out, or that the file of this name holds. Raises ParameterError if it is neither."""
    try:
        with open(text, encoding="utf-8") as file:
            written = file.read(1_000)
    except (OSError, ValueError) as error:  # no such file: then it is the key
        try:
            return public_key_from_text(text)
        except ParameterError as none:
            why = error.strerror if isinstance(error, OSError) and error.strerror else "it is no text"
            raise ParameterError(f"{none} As a file it could not be read: {why}.") from None
    return public_key_from_text(written)


def signature_holds(public_key: str, signature: str, content: bytes) -> bool:
    """Return whether some bytes were signed with the private half of a key."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(signature), content)
    except (InvalidSignature, ValueError):
        return False
    return True
