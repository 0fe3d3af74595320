"""What is said of numbers that fields do not take, as a rule of style."""

import pytest
import streamlit as st

from privlab.ui.out_of_range import say_what_is_used


def test_each_field_says_its_own_and_those_that_are_right_say_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []
    monkeypatch.setattr(st, "html", written.append)
    say_what_is_used({"a": "1 is used."})
    say_what_is_used({"a": "1 is used.", "b": "2 is used."}, around="wish")
    alone, together = written
    assert '.st-key-a:has([aria-invalid="true"])::after { content: "1 is used.";' in alone
    assert '.st-key-wish:has(.st-key-b [aria-invalid="true"]) { --used-b: "2 is used. "; }' in together
    assert 'content: var(--used-a, "") var(--used-b, "");' in together
