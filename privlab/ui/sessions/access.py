"""Who may see the lab: everyone who reaches it, or, where the operator configured a login, who has logged in."""

import streamlit as st
from streamlit import runtime
from streamlit.errors import StreamlitAuthError, StreamlitSecretNotFoundError

from privlab.safe_text import label
from privlab.ui.sessions import asked_address


def granted() -> bool:
    """Return whether this visitor may see anything; show the login instead if not."""
    try:
        asked = _login_is_asked()
    except (StreamlitSecretNotFoundError, OSError):
        st.error("The file of secrets cannot be read. Until it can, nothing is shown.")
        return False
    if not asked or st.user.get("is_logged_in") is True:
        return True
    st.title("privlab")
    st.write("This lab is for its team.")
    if st.button(
        "Log in",
        key="login",
        type="primary",
        icon=":material/login:",
        help="Opens the login of whoever runs this lab.",
    ):
        try:
            st.login()
        except StreamlitAuthError:
            st.error("The login is not set up completely; docs/privacy.md tells the operator how.")
    asked_address.keep()
    return False


def visitor() -> str | None:
    """Return the name that a visitor has logged in with, for the ledger; None where nobody has to log in."""
    if st.user.get("is_logged_in") is not True:
        return None
    names = (_email(), *(st.user.get(one) for one in ("preferred_username", "name", "sub")))
    said = next((one for one in names if one), None)
    return label(said) if said else "a visitor without a name"


def may_release() -> bool:
    """Return whether this visitor may make releases and set budgets, not only look.

    Everyone may, unless the operator's secrets have a section `roles`: then whose address its list `release` names.
    """
    try:
        if "roles" not in st.secrets:
            return True
        named = st.secrets["roles"].get("release", ())
    except StreamlitSecretNotFoundError as error:
        return error.error_id == "no-secrets-found"
    except (OSError, AttributeError):
        return False
    email = _email()
    return (
        st.user.get("is_logged_in") is True
        and bool(email)
        and not isinstance(named, str)
        and email.casefold() in {str(one).casefold() for one in named}
    )


def _email() -> str:
    """Return the address that the login vouches for, empty if there is none."""
    said = st.user.get("email")
    return str(said) if said and st.user.get("email_verified") is not False else ""


def log_out_control() -> None:
    """Say to who has logged in as whom, and show a way out."""
    if who := visitor():
        asked_address.go_on()
        from privlab.figures.wording import words

        st.markdown(f"Logged in as {words.as_code(who)}")
        st.button(
            "Log out",
            key="logout",
            on_click=st.logout,
            help="Ends the session of this tab; what was uploaded in it goes with it. Other tabs stay as they are until they are loaded anew: close "
            "them.",
        )


def may_upload(session: str) -> bool:
    """Return whether the visitor of a session may bring files: everyone, or, where a login is asked for, who has logged in.

    Asked of an upload itself, outside the session's page: whoever sees a button and nothing else has a session all the same.
    """
    try:
        if not _login_is_asked():
            return True
    except (StreamlitSecretNotFoundError, OSError):
        return False
    if not runtime.exists():
        return False
    found = runtime.get_instance()._session_mgr.get_session_info(session)
    return found is not None and found.session._user_info.get("is_logged_in") is True


def _login_is_asked() -> bool:
    """Return whether the secrets have a section `auth`. Raises if there are secrets that cannot be read."""
    try:
        return "auth" in st.secrets
    except StreamlitSecretNotFoundError as error:
        if error.error_id == "no-secrets-found":
            return False
        raise
