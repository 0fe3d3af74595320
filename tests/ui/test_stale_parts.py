"""A part of a report that is about other data than is loaded now is stale, though all its settings are the same."""

from dataclasses import replace

from privlab.od.simulating import ReleaseParameters
from privlab.reports import DataReference, ReportItem, View
from privlab.reports.exhibits import EXHIBITS
from privlab.ui.report.report_page import _differ


def test_a_part_on_other_data_is_stale_and_one_on_no_data_is_not() -> None:
    data = DataReference(name="trips.csv", sample=False, digest="a" * 32, zones="column")
    one = ReportItem(exhibit="people", view=View(release=ReleaseParameters(), week="2026-03-02"), data=data)
    assert not _differ(one, one, EXHIBITS["people"])
    assert _differ(one, replace(one, data=replace(data, digest="b" * 32)), EXHIBITS["people"])
    promise = replace(one, exhibit="guarantee", data=None)
    assert not _differ(promise, replace(promise, data=data), EXHIBITS["guarantee"])
