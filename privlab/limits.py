"""The largest and smallest value of every parameter, for widgets, checks, command line and tests."""

MIN_EPSILON = 0.01
MAX_EPSILON = 20.0
MIN_EPSILON_PER_CELL = 1e-5  # a whole promise of MIN_EPSILON shared by MAX_TRIPS_PER_USER cells
MAX_THRESHOLD = 100_000
MAX_MADE_UP_SHARE = 0.1  # of what is published, expected to be false without a reason given
MAX_TRIPS = 1_000  # most unique trips a curve is computed for
MAX_TRIPS_PER_USER = 1_000  # largest contribution bound
MAX_REPETITIONS = 1_000_000
MAX_WEEKS = 520
MAX_CELLS_COMPOSED = 520_000  # MAX_TRIPS_PER_USER in each of MAX_WEEKS
MIN_PRIOR = 1e-6  # how likely a person is to be in before anything is seen
MAX_PRIOR = 0.999999
MIN_TARGET_DELTA = 1e-15
MAX_TOTAL_SHARE = 0.5
MAX_LEVELS = 3  # above zones, such as districts and regions
MAX_LEVEL_CELLS = 100_000  # pairs of districts of all levels and weeks of a release
MAX_TARGET_DELTA = 0.5
MAX_CELLS_ATTACKED = 100_000  # most cells of one target
MAX_USERS_GENERATED = 5_000_000
MIN_CELL_M = 10.0  # smallest side of a square grid zone
MAX_CELL_M = 200_000.0
MAX_BOX_ZONES = 1_000_000
MAX_ZONE_FILE_MB = 100
MAX_ZONES = 1_000_000  # of a zone file
MAX_ZONE_WORDS = 2_000_000  # cells of further columns of a zone file; with more, none of them is kept
MAX_ZONE_CORNERS = 2_000_000  # of all polygons of a zone file
MAX_RING_CORNERS = 500_000  # of one ring of a polygon
MAX_CROSSINGS = 100_000  # places where the polygons of a zone file cross or touch themselves
MAX_SIDE_PAIRS = 10_000_000  # pairs of sides of one polygon whose boxes overlap, in a whole zone file
MAX_PUBLISHED_CELLS = 4_000_000  # a simulated release beyond this is refused
MAX_COUNTED = 10**14  # trips that all counts of a file may add up to
MAX_SEED = 2**32 - 1
MAX_UPLOAD_MB = 200
MAX_TIMELINE_MB = 100  # one person's Google Timeline, held in memory while it is read
MAX_ROWS_KEPT = 10_000_000  # of a session, on disk; rows of larger data are read from their files again
MAX_SESSION_UPLOAD_MB = 500  # all uploads of one session
MAX_SERVER_UPLOAD_MB = 2_000  # all uploads of all sessions
MAX_FILES = 100_000  # files of one folder or pattern
MAX_ARCHIVE_MEMBERS = 5_000  # files and folders in one zip archive
MAX_UNPACKED_RATIO = 100  # a compressed file that grows more is no table
UNPACKED_FREE_MB = 100  # up to this size any ratio is allowed
REPEATED_FREE_MB = (
    4_000  # likewise of the values of a Parquet or Arrow file, each counted as often as it stands there
)
MAX_SHEET_CELLS = (
    12_000_000  # of a sheet of a workbook, empty ones between others included: it is held in memory
)
MAX_SHEET_TEXT_MB = 4_000  # cells of a workbook times its longest text
MAX_SPEED_KM_H = 100_000.0  # speed filter
MAX_EVERY_MIN = 1_440  # resampling, minutes
MAX_MIN_RECORDS = 1_000_000  # records a user may be asked to have
MAX_SECURE_CELLS = 1_000_000  # cells of a secure release, each with a draw of its own
MAX_BUDGET = 10_400.0  # MAX_EPSILON in each of MAX_WEEKS
MAX_AUDIT_CELLS = 100  # cells that an audited unit adds one to
MAX_AUDIT_TRIALS = 1_000_000  # runs of the audited mechanism in each world
MAX_AUDIT_TRIPS = 100_000  # trips of a week that an audit of the whole way bounds and noises in each run
MAX_AUDIT_ADDED_TRIPS = 500_000  # trips of people that an audit of the whole way adds to a file
MAX_REPORT_ITEMS = 100  # parts of one report
MAX_REPORT_TEXT = 20_000  # characters of a title or note
MAX_REASON = 500  # characters of why a steward accepts what is refused
MAX_LEVEL_KM = 1_000.0  # side of a coarse cell
MAX_BIN_MIN = 10_080  # a coarse time bin: one week
MAX_FOLD_DAYS = 3_660  # period that time is folded onto
MIN_KM = 0.1  # distance from which on samples are as far apart in space as can be
MAX_KM = 20_000.0
MAX_MIN = 525_600  # likewise in time: a year
MIN_WEIGHT = 0.01  # of space or time in the distance of two samples
MAX_STRETCH_UNITS = 2**24  # largest sample distance, in the whole numbers it is computed in
MAX_K = 1_000  # largest k of a k-gap, or of a merge
MAX_SEARCH_GB = 6.0  # memory that the search for nearest others may take
MAX_WORKERS = 64  # threads of a search, processes of a game
MAX_POINTS = 1_000  # most samples of a trace that an attacker knows
MAX_DRAWS = 10_000_000  # most traces drawn for unicity
MAX_DAYS = 3_660  # from the first to the last day of traces
MAX_TARGETS = 10_000  # people that one game attacks
MAX_GROUPS = 10_000  # groups of users per target
MIN_BALANCE = 0.01  # share of the groups of a game that hold the target
MAX_BALANCE = 0.99  # likewise
MAX_GROUP_SIZE = 1_000_000
MAX_CELL_FEATURES = 200_000_000  # samples × cells that a classifier is fitted on
MAX_CELLS_AGGREGATED = 20_000_000  # zones × hours of one aggregate
MAX_ENTRIES_ATTACKED = 250_000  # entries of aggregates that people who take turns differ in
MAX_RECOVERED_PEOPLE = 2_000  # whose trails are put together from counts: each is compared with each
MAX_RECOVERED_DAYS = 62
MIN_SHARE_KEPT = 0.001  # of each user's visits, where a control thins them
MAX_CACHE_MB = (
    2_000  # what is kept of the samples in the user's cache folder, unless PRIVLAB_CACHE_MB says otherwise
)
MAX_CLUSTER_TRIPS = (
    20_000  # different trips of one user in a week, of data that a cluster counts for a release
)
