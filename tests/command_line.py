"""The command line, called in the process of the test as a user calls it; its fixtures are in conftest.py."""

import json
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from typer.main import get_command

from privlab.cli.main import run

Ended = tuple[int, str, str]  # exit code, standard output, standard error
Run = Callable[..., Ended]
Answer = Callable[..., Any]


# All commands and their options, put together once: Typer does it anew at each call, which takes longer than a refusal.
_put_together = cache(get_command)


def command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a call of the command line."""
    monkeypatch.setattr("typer.main.get_command", _put_together)

    def call(*words: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["privlab", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        return int(ended.value.code or 0), *capsys.readouterr()

    return call


def answering(call: Run) -> Answer:
    """Return a call that gives what is printed, read if it is JSON; with `fails` the one sentence of a refusal."""

    def answer(*words: object, fails: bool = False) -> Any:
        code, out, err = call(*words)
        if fails:
            assert (code, out) == (2, "")
            assert err.count("\n") == 1
            return err
        assert code == 0, err
        return json.loads(out) if "--json" in words else out

    return answer


def only_answer(ended: Ended) -> Any:
    """Return the JSON object of a command that printed one line and nothing on standard error."""
    code, out, err = ended
    assert code == 0, err
    assert err == ""
    assert out.count("\n") == 1
    return json.loads(out)
