"""What is asked unless something else is said. Loads nothing: the help of the command line names these."""

DEFAULT_KS = (2, 5, 10, 25, 50, 100)
DEFAULT_DRAWS = 2_500
DEFAULT_MAX_KM, DEFAULT_MAX_MIN = 20.0, 480  # beyond, samples are as far apart as can be
