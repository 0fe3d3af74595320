"""“Forget my data”: what the session had computed of it, its uploads and its report are no longer kept either."""

from types import SimpleNamespace

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from privlab.ui.sessions import sessions


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


def test_uploads_are_gone_from_the_server_s_memory_and_those_of_others_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = MemoryUploadedFileManager("/upload")
    for session in ("mine", "yours"):
        for name in ("week.csv", "timeline.json"):
            held.add_file(session, UploadedFileRec(file_id=name, name=name, type="", data=b"rows"))
    server = SimpleNamespace(
        exists=lambda: True, get_instance=lambda: SimpleNamespace(uploaded_file_mgr=held)
    )
    monkeypatch.setattr(sessions, "runtime", server)
    monkeypatch.setattr(sessions, "get_script_run_ctx", lambda: SimpleNamespace(session_id="mine"))
    sessions.forget_uploads("timeline.json")
    assert set(held.file_storage["mine"]) == {"week.csv"}
    sessions.forget_uploads()
    assert not held.file_storage.get("mine")
    assert set(held.file_storage["yours"]) == {"week.csv", "timeline.json"}


def _report() -> None:
    import streamlit as st

    from privlab.od.simulating import ReleaseParameters
    from privlab.reports import DataReference, ReportItem, ReportPlan, View
    from privlab.ui.report.report_state import forget_own_parts, keep_report

    view = View(release=ReleaseParameters(), week="2026-03-09", group_size=40)
    own, sample = (
        DataReference(name=name, sample=name == "city", digest="d" * 32, zones="column")
        for name in ("zzfilezz.csv", "city")
    )
    items = (
        ReportItem(exhibit="people", view=view, data=own),
        ReportItem(exhibit="people", view=view, data=sample),
        ReportItem(exhibit="attack", view=view),
    )
    if "began" not in st.session_state:
        st.session_state["began"] = True
        keep_report(ReportPlan(title="Risk report on zzfilezz.csv", items=items))
        st.session_state["report_before"] = ReportPlan(title="Before", items=items)
        st.session_state["release_folders"] = {"d" * 32: "where a release of it lay"}
    st.button("Forget", on_click=forget_own_parts)


def test_parts_on_own_data_leave_the_report_and_others_stay() -> None:
    at = AppTest.from_function(_report, default_timeout=900).run()
    at.button[0].click().run()
    plan = at.session_state["report_plan"]
    assert [(item.exhibit, item.data and item.data.name) for item in plan.items] == [
        ("people", "city"),
        ("attack", None),
    ]
    assert plan.title == "What publishing this data would cost"
    assert (plan.items[1].view.week, plan.items[1].view.group_size) == ("", None)
    assert plan.items[0].view.week == "2026-03-09"  # of the sample
    assert "report_before" not in at.session_state
    assert "release_folders" not in at.session_state
    assert not at.exception
