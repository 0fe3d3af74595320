"""What is asked of the origin–destination flow unless something else is said. Loads nothing."""

MOST_TRIPS = 70  # the longest attack curve drawn: the paper's axis
QUOTED_TRIPS = (1, 2, 3, 5, 10, 20, 32, 70)  # numbers of trips whose accuracy is put in a table
MOST_PEOPLE = 500  # judged one by one on a page and in a report
