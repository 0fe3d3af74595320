"""Visits: which user was where in which hour, and the row each visit was made of. True data."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visits:
    """The visits of every user, as ragged arrays of whole numbers.

    User i, who is number `users[i]` (U,) of the data, has the visits `starts[i]:starts[i + 1]` of `row`, `hour` and
    `place`, each (n,). `row` is the row of the data, `hour` counts from 00:00 of a Monday, `place` is one of
    `n_places`. The data's days are the hours `first` to `end`, that one excluded; both begin a day.
    """

    users: Ints
    starts: Ints
    row: Ints
    hour: Ints
    place: Ints
    n_places: int
    first: int
    end: int

    @property
    def n_users(self) -> int:
        """Number of users."""
        return int(self.users.size)

    @property
    def user(self) -> Ints:
        """The user of each visit, a position in `users`, (n,)."""
        return np.repeat(np.arange(self.n_users), np.diff(self.starts))

    def kept(self, rows: npt.NDArray[np.bool_]) -> "Visits":
        """Return some of the visits, (n,) bool; every user stays, with visits or without."""
        starts = np.concatenate([[0], np.cumsum(rows)])[self.starts]
        return replace(self, starts=starts, row=self.row[rows], hour=self.hour[rows], place=self.place[rows])

    def of_users(self, users: npt.NDArray[np.bool_]) -> "Visits":
        """Return the visits of some of the users, (U,) bool."""
        lengths = np.where(users, np.diff(self.starts), 0)
        some = self.kept(np.repeat(users, np.diff(self.starts)))
        starts = np.concatenate([[0], np.cumsum(lengths[users])])
        return replace(some, users=self.users[users], starts=starts)
