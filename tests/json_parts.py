"""The parts of a JSON value, and the value with one of them exchanged: for tests that try every part."""

from typing import Any


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all parts of a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], to: Any) -> Any:
    """Return the value with another at the path."""
    if not path:
        return to
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], to)
    return copy
