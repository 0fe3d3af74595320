"""Which column of a file means what.

Knows the names that call records, GPS logs, check-ins, smart cards, taxi and bike-share exports
give to a user, a time and a place. Opens no file and reads no row.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from privlab.checks import DataError

Kind = Literal["records", "trips", "counts"]
Place = Literal["latlon", "xy", "zone"]

# Best name first. Names are compared without case, spaces, underscores, dots and hyphens.
USER_NAMES = """
    user_id user uid userid username useridentifier person_id person individual_id participant_id agent_id
    subscriber_id subscriber msisdn imsi imei caller_id caller customer_id customer client_id member_id
    rider_id passenger_id account_id device_id device phone_id phone phone_number maid ad_id advertiser_id
    advertising_id id_android android_id card_id card card_number card_no smartcard_id smart_card_id
    ticket_id cab_id taxi_id taxi cab medallion hack_license driver_id vehicle_id vehicle car_id mmsi
    track_id trajectory_id traj_id session_id bike_id bike_number bike id
"""
TIME_NAMES = """
    timestamp time datetime date_time event_time event_timestamp utc_time utc_timestamp utc_datetime
    local_time local_datetime checkin_time check_in_time checkin checkin_timestamp tap_time tap_in_time
    transaction_time transaction_datetime transaction_date validation_time boarding_time call_time
    call_datetime call_timestamp recorded_at created_at location_time location_timestamp gps_time fix_time
    position_time timestamp_utc ts t unix_time unixtime epoch epoch_time time_utc date day
"""
START_NAMES = """
    started_at start_time start_datetime start_date start_timestamp start pickup_datetime pickup_time
    pickup_date tpep_pickup_datetime lpep_pickup_datetime trip_pickup_datetime trip_start_timestamp
    departure_time departure departed_at depart_time boarding_time tap_in_time entry_time
"""
END_NAMES = """
    ended_at end_time end_datetime end_date end_timestamp stop_time stoptime dropoff_datetime dropoff_time
    drop_off_datetime drop_off_time dropoff_date tpep_dropoff_datetime lpep_dropoff_datetime
    trip_dropoff_datetime trip_end_timestamp arrival_time arrival_datetime arrival arrived_at arrive_time
    alighting_time tap_out_time exit_time end
"""
PLACE_NAMES = {
    "lat": "latitude lat gps_lat gps_latitude venue_latitude location_lat location_latitude wgs84_lat y_lat",
    "lon": """
        longitude lon lng long gps_lon gps_lng gps_longitude venue_longitude location_lon location_lng
        location_longitude wgs84_lon x_lon
    """,
    "x": "x x_m xm easting x_coord x_coordinate pos_x position_x",
    "y": "y y_m ym northing y_coord y_coordinate pos_y position_y",
    "zone": """
        zone_id zone cell_id cell cellid cgi antenna_id antenna tower_id tower bts_id bts site_id site
        station_id station stop_id stop location_id location h3 h3_cell h3_index geohash venue_id venue
        poi_id poi place_id place area_id area region_id region district grid_id grid taz
    """,
    "origin": """
        origin origin_id origin_zone origin_zone_id origin_station_id o_zone from_zone from_id from
        from_station_id start_station_id start_zone start_zone_id pu_location_id pickup_location_id
        pickup_zone pickup_community_area pickup_census_tract boarding_station_id boarding_stop_id
        boarding_stop entry_station_id entry_station start_station start_station_name from_station_name
        source
    """,
    "destination": """
        destination destination_id destination_zone destination_zone_id destination_station_id dest
        dest_id dest_zone d_zone to_zone to_id to to_station_id end_station_id end_zone end_zone_id
        do_location_id dropoff_location_id dropoff_zone dropoff_community_area dropoff_census_tract
        alighting_station_id alighting_stop_id alighting_stop exit_station_id exit_station end_station
        end_station_name to_station_name target
    """,
}
_STARTS = "origin_ start_ pickup_ from_ o_ start_station_ trip_start_ pickup_centroid_"
_ENDS = "destination_ end_ dropoff_ to_ d_ end_station_ trip_end_ dropoff_centroid_ dest_"
for _end, _prefixes in (("origin", _STARTS), ("destination", _ENDS)):
    for _axis, _words in (("lat", ("lat", "latitude")), ("lon", ("lon", "lng", "longitude", "long"))):
        PLACE_NAMES[f"{_end}_{_axis}"] = " ".join(
            prefix + word for prefix in _prefixes.split() for word in _words
        )

_ENDS_LATLON = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
# The first complete group is the place: coordinates before ids for records, ids before coordinates for trips.
_RECORD_PLACES: tuple[tuple[str, ...], ...] = (("lat", "lon"), ("x", "y"), ("zone",))
_TRIP_PLACES: tuple[tuple[str, ...], ...] = (("origin", "destination"), _ENDS_LATLON)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMapping:
    """The file's column for each meaning; None where the file has none.

    Projected coordinates `x`, `y` are in metres, `lat`, `lon` in degrees. `time_format` is a strptime
    format, "seconds" or "milliseconds" (unix times), or None to recognise it.
    """

    user_id: str | None = None
    timestamp: str | None = None
    lat: str | None = None
    lon: str | None = None
    x: str | None = None
    y: str | None = None
    zone: str | None = None
    origin: str | None = None
    destination: str | None = None
    origin_lat: str | None = None
    origin_lon: str | None = None
    destination_lat: str | None = None
    destination_lon: str | None = None
    time_format: str | None = None

    @property
    def kind(self) -> Kind:
        """What a row is: "trips" where both ends of a move are known, else "records"."""
        if self._complete(_TRIP_PLACES):
            return "trips"
        partly = any(getattr(self, field) for group in _TRIP_PLACES for field in group)
        return "trips" if partly and not self._complete(_RECORD_PLACES) else "records"

    @property
    def place(self) -> Place:
        """How places are given: "latlon", "xy" or "zone"."""
        complete = self._complete(_RECORD_PLACES if self.kind == "records" else _TRIP_PLACES)
        if complete in (("zone",), ("origin", "destination")):
            return "zone"
        if complete == ("x", "y"):
            return "xy"
        if complete is None and self.kind == "trips" and (self.origin or self.destination):
            return "zone"
        return "latlon"

    @property
    def place_fields(self) -> tuple[str, ...]:
        """The fields of this mapping that give the place, in the order of the normalised table."""
        if self.kind == "trips":
            return ("origin", "destination") if self.place == "zone" else _ENDS_LATLON
        return {"latlon": ("lat", "lon"), "xy": ("x", "y"), "zone": ("zone",)}[self.place]

    def require_complete(self, names: Sequence[str] | None = None) -> None:
        """Raise a DataError naming what is missing, unless user, time and place are all mapped.

        `names`, where given, are the columns there are; they are listed, and a mapped column that
        is not among them is refused.
        """
        if names is not None:
            self._require_present(names)
        missing = [word for word, name in (("a user", self.user_id), ("a time", self.timestamp)) if not name]
        missing += self._missing_place()
        if missing:
            there = names if names is not None else self._mapped().values()
            raise DataError(
                f"Could not tell which column holds {_listed(missing)}; the columns {_named(there)}. "
                "Name the missing ones in the column mapping."
            )

    def _missing_place(self) -> list[str]:
        if self._complete(_RECORD_PLACES + _TRIP_PLACES):
            return []
        if self.kind == "trips":
            group = ("origin", "destination") if self.place == "zone" else _ENDS_LATLON
            return [f"the {field.replace('_', ' ')}" for field in group if not getattr(self, field)]
        for one, other in (("lat", "lon"), ("lon", "lat"), ("x", "y"), ("y", "x")):
            if getattr(self, one):
                return [{"lat": "the latitude", "lon": "the longitude"}.get(other, other)]
        return ["a place (latitude and longitude, x and y, a zone, or an origin and a destination)"]

    def _require_present(self, names: Sequence[str]) -> None:
        for field, name in self._mapped().items():
            if name not in names:
                raise DataError(
                    f"There is no column {name!r} (wanted for {field}); the columns {_named(names)}.",
                    column=name,
                )

    def _mapped(self) -> dict[str, str]:
        fields = (
            "user_id",
            "timestamp",
            *(field for group in _RECORD_PLACES + _TRIP_PLACES for field in group),
        )
        return {field: name for field in fields if (name := getattr(self, field))}

    def _complete(self, groups: tuple[tuple[str, ...], ...]) -> tuple[str, ...] | None:
        return next((group for group in groups if all(getattr(self, field) for field in group)), None)


def mapping_from_columns(names: Sequence[str]) -> ColumnMapping:
    """Return the likeliest mapping for these column names; fields with no likely column are None.

    >>> mapping_from_columns(["id", "latitude", "longitude", "track_id", "time"]).user_id
    'track_id'
    """
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(_plain(name), name)
    place = {field: _first(known, synonyms) for field, synonyms in PLACE_NAMES.items()}
    groups = _TRIP_PLACES + _RECORD_PLACES
    # One place only, so that a page shows one; without a complete one, whatever was found.
    whole = next((group for group in groups if all(place[field] for field in group)), None)
    if whole:
        place = {field: name if field in whole else None for field, name in place.items()}
    trips = whole in _TRIP_PLACES
    times = (END_NAMES, START_NAMES, TIME_NAMES) if trips else (TIME_NAMES, START_NAMES, END_NAMES)
    return ColumnMapping(user_id=_first(known, USER_NAMES), timestamp=_first(known, " ".join(times)), **place)


def _plain(name: str) -> str:
    return re.sub(r"[\s_.\-]+", "", name).casefold()


def _first(known: dict[str, str], synonyms: str) -> str | None:
    return next((known[plain] for plain in map(_plain, synonyms.split()) if plain in known), None)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _named(names: Iterable[str], most: int = 12) -> str:
    shown = [repr(name if len(name) <= 40 else name[:40] + "…") for name in names]
    if not shown:
        return "are unknown"
    tail = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return "are " + ", ".join(shown[:most]) + tail
