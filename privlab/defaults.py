"""What is taken where nothing else is said, by pages, commands and Python alike, and the few numbers that are quoted. Loads nothing."""

from datetime import datetime

# Flow A
PUBLISHED_EPSILON, PUBLISHED_THRESHOLD = 0.66, 100  # of the release that is attacked: Bassolas et al. 2019
USUAL_EPSILON, USUAL_THRESHOLD = PUBLISHED_EPSILON, PUBLISHED_THRESHOLD
USUAL_BOUND = 10  # trips of a user and week, where nothing says which number is better
USUAL_DELTA = 1e-6  # of a week
CLOSE = 0.1  # of the true count: what a published one may be off and still be near
TRIPS_OF_THE_AUTHOR = 32  # different ones, in a week, of an author of the attack: Houssiau et al. 2022
MOST_TRIPS = 70  # the longest attack curve drawn: the paper's axis
QUOTED_TRIPS = (1, 2, 3, 5, 10, 20, 32, 70)  # numbers of trips whose accuracy is put in a table
MOST_PEOPLE = 500  # judged one by one on a page, in a report and by commands

# Data that were read: what day 0 stands for, and what asks a question
DAY_0 = datetime(
    2000, 1, 3
)  # of files that number their days: a Monday, so that weeks run from it; which day it was they do not say
FAST_KM_H, FAR_M = 1_000.0, 10_000.0  # faster than airliners, farther than phones leap between antennas

# Flow C
DEFAULT_KS = (2, 5, 10, 25, 50, 100)
DEFAULT_DRAWS = 2_500  # of people, for unicity
DEFAULT_POINTS = 10  # samples known of a person, at most, for unicity
DEFAULT_MAX_KM, DEFAULT_MAX_MIN = 20.0, 480  # beyond, samples are as far apart as can be
COMPARED_LEVELS = (
    "0.1-1",
    "1-30",
    "20-480",
)  # km and min: as recorded, coarser, and as coarse as in the paper
