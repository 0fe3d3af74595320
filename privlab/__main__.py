"""`python -m privlab …`: everything a page shows, without a browser."""

from privlab.cli import run

if __name__ == "__main__":
    run()
