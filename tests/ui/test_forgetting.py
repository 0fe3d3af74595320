"""“Forget my data”: what the session had computed of it is no longer kept either."""

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from privlab.ui.sessions import sessions

    sessions.note()
    made = st.session_state.setdefault("made", [])

    @st.cache_data(scope="session", show_spinner=False)
    def counted(key: str) -> str:
        made.append(key)
        return key

    counted("digest of a file")
    st.button("Forget", on_click=sessions.forget_results)


def test_results_are_kept_until_they_are_forgotten() -> None:
    at = AppTest.from_function(_page, default_timeout=900)
    for _ in range(3):
        at.run()
    assert at.session_state["made"] == ["digest of a file"]
    at.button[0].click().run()
    assert at.session_state["made"] == ["digest of a file"] * 2
