"""How a command ends: with its code and all that it said, and nothing that runs later changes it."""

import subprocess
import sys

_COMMAND = """
import atexit, os, sys, threading, time, privlab.cli

class Late:
    def __del__(self, abort=os.abort):
        abort()  # as a library's thread may, where Python is taken apart around it

sys.late = Late()

def command():
    atexit.register(print, "cleared")
    threading.Thread(target=lambda: (time.sleep(0.2), print("worked"))).start()
    print("x" * 100_000)
    sys.exit(3)

privlab.cli.run = command
from privlab.__main__ import run
run()
"""


def test_a_command_ends_with_its_code_after_all_that_was_left_to_do() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _COMMAND], capture_output=True, text=True, timeout=600, check=False
    )
    assert (ended.returncode, ended.stderr) == (3, "")
    assert ended.stdout == "x" * 100_000 + "\nworked\ncleared\n"
