"""Use cases without a browser and without a command line: load, plan, publish, play, hide, collect.

Pages and commands reach a result through here by one way. Uses everything below; knows nothing of Streamlit or Typer.
"""
