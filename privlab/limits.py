"""The largest and smallest value of every parameter, for widgets, checks, command line and tests."""

MIN_EPSILON = 0.01
MAX_EPSILON = 20.0
MIN_EPSILON_PER_CELL = 1e-5  # a whole promise of MIN_EPSILON shared by MAX_TRIPS_PER_USER cells
MAX_THRESHOLD = 100_000
MAX_TRIPS = 1_000  # most unique trips a curve is computed for
MAX_TRIPS_PER_USER = 1_000  # largest contribution bound
MAX_REPETITIONS = 1_000_000
MAX_WEEKS = 520
MAX_CELLS_COMPOSED = 520_000  # MAX_TRIPS_PER_USER in each of MAX_WEEKS
MIN_TARGET_DELTA = 1e-15
MAX_TARGET_DELTA = 0.5
MAX_CELLS_ATTACKED = 100_000  # most cells of one target
MAX_USERS_GENERATED = 5_000_000
MIN_CELL_M = 10.0  # smallest side of a square grid zone
MAX_CELL_M = 200_000.0
MAX_BOX_ZONES = 1_000_000
MAX_PUBLISHED_CELLS = 4_000_000  # a simulated release beyond this is refused
MAX_COUNTED = 10**14  # trips that all counts of a file may add up to
MAX_SEED = 2**32 - 1
MAX_UPLOAD_MB = 200
MAX_FILES = 100_000  # files of one folder, pattern or archive
MAX_UNPACKED_RATIO = 100  # a compressed file that grows more is no table
UNPACKED_FREE_MB = 100  # up to this size any ratio is allowed
MAX_SPEED_KM_H = 100_000.0  # speed filter
MAX_EVERY_MIN = 1_440  # resampling, minutes
MAX_MIN_RECORDS = 1_000_000  # records a user may be asked to have
