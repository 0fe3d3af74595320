"""Which account a dataset is charged to: the one it is in, the one its people are in, the one a steward names, or a new one.

Asked within the transaction that writes the cost, and before it by whoever only looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from privlab.checks import ParameterError
from privlab.releases.accounts.accounts import account_called
from privlab.releases.accounts.shared_people import SharedPeople
from privlab.safe_text import visible

MOST_TITLE = 80
_MANY = 3  # accounts, which are counted, not named
_NAME_DIGITS = 32
_APART = (
    "This data has an account of its own, which no other budget counts. If its people are in another account,"
)
RUNNING = (
    "The ids are running numbers, by which nobody is known again where the first rows differ: in a later month, or with another time zone "
    f"or times column. {_APART}"
)
"""To be followed by how to name that account."""


class AccountRefused(ParameterError):
    """An account that data may not be charged to: its people, or it itself, are in another, or it has spent more than was agreed to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountWish:
    """What a steward says of the account: the title or keyed name of one, perhaps a new one, and that its people are others.

    `is_new` opens an account although the people seem to be in another. Without either the ledger proposes one.
    """

    title: str | None = None
    is_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountShare:
    """How many of the people of some data are in an account, and the ε of its releases so far."""

    account: str
    title: str | None
    epsilon: float
    people: SharedPeople

    @property
    def called(self) -> str:
        """Its title in quotation marks, or its keyed name."""
        return account_called(self.account, self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenAccount:
    """The account that a dataset is charged to, by its keyed name; it may be new.

    `title` is the name that it is given by this, if any. `is_known` says that the data is in it already, `is_proposed`
    that the ledger chose it by its people. `shares` are other accounts with people of this data, those with most of them
    first. `unsure` says why it is new although its people might be in another, to be followed by how to name that one; it is
    empty where they are not. `refusal` says why it may not be charged, in one sentence.
    """

    account: str
    title: str | None = None
    is_known: bool = False
    is_proposed: bool = False
    shares: tuple[AccountShare, ...] = ()
    unsure: str = ""
    refusal: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What the steward should know of the choice, in sentences."""
        own = next((one for one in self.shares if one.account == self.account), None)
        said = []
        if self.is_proposed and own is not None:
            said.append(
                f"This data is charged to the account {own.called}: {share_in_words(own.people)} in it already. If they "
                "are other people, open a new one (--new-account)."
            )
        said += [
            f"{also_in_words(one)} `ledger merge` puts two accounts into one."
            for one in self.shares
            if one.account != self.account
        ]
        if self.unsure:
            said.append(f"{self.unsure} name it (--account; `ledger accounts` lists them).")
        return tuple(said)


def too_few_in_words(accounts: Sequence[str]) -> str:
    """Return that it cannot be told whether people are in one of these accounts, which are called so, to be followed by how to name it.

    >>> too_few_in_words(["“cards”", "“phones”"]).split(":")[0]
    "Too few of this data's people can be looked for in the accounts “cards” and “phones” to tell whether they are there"
    """
    which = f"{len(accounts)} accounts"
    if len(accounts) < _MANY:
        which = f"the account{'s' * (len(accounts) > 1)} {' and '.join(accounts)}"
    return (
        f"Too few of this data's people can be looked for in {which} to tell whether they are there: of many people the ledger keeps a "
        f"sample. {_APART}"
    )


def share_in_words(people: SharedPeople) -> str:
    """Return how many of the people of some data are in an account, to be followed by where.

    >>> share_in_words(SharedPeople(of_data=0.5, low=0.4, high=0.6, of_others=1.0, n_compared=100))
    'about 50% of its people (40% to 60%) are'
    >>> share_in_words(SharedPeople(of_data=1.0, low=1.0, high=1.0, of_others=0.5, n_compared=3))
    '100% of its people are'
    """
    if people.low == people.high:
        return f"{_percent(people.of_data)} of its people are"
    ends = f"{_percent(people.low)} to {_percent(people.high)}"
    return f"about {_percent(people.of_data)} of its people ({ends}) are"


def also_in_words(one: AccountShare, called: str | None = None) -> str:
    """Return that people of some data are in another account than the one it is charged to, and what that means.

    `called` is what the account is called there, its title or whole name if None.
    """
    return (
        f"{share_in_words(one.people).capitalize()} in the account {called or one.called} too: no budget counts what both release of "
        "them."
    )


def charged_meanwhile_in_words(before: float, epsilon: float) -> str:
    """Return that an account of which ε `before` is spent was charged since a release of this ε was agreed to, and what to do.

    >>> charged_meanwhile_in_words(1.0, 0.5).partition(". ")[2].partition(". ")[0]
    'With both they are promised ε = 1.5, not 0.5'
    """
    return (
        f"Another release of the same people was made since this one was agreed to. With both they are promised ε = {before + epsilon:g}, "
        f"not {epsilon:g}. Nothing was charged for this one: keep the release that was made, or agree to the sum first."
    )


def _percent(share: float) -> str:
    """Return a share in whole percent; neither all nor nothing where it is not."""
    if 0.995 <= share < 1:
        return "over 99%"
    return "under 1%" if 0 < share < 0.005 else f"{share:.0%}"


def require_title(text: str) -> str:
    """Return a name that an account may have. Raises ParameterError for one that cannot be read, or looks like a keyed name."""
    title = text.strip()
    keyed = len(title) == _NAME_DIGITS and not set(title.lower()) - set("0123456789abcdef")
    if not 1 <= len(title) <= MOST_TITLE or visible(title) != title or keyed:
        raise ParameterError(
            f"account must be a name of 1 to {MOST_TITLE} characters that can be seen, and no keyed name, got "
            f"{visible(title[:MOST_TITLE])!r}."
        )
    return title
