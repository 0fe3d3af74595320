"""What is said of a file before it is loaded, and of what became of its rows."""

from privlab.datasets.columns import ColumnMapping
from privlab.datasets.previews import Outlook
from privlab.figures.wording.words import number_of

_ROWS = {"records": "records", "trips": "trips", "counts": "counts"}
_ONE_ZONE = {"records": "in", "trips": "between", "counts": "between"}


def outlook_sentence(mapping: ColumnMapping, outlook: Outlook | None, second: str | None = None) -> str:
    r"""Return in one line what a file will be read as; `second` names a file that says where its zones lie.

    >>> mapping = ColumnMapping(user_id="rider", timestamp="t", origin="from", destination="to")
    >>> print(outlook_sentence(mapping, Outlook(rows=150_000, users=3_000, zones=40), "stations.csv").replace(". ", ".\n"))
    Will be read as 150,000 trips of 3,000 people between 40 zones (from → to), with positions from stations.csv.
    Rows that cannot be used are not yet taken off.
    """
    kind = mapping.kind
    amount = _ROWS[kind] if outlook is None else f"{outlook.rows:,} {_ROWS[kind]}"
    if outlook is not None and outlook.users is not None and kind != "counts":
        amount += f" of {outlook.users:,} {'person' if outlook.users == 1 else 'people'}"
    if outlook is not None and outlook.zones is not None:
        amount += f" {_ONE_ZONE[kind]} {number_of('zone', outlook.zones)}"
    places = " → ".join(str(getattr(mapping, field)) for field in mapping.place_fields)
    if len(mapping.place_fields) != 2 or kind == "records":
        places = ", ".join(str(getattr(mapping, field)) for field in mapping.place_fields)
    lie = f", with positions from {second}" if second else ""
    if outlook is None:
        return f"Will be read as {amount} ({places}){lie}. How many is known once it is loaded."
    return f"Will be read as {amount} ({places}){lie}. Rows that cannot be used are not yet taken off."
