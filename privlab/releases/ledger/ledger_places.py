"""Where a ledger lies: in a file, or in a PostgreSQL database that a house shares.

An address may hold a password. It is never shown: what is said of a ledger is its `name`.
"""

import hashlib
import os
import platform
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from privlab.checks import DataError
from privlab.kept import data_folder, path_from_setting, private_folder_made, put_in_place

LEDGER_VARIABLE = "PRIVLAB_LEDGER"
FOLDER_VARIABLE = "PRIVLAB_LEDGER_FOLDER"
SCHEMES = ("postgresql", "postgres")
_OF_LIBPQ = re.compile(r"(^|\s)(host|hostaddr|dbname|user|password|service)\s*=", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerServer:
    """A PostgreSQL database with a ledger, by its address; `folder` holds what stays on this machine.

    In the folder lie the keys, the files of releases made here, and the name of this machine.
    """

    address: str = field(repr=False)
    folder: Path

    @property
    def name(self) -> str:
        """What may be said of the address: who, where and which database, never a password."""
        parts = _split(self.address)
        if parts is None:
            return "(an address that cannot be read)"
        user = f"{parts.username}@" if parts.username else ""
        host = (parts.hostname or "") + (f":{port}" if (port := parts.port) else "")
        return f"postgresql://{user}{host}{parts.path}"

    @property
    def is_address(self) -> bool:
        """Whether the address is one of PostgreSQL, and can be told from its password."""
        return _split(self.address) is not None

    @property
    def path(self) -> Path:
        """The place on this machine that keys and files of releases lie beside."""
        return self.folder / "ledger"

    @property
    def password(self) -> str:
        """The password in the address, to be left out wherever it turned up; empty if there is none."""
        parts = _split(self.address)
        given = {} if parts is None else dict(parse_qsl(parts.query))
        return unquote((parts and parts.password) or "") or given.get("password", "")

    def machine(self) -> str:
        """Return the name of this machine among those of the ledger, made up once and kept in the folder."""
        path = self.folder / "machine"
        try:
            if not path.exists():
                private_folder_made(self.folder)
                put_in_place(path, f"{secrets.token_hex(8)}\n".encode())
            return f"{platform.node()} {path.read_text('utf-8').strip()}"
        except (OSError, ValueError) as error:
            raise DataError(
                f"The folder {self.folder} of the ledger {self.name} could not be read or written: {error}."
            ) from None


Place = Path | LedgerServer


def ledger_place_from_text(text: str) -> Place:
    """Return the file, or the server, that a text names. An address that is none is refused when it is used.

    What looks like an address that was mistyped is no file: another ledger would be begun, under a name with a password in it.
    """
    text = text.strip()
    if not (re.match(r"[A-Za-z][A-Za-z0-9+.-]+://|postgres(ql)?:", text, re.I) or _OF_LIBPQ.search(text)):
        return path_from_setting(text)
    named = os.environ.get(FOLDER_VARIABLE)
    return LedgerServer(address=text, folder=path_from_setting(named) if named else _own_folder(text))


def ledger_place_from_environment() -> Place:
    """Return where the ledger lives: the variable PRIVLAB_LEDGER, else the user's data folder."""
    named = os.environ.get(LEDGER_VARIABLE)
    return ledger_place_from_text(named) if named else data_folder() / "ledger.sqlite"


def _split(address: str) -> SplitResult | None:
    """Return the parts of an address, None if it is none of PostgreSQL.

    An @ behind the host, or a second one before it, means that a character of the password was not written as its code: what
    looks like a host or a path is a part of it then.
    """
    try:
        parts = urlsplit(address)
        whole = parts.port is None or parts.port > 0  # asking for it raises ValueError where it is no number
    except ValueError:
        return None
    behind = f"{parts.path}{parts.query}{parts.fragment}"
    return (
        parts
        if whole and parts.scheme in SCHEMES and "@" not in behind and parts.netloc.count("@") < 2
        else None
    )


def _own_folder(address: str) -> Path:
    """Return the folder of a ledger: one for each database, whatever user or password it is opened with."""
    parts = _split(address)
    if parts is None:
        return data_folder() / "ledgers" / "none"
    more = sorted((key, value) for key, value in parse_qsl(parts.query) if key in ("host", "port", "options"))
    which = repr((parts.hostname, parts.port, parts.path, more)).encode()
    name = "".join(one if one.isalnum() else "_" for one in parts.path.strip("/"))[:40]
    return data_folder() / "ledgers" / f"{name}-{hashlib.blake2b(which, digest_size=4).hexdigest()}"
