"""`make team`: the lab for a team on one machine, from nothing: PostgreSQL for its ledger, a login, a reverse proxy with TLS.

python -m team.house                   start all of it; Ctrl-C ends all of it
python -m team.house password EMAIL    give somebody a new password; `--may-release` or not

An example of docs/privacy.md. All that lasts lies in one folder; nobody but this machine reaches it until
`--address` and `--name` say otherwise and its certificate is one that browsers know.
"""

import argparse
import ctypes
import getpass
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import psycopg

from team.accounts import FIRST, people_from_file, person_with_password, save_people
from team.certificate import own_certificate
from team.login import Client
from team.programs import program

ROOT = Path(__file__).parents[1]
STEWARD, DATABASE = "privlab", "ledger"
START_S = 300.0  # so long a part may take to answer
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Where people open the lab, the ports of this start, and the passwords that the parts have among themselves."""

    address: str
    name: str
    port: int
    lab_port: int
    login_port: int
    ledger_port: int
    ledger_password: str
    client_secret: str
    cookie_secret: str

    @property
    def url(self) -> str:
        """The address that people open."""
        return f"https://{self.name}" + ("" if self.port == 443 else f":{self.port}")

    @property
    def ledger(self) -> str:
        """The address of the ledger, without its password."""
        return f"postgresql://{STEWARD}@127.0.0.1:{self.ledger_port}/{DATABASE}"


class Stopped(Exception):
    """Somebody asked the house to end."""


class Running:
    """The processes of the house, ended in the reverse of the order in which they were started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[tuple[str, subprocess.Popen[bytes], signal.Signals]] = []

    def start(
        self,
        name: str,
        command: list[str],
        answers: Callable[[], object],
        *,
        end: signal.Signals = signal.SIGTERM,
        **options: Any,
    ) -> None:
        """Start a process and wait until it answers, which it does when `answers` raises no OSError."""
        with (self._folder / "logs" / f"{name}.log").open("ab") as log:
            # A session of its own: Ctrl-C reaches the house alone, which then ends all in their order.
            process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_dies_with_parent,
                **options,
            )
        self._processes.append((name, process, end))
        until = time.monotonic() + START_S
        while True:
            try:
                answers()
                return
            except (OSError, psycopg.OperationalError) as error:
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit(
                        f"{name} did not start: {error}. See {self._folder / 'logs' / name}.log."
                    ) from None
                time.sleep(0.05)

    def wait(self) -> NoReturn:
        """Wait until a process ends, which none should."""
        while True:
            for name, process, _ in self._processes:
                if process.poll() is not None:
                    raise SystemExit(f"{name} ended. See {self._folder / 'logs' / name}.log.")
            time.sleep(0.2)

    def end(self) -> None:
        """End all that runs, the last first, and wait for each."""
        while self._processes:
            _, process, how = self._processes.pop()
            process.send_signal(how)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _dies_with_parent() -> None:
    """Let a process end with the house, also where that is killed; on Linux alone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGTERM)


def run(folder: Path, chosen: dict[str, Any]) -> None:
    """Start all parts in a folder, say where they are, and end them when asked to or when one ends."""
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)  # PostgreSQL and nginx go through it
    for name in ("logs", "lab", "login"):
        (folder / name).mkdir(mode=0o700, exist_ok=True)
    running, house = Running(folder), _house_from_folder(folder, chosen)
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    try:
        _tell_passwords(folder)
        _start_ledger(running, folder / "postgres", house)
        environment = _environment(folder, house)
        _start_login(running, folder / "login", house)
        _start_lab(running, folder / "lab", house, environment)
        _start_proxy(running, folder / "nginx", house)
        print(f"The lab is at {house.url}, until Ctrl-C. Its ledger: {house.ledger}", flush=True)
        print(f"For commands on the same ledger: . {folder / 'environment'}", flush=True)
        running.wait()
    except Stopped:
        pass
    finally:
        running.end()
        print("All parts have ended.", flush=True)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # asked once is enough
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise Stopped


def _house_from_folder(folder: Path, chosen: dict[str, Any]) -> House:
    """Return the house: its passwords are those of the first start, its inner ports are free ones."""
    path = folder / "passwords.json"
    if not path.exists():
        names = ("ledger_password", "client_secret", "cookie_secret")
        _private(path, json.dumps({name: secrets.token_urlsafe(48) for name in names}, indent=1))
    lab, login, ledger = _free_ports(3)
    kept = json.loads(path.read_text(encoding="utf-8"))
    return House(**chosen, **kept, lab_port=lab, login_port=login, ledger_port=ledger)


def _tell_passwords(folder: Path) -> None:
    """Make the example's people at the first start, and say their passwords once."""
    path = folder / "login" / "people.json"
    if path.exists():
        return
    passwords = {email: secrets.token_urlsafe(9) for email in FIRST}
    people = [
        person_with_password(email, passwords[email], may_release=may_release)
        for email, may_release in FIRST.items()
    ]
    save_people(path, {one.email: one for one in people})
    for one in people:
        print(f"{one.email} {passwords[one.email]} {'may release' if one.may_release else 'may look'}")
    print("These passwords are not shown again.", flush=True)


def _start_ledger(running: Running, folder: Path, house: House) -> None:
    """Start PostgreSQL, with a database for the ledger, owned by its user. It does not run as root."""
    owned = _owned(folder, ("postgres",))
    if not (folder / "data" / "PG_VERSION").exists():
        secret = folder / "password"
        _private(secret, house.ledger_password)
        _give(secret, owned)
        command = [_found("initdb"), "-D", "data", "-U", STEWARD, "--pwfile", str(secret)]
        command += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
        subprocess.run(command, check=True, capture_output=True, **owned)
        secret.unlink()
    command = [_found("postgres"), "-D", "data", "-h", "127.0.0.1", "-p", str(house.ledger_port), "-k", ""]

    def database_is_there() -> None:
        with psycopg.connect(
            host="127.0.0.1",
            port=house.ledger_port,
            user=STEWARD,
            password=house.ledger_password,
            dbname="postgres",
            autocommit=True,
        ) as connection:
            if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).fetchall():
                connection.execute(f"CREATE DATABASE {DATABASE}")

    running.start("postgres", command, database_is_there, end=signal.SIGINT, **owned)


def _environment(folder: Path, house: House) -> dict[str, str]:
    """Return where the ledger is and what stays beside it; the same for commands in a file that a shell reads."""
    place = folder / "lab"
    _private(place / "pgpass", f"127.0.0.1:{house.ledger_port}:*:{STEWARD}:{house.ledger_password}\n")
    named = {
        "PRIVLAB_LEDGER": house.ledger,
        "PRIVLAB_LEDGER_FOLDER": str(place / "ledger"),
        "PRIVLAB_RUNS": str(place / "runs.sqlite"),
        "PGPASSFILE": str(place / "pgpass"),
    }
    _private(folder / "environment", "".join(f"export {name}='{value}'\n" for name, value in named.items()))
    return named


def _start_login(running: Running, folder: Path, house: House) -> None:
    inside = f"http://127.0.0.1:{house.login_port}"
    client = Client(
        client_id="privlab",
        client_secret=house.client_secret,
        redirect_uri=f"{house.url}/oauth2callback",
        issuer=f"{house.url}/house-login",
        inside=inside,
        people=str(folder / "people.json"),
    )
    _private(folder / "client.json", json.dumps(asdict(client)))
    command = [sys.executable, "-m", "team.login", str(folder / "client.json")]
    running.start("login", command, _asked(f"{inside}/keys"), cwd=ROOT)


def _start_lab(running: Running, folder: Path, house: House, environment: dict[str, str]) -> None:
    people = people_from_file(folder.parent / "login" / "people.json").values()
    may_release = [one.email for one in people if one.may_release]
    _private(
        folder / "secrets.toml",
        "[auth]\n"
        f"redirect_uri = {json.dumps(f'{house.url}/oauth2callback')}\n"
        f"cookie_secret = {json.dumps(house.cookie_secret)}\n"
        'client_id = "privlab"\n'
        f"client_secret = {json.dumps(house.client_secret)}\n"
        f'server_metadata_url = "http://127.0.0.1:{house.login_port}/.well-known/openid-configuration"\n\n'
        f"[roles]\nrelease = {json.dumps(may_release)}\n",
    )
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", str(house.lab_port), "--secrets.files", str(folder / "secrets.toml")]
    allowed = {"STREAMLIT_SERVER_ALLOWED_HOSTS": f"{house.name} localhost 127.0.0.1"}
    health = f"http://127.0.0.1:{house.lab_port}/_stcore/health"
    running.start("lab", command, _asked(health), cwd=ROOT, env={**os.environ, **environment, **allowed})


def _start_proxy(running: Running, folder: Path, house: House) -> None:
    """Start nginx with a certificate of its own making, unless the operator has put another in its place."""
    owned = _owned(folder, ("www-data", "nginx"))
    if not (folder / "certificate.pem").exists():
        key, certificate = own_certificate(house.name)
        _private(folder / "key.pem", key)
        _private(folder / "certificate.pem", certificate)
    text = (ROOT / "team" / "nginx.conf").read_text(encoding="utf-8")
    for name in ("address", "port", "name", "lab_port", "login_port"):
        text = text.replace(f"{{{name}}}", str(getattr(house, name)))
    (folder / "nginx.conf").write_text(text.replace("{folder}", str(folder)), encoding="utf-8")
    for path in folder.iterdir():
        _give(path, owned)
    command = [_found("nginx"), "-p", str(folder), "-e", "error.log", "-c", str(folder / "nginx.conf")]

    def answers() -> None:
        with socket.create_connection((house.address, house.port), timeout=60):
            pass

    running.start("nginx", command, answers, **owned)


def _owned(folder: Path, users: tuple[str, ...]) -> dict[str, Any]:
    """Make a folder for one program; return how to start it: as its own user where root starts the house."""
    folder.mkdir(mode=0o700, exist_ok=True)
    owned: dict[str, Any] = {"cwd": folder}
    if os.geteuid() == 0:
        there = {one.pw_name: one.pw_gid for one in pwd.getpwall()}
        user = next(name for name in users if name in there)
        owned |= {"user": user, "group": there[user], "extra_groups": []}
    _give(folder, owned)
    return owned


def _give(path: Path, owned: dict[str, Any]) -> None:
    if "user" in owned:
        shutil.chown(path, owned["user"], owned["group"])


def _found(name: str) -> str:
    path = program(name)
    if path is None:
        raise SystemExit(f"There is no {name}: make team installs it, or python -m team.programs.")
    return path


def _asked(url: str) -> Callable[[], object]:
    def asked() -> None:
        with urllib.request.urlopen(url, timeout=60):
            pass

    return asked


def _free_ports(n: int) -> list[int]:
    """Return ports that nobody uses now, all different."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _private(path: Path, text: str) -> None:
    """Write a file for its owner only."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")


def _new_password(folder: Path, email: str, *, may_release: bool) -> None:
    path = folder / "login" / "people.json"
    if not path.exists():
        raise SystemExit(f"There is no team in {folder} yet: start it once.")
    email = email.strip().casefold()
    try:
        password = getpass.getpass(f"New password of {email}: ")
    except EOFError:
        raise SystemExit("No password was typed: nothing was changed.") from None
    if len(password) < 12:
        raise SystemExit("A password must have 12 characters or more.")
    person = person_with_password(email, password, may_release=may_release)
    save_people(path, people_from_file(path) | {email: person})
    print("It counts from now on; who may release counts from the next start on.")


def default_folder() -> Path:
    """Return where a team's things lie: below the home; for root where PostgreSQL's own user can go."""
    if os.geteuid() == 0:
        return Path("/var/lib/privlab-team")
    return Path.home() / ".local" / "share" / "privlab-team"


def main() -> None:
    """Start the house, or give somebody a password."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("act", nargs="?", choices=("run", "password"), default="run")
    options.add_argument("email", nargs="?")
    options.add_argument("--may-release", action="store_true")
    options.add_argument("--folder", type=Path, default=default_folder())
    options.add_argument("--address", default="127.0.0.1", help="the proxy's, and nobody else's")
    options.add_argument("--name", default="localhost", help="under which people open the lab")
    options.add_argument("--port", type=int, default=8443)
    chosen = options.parse_args()
    folder = chosen.folder.absolute()
    if chosen.act == "password":
        if chosen.email is None:
            options.error("say whose password")
        _new_password(folder, chosen.email, may_release=chosen.may_release)
    else:
        run(folder, {"address": chosen.address, "name": chosen.name, "port": chosen.port})


if __name__ == "__main__":
    main()
