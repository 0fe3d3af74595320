"""Who may see the lab: everyone who reaches it, or, where the operator configured a login, who has logged in."""

import streamlit as st
from streamlit.errors import StreamlitAuthError, StreamlitSecretNotFoundError


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
    return False


def log_out_control() -> None:
    """Show a way out to who has logged in."""
    if st.user.get("is_logged_in") is True:
        st.button(
            "Log out",
            key="logout",
            on_click=st.logout,
            help="Ends the session; what was uploaded in it goes with it.",
        )


def _login_is_asked() -> bool:
    """Return whether the secrets have a section `auth`. Raises if there are secrets that cannot be read."""
    try:
        return "auth" in st.secrets
    except StreamlitSecretNotFoundError as error:
        if error.error_id == "no-secrets-found":
            return False
        raise
