"""Use cases without a browser and without a command line: pages and commands reach a result by one way.

Uses everything below; knows nothing of Streamlit or Typer.
"""
