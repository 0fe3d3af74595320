"""The lab for a team on one machine, as docs/privacy.md describes it: PostgreSQL, a login, a reverse proxy. Uses no room of privlab."""
