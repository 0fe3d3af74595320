"""Pages in tests do their heavy work in the test's own process, and all of it takes the way to another process and back."""

import pickle
from typing import Any

import pytest

from privlab.ui.work import apart


@pytest.fixture(autouse=True)
def _pickled_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pickle work, what it says and its result, as a server does, which hands them to another process."""

    def sent(what: Any) -> Any:
        return pickle.loads(pickle.dumps(what))

    def done(work: Any, progress: Any, *, hear: Any = None, grace_s: float = 0.0) -> Any:
        return sent(sent(work)(progress, lambda said: hear(sent(said))))

    monkeypatch.setattr(apart, "_done", done)
