"""How this server is, for whoever runs it: sessions, jobs, memory, disk and ledger. Counts and sizes, nobody's data."""

import streamlit as st

from privlab.datasets.processes import own_processes
from privlab.figures.wording import plain
from privlab.lab.ledgers import Health, health_of_machine
from privlab.ui.sessions import access
from privlab.ui.sessions.sessions import n_sessions
from privlab.ui.work.fair_turns import HEAVY

_UNKNOWN = "unknown"


def health_on_request() -> None:
    """Show a button that looks at the server, to who may release; and what was found, once it is clicked."""
    if access.may_release() and st.button(
        "How is this server?",
        key="look_at_health",
        icon=":material/monitor_heart:",
        type="tertiary",
        help="Sessions, jobs, memory, disk and the ledger, as they are now. On the command line: python -m privlab health.",
    ):
        _show(health_of_machine())


def _show(health: Health) -> None:
    for problem in health.problems:
        st.warning(plain(problem))
    if health.is_well:
        st.success("Nothing is wrong that can be seen from here.")
    running, waiting = HEAVY.counts()
    with st.container(horizontal=True):
        st.metric(
            "Sessions",
            n_sessions(),
            help="Browsers that this server knows, those gone for a moment included.",
        )
        st.metric(
            "Jobs running",
            running,
            help="Loading, plans, games and searches of all sessions; each takes its turn.",
        )
        st.metric(
            "Jobs waiting", waiting, help="As many run at once as there are cores, or as PRIVLAB_JOBS says."
        )
        st.metric("This process", _mb(health.process_mb), help="Memory that this server holds.")
        n_processes, their_mb = own_processes()
        st.metric(
            "Processes for heavy work",
            n_processes,
            help=f"They hold {_mb(their_mb)} of memory, what they share counted for each. One may be waiting for work.",
        )
        st.metric(
            "Memory free", _mb(health.memory_free_mb), help="Of the whole machine, as the system counts it."
        )
        for disk in health.disks:
            st.metric(f"Disk free: {disk.what}", _mb(disk.free_mb), help="What is still free there.")
        st.metric(
            "Working files",
            f"{health.private_mb:,} MB",
            help=f"In {health.private_folders} folders of living work; they go with it.",
        )
        st.metric(
            "Kept samples",
            f"{health.cache_mb:,} MB",
            help=f"Of at most {health.most_cache_mb:,} MB; what was not used for longest goes first.",
        )
    ledger = health.ledger
    if ledger.chain_holds:
        st.caption(
            plain(
                f"The ledger {ledger.name} answers, and its chain holds: {entries_words(ledger.entries or 0)}, read in "
                f"{ledger.seconds:.1f} s."
            )
        )
    elif ledger.answers and not ledger.is_there:
        st.caption(plain(f"There is no ledger {ledger.name} yet."))


def entries_words(n: int) -> str:
    """Return a number of entries in words.

    >>> entries_words(1), entries_words(1200)
    ('1 entry', '1,200 entries')
    """
    return "1 entry" if n == 1 else f"{n:,} entries"


def _mb(megabytes: int | None) -> str:
    return _UNKNOWN if megabytes is None else f"{megabytes:,} MB"
