"""Which column means what, on the headers of real exports."""

import re

import pytest

from privlab.checks import DataError
from privlab.datasets.columns.column_names import PLACE_NAMES, TIME_NAMES, USER_NAMES, WEAK_USER_NAMES
from privlab.datasets.columns.guessed_mapping import mapping_from_columns, other_time_from_columns
from privlab.datasets.columns.mapping import ColumnMapping, mapping_with_choices

# header -> user, time, kind, place, the place's columns; worked out by reading the headers.
HEADERS = {
    "id,latitude,longitude,track_id,time": ("track_id", "time", "records", "latlon", "latitude longitude"),
    "user_id,timestamp,zone": ("user_id", "timestamp", "records", "zone", "zone"),
    "User ID;Date Time;Lat;Lon": ("User ID", "Date Time", "records", "latlon", "Lat Lon"),
    "msisdn,call_time,cell_id,duration": ("msisdn", "call_time", "records", "zone", "cell_id"),
    "imsi,start_time,end_time,antenna_id": ("imsi", "start_time", "records", "zone", "antenna_id"),
    "card_id,tap_time,station_id": ("card_id", "tap_time", "records", "zone", "station_id"),
    "uid,t,x,y": ("uid", "t", "records", "xy", "x y"),
    "person_id,arrival_time,origin_x,origin_y,dest_x,dest_y": (
        "person_id",
        "arrival_time",
        "trips",
        "xy",
        "origin_x origin_y dest_x dest_y",
    ),
    "hhid,person,end_time,O_Easting,O_Northing,D_Easting,D_Northing": (
        "person",
        "end_time",
        "trips",
        "xy",
        "O_Easting O_Northing D_Easting D_Northing",
    ),
    "X_Orig,Y_Orig,X_Dest,Y_Dest,trips": (None, None, "counts", "xy", "X_Orig Y_Orig X_Dest Y_Dest"),
    "transaction_id,device_id,card_id,transaction_time,station_id": (
        "card_id",
        "transaction_time",
        "records",
        "zone",
        "station_id",
    ),
    "username,rider_id,time,stop": ("rider_id", "time", "records", "zone", "stop"),
    "session_id,Nutzer_ID,Zeitpunkt,Zelle": ("Nutzer_ID", "Zeitpunkt", "records", "zone", "Zelle"),
    "card_id,tap_time,zone,fare,station_id": ("card_id", "tap_time", "records", "zone", "station_id"),
    "userid,venue_id,utc_time,latitude,longitude": (
        "userid",
        "utc_time",
        "records",
        "latlon",
        "latitude longitude",
    ),
    "device,ts,h3": ("device", "ts", "records", "zone", "h3"),
    "cab_id,lat,lon,occupancy,time": ("cab_id", "time", "records", "latlon", "lat lon"),
    "id,time,lat,lon": ("id", "time", "records", "latlon", "lat lon"),
    "ride_id,started_at,ended_at,start_station_id,end_station_id,start_lat,start_lng,"
    "end_lat,end_lng,user_id": (
        "user_id",
        "ended_at",
        "trips",
        "zone",
        "start_station_id end_station_id",
    ),
    "tripduration,starttime,stoptime,start station id,end station id,bikeid": (
        "bikeid",
        "stoptime",
        "trips",
        "zone",
        "start station id,end station id",
    ),
    "medallion,tpep_pickup_datetime,tpep_dropoff_datetime,PULocationID,DOLocationID": (
        "medallion",
        "tpep_dropoff_datetime",
        "trips",
        "zone",
        "PULocationID DOLocationID",
    ),
    "medallion,hack_license,pickup_datetime,dropoff_datetime,pickup_longitude,pickup_latitude,"
    "dropoff_longitude,dropoff_latitude": (
        "medallion",
        "dropoff_datetime",
        "trips",
        "latlon",
        "pickup_latitude pickup_longitude dropoff_latitude dropoff_longitude",
    ),
    "card,departure,from_station,to_station": (
        "card",
        "departure",
        "trips",
        "zone",
        "from_station to_station",
    ),
    "rider,time,start_stop,end_stop": ("rider", "time", "trips", "zone", "start_stop end_stop"),
    "user,origin,destination,departure_time": (
        "user",
        "departure_time",
        "trips",
        "zone",
        "origin destination",
    ),
    "person_id,timestamp,origin,destination,lat,lon": (
        "person_id",
        "timestamp",
        "trips",
        "zone",
        "origin destination",
    ),
}


@pytest.mark.parametrize("header", HEADERS)
def test_mapping_against_hand(header: str) -> None:
    names = header.split(";" if ";" in header else ",")
    user, time, kind, place, columns = HEADERS[header]
    mapping = mapping_from_columns(names)
    assert (mapping.user_id, mapping.timestamp, mapping.kind, mapping.place) == (user, time, kind, place)
    found = [getattr(mapping, field) for field in mapping.place_fields]
    assert found == columns.split("," if "," in columns else " ")
    mapping.require_complete(names)


# Headers of open data -> kind, and what is mapped; worked out by reading the headers and their descriptions.
OPEN_DATA = {
    "VendorID,tpep_pickup_datetime,tpep_dropoff_datetime,passenger_count,trip_distance,RatecodeID,"
    "store_and_fwd_flag,PULocationID,DOLocationID,payment_type,fare_amount": (
        "counts",
        {"timestamp": "tpep_dropoff_datetime", "origin": "PULocationID", "destination": "DOLocationID"},
    ),
    "CALLING_NUM,CALLED_NUM,START_TIME,DURATION,LAC_START,CI_START,LAC_END,CI_END": (
        "records",
        {"user_id": "CALLING_NUM", "timestamp": "START_TIME", "zone": "CI_START", "area": "LAC_START"},
    ),
    "Date/Time,Lat (deg),Lon (deg),Rider [hashed]": (
        "records",
        {"user_id": "Rider [hashed]", "timestamp": "Date/Time", "lat": "Lat (deg)", "lon": "Lon (deg)"},
    ),
    "card,ExTime,StartStn,EndStation": (
        "trips",
        {"user_id": "card", "timestamp": "ExTime", "origin": "StartStn", "destination": "EndStation"},
    ),
    # Card readers: on and off, on alone (buses mostly), and with names beside ids.
    "CardID,TapOnTime,TapOnStop,TapOffTime,TapOffStop,Route,Fare": (
        "trips",
        {
            "user_id": "CardID",
            "timestamp": "TapOffTime",
            "origin": "TapOnStop",
            "destination": "TapOffStop",
        },
    ),
    "card_number,board_time,board_stop_name,board_stop_id,alight_time,alight_stop_name,alight_stop_id": (
        "trips",
        {
            "user_id": "card_number",
            "timestamp": "alight_time",
            "origin": "board_stop_id",
            "destination": "alight_stop_id",
        },
    ),
    "card_id,check_in_time,check_in_station,check_out_time,check_out_station": (
        "trips",
        {
            "user_id": "card_id",
            "timestamp": "check_out_time",
            "origin": "check_in_station",
            "destination": "check_out_station",
        },
    ),
    "card_id,boarding_time,boarding_stop,route": (
        "records",
        {"user_id": "card_id", "timestamp": "boarding_time", "zone": "boarding_stop"},
    ),
    "Area of residence,Area of workplace,All categories: Method of travel to work,Train": (
        "counts",
        {"origin": "Area of residence", "destination": "Area of workplace"},
    ),
    "ride_id,rideable_type,started_at,ended_at,start_station_name,start_station_id,end_station_name,"
    "end_station_id,start_lat,start_lng,end_lat,end_lng,member_casual": (
        "counts",
        {"timestamp": "ended_at", "origin": "start_station_id", "destination": "end_station_id"},
    ),
    "trip_id,start_time,end_time,bikeid,tripduration,from_station_id,from_station_name,to_station_id,"
    "to_station_name,usertype,gender,birthyear": (
        "trips",
        {
            "user_id": "bikeid",
            "timestamp": "end_time",
            "origin": "from_station_id",
            "destination": "to_station_id",
        },
    ),
    "start_date,start_station_code,end_date,end_station_code,duration_sec,is_member": (
        "counts",
        {"timestamp": "end_date", "origin": "start_station_code", "destination": "end_station_code"},
    ),
    "Timestamp,Origin Station Complex ID,Origin Latitude,Origin Longitude,Destination Station Complex ID,"
    "Destination Latitude,Destination Longitude,Estimated Average Ridership": (
        "counts",
        {
            "timestamp": "Timestamp",
            "origin": "Origin Station Complex ID",
            "destination": "Destination Station Complex ID",
            "count": "Estimated Average Ridership",
        },
    ),
    "timestamp,originating_ant,terminating_ant,nb_voice_calls,duration_voice_calls": (
        "counts",
        {
            "timestamp": "timestamp",
            "origin": "originating_ant",
            "destination": "terminating_ant",
            "count": "nb_voice_calls",
        },
    ),
    "user_id,connection_datetime,antenna_id": (
        "records",
        {"user_id": "user_id", "timestamp": "connection_datetime", "zone": "antenna_id"},
    ),
    "user_id,connection_datetime,subpref_id": (
        "records",
        {"user_id": "user_id", "timestamp": "connection_datetime", "zone": "subpref_id"},
    ),
    "CallingNum,CalledNum,StartTime,EndTime,LAC,CI": (
        "records",
        {"user_id": "CallingNum", "timestamp": "StartTime", "zone": "CI", "area": "LAC"},
    ),
    "event-id,visible,timestamp,location-long,location-lat,sensor-type,tag-local-identifier,"
    "individual-local-identifier,study-name": (
        "records",
        {
            "user_id": "individual-local-identifier",
            "timestamp": "timestamp",
            "lat": "location-lat",
            "lon": "location-long",
        },
    ),
    "athlete_id,activity_id,time,lat,lng,altitude": (
        "records",
        {"user_id": "athlete_id", "timestamp": "time", "lat": "lat", "lon": "lng"},
    ),
    "passenger_id,stop_id,departure_time": (
        "records",
        {"user_id": "passenger_id", "timestamp": "departure_time", "zone": "stop_id"},
    ),
    "Card Number,Boarding_Stop_Stn,Alighting_Stop_Stn,Ride_Start_Date,Ride_Start_Time": (
        "trips",
        {
            "user_id": "Card Number",
            "timestamp": "Ride_Start_Time",
            "origin": "Boarding_Stop_Stn",
            "destination": "Alighting_Stop_Stn",
        },
    ),
    "w_geocode,h_geocode,S000": (
        "counts",
        {"origin": "h_geocode", "destination": "w_geocode", "count": "S000"},
    ),
    "origen,destino,distancia,viajes": (
        "counts",
        {"origin": "origen", "destination": "destino", "count": "viajes"},
    ),
    "uid,d,t,x,y": ("records", {"user_id": "uid", "timestamp": "t", "date": "d", "x": "x", "y": "y"}),
}


@pytest.mark.parametrize("header", OPEN_DATA)
def test_open_data_against_hand(header: str) -> None:
    kind, expected = OPEN_DATA[header]
    mapping = mapping_from_columns(header.split(","))
    found = {field: value for field in expected | {"count": ""} if (value := getattr(mapping, field))}
    assert (mapping.kind, found) == (kind, expected)
    assert set(mapping.fields_used) == set(expected)


INCOMPLETE = {
    "user_id,lat,lon": "which column holds a time; the columns are 'user_id', 'lat', 'lon'",
    "time,lat,lon": "which column holds a user; the columns are",
    "user_id,time": "which column holds a place (latitude and longitude, x and y, a zone, or an origin and",
    "user_id,time,lat": "which column holds the longitude; the columns are",
    "user_id,time,y": "which column holds x; the columns are",
    "user_id,time,origin": "which column holds the destination; the columns are",
    "user_id,time,start_lat,start_lon,end_lat": "which column holds the destination lon;",
    "a,b": "which column holds a user, a time and a place",
    "user,time,lat (start),lon (start),lat (end),lon (end)": "which column holds a place",
}


@pytest.mark.parametrize("header", INCOMPLETE)
def test_require_complete_iv(header: str) -> None:
    names = header.split(",")
    with pytest.raises(DataError) as caught:
        mapping_from_columns(names).require_complete(names)
    assert INCOMPLETE[header] in str(caught.value)


def test_require_complete_refuses_a_column_that_is_not_there_iv() -> None:
    mapping = ColumnMapping(user_id="who", timestamp="time", lat="lat", lon="lon")
    with pytest.raises(DataError, match=r"There is no column 'who' \(wanted for user_id\)") as caught:
        mapping.require_complete(["time", "lat", "lon"])
    assert caught.value.column == "who"


def test_nothing_to_map_degenerate() -> None:
    with pytest.raises(DataError, match="the columns are unknown"):
        mapping_from_columns([]).require_complete()


def test_two_places_against_hand() -> None:
    both = ColumnMapping(user_id="u", timestamp="t", lat="lat", lon="lon", zone="cell")
    assert (both.kind, both.place) == ("records", "latlon")
    half = ColumnMapping(user_id="u", timestamp="t", lat="lat", lon="lon", origin="o")
    assert (half.kind, half.place) == ("records", "latlon")


# The same in other languages, as exports of operators there are headed: user, time, place columns.
ABROAD = {
    "Kartennummer;Zeitstempel;Haltestelle": ("Kartennummer", "Zeitstempel", "Haltestelle"),
    "Fahrzeug_ID;Zeit;Breitengrad;Längengrad": ("Fahrzeug_ID", "Zeit", "Breitengrad Längengrad"),
    "Nutzer-ID;Ankunftszeit;Starthaltestelle;Zielhaltestelle": (
        "Nutzer-ID",
        "Ankunftszeit",
        "Starthaltestelle Zielhaltestelle",
    ),
    "Nutzer;Zeit;Start;Ziel": ("Nutzer", "Zeit", "Start Ziel"),
    "Nutzer;Start;Ziel;Abfahrt;Ankunft": ("Nutzer", "Ankunft", "Start Ziel"),
    "id_abonné;horodatage;antenne": ("id_abonné", "horodatage", "antenne"),
    "numero carte;date_heure;gare départ;gare arrivée": ("numero carte", "date_heure", "gare départ gare arrivée"),
    "id_tarjeta;fecha_hora;estación": ("id_tarjeta", "fecha_hora", "estación"),
    "id_usuario;hora_llegada;origen;destino": ("id_usuario", "hora_llegada", "origen destino"),
    "id_utente;data_ora;latitudine;longitudine": ("id_utente", "data_ora", "latitudine longitudine"),
    "id_cartao;data_hora;paragem": ("id_cartao", "data_hora", "paragem"),
    "kaartnummer;tijdstip;vertrekhalte;aankomsthalte": ("kaartnummer", "tijdstip", "vertrekhalte aankomsthalte"),
}  # fmt: skip


@pytest.mark.parametrize("header", ABROAD)
def test_headers_of_other_languages(header: str) -> None:
    user, time, places = ABROAD[header]
    mapping = mapping_from_columns(header.split(";"))
    mapping.require_complete(header.split(";"))
    assert (mapping.user_id, mapping.timestamp) == (user, time)
    assert " ".join(str(getattr(mapping, field)) for field in mapping.place_fields) == places


def test_a_start_that_is_a_place_is_not_the_other_time() -> None:
    header = ["Nutzer", "Start", "Ziel", "Abfahrt", "Ankunft"]
    assert other_time_from_columns(mapping_from_columns(header), header) == ("Abfahrt", True)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("Nutzer;Start;Ziel", ("7", "2026-03-02 08:15", "4")),  # no other time
        ("Nutzer;Start;Ende;Ziel", ("7", "2026-03-02 08:15", "2026-03-02 08:40", "4")),
        ("Nutzer;Datum;Start;Ziel", ("7", "2026-03-02", "08:15", "4")),
    ],
)
def test_a_start_that_is_a_time_is_no_place(header: str, row: tuple[str, ...]) -> None:
    mapping = mapping_from_columns(header.split(";"), [row])
    assert (mapping.origin, mapping.destination) == (None, "Ziel")


def test_day_and_clock_under_german_names() -> None:
    mapping = mapping_from_columns(
        ["Karte", "Datum", "Uhrzeit", "Zelle"], [["7", "02.03.2026", "08:15", "4"]]
    )
    assert (mapping.date, mapping.timestamp, mapping.zone) == ("Datum", "Uhrzeit", "Zelle")


def test_counts_under_spanish_names() -> None:
    mapping = mapping_from_columns(["origen", "destino", "número_de_viajes"])
    assert mapping.kind == "counts"
    assert mapping.count == "número_de_viajes"


def test_no_name_means_two_things() -> None:
    meanings = {"user": USER_NAMES + WEAK_USER_NAMES, "time": TIME_NAMES, **PLACE_NAMES}
    found: dict[str, str] = {}
    for meaning, words in meanings.items():
        for word in {re.sub(r"[\s_.\-]+", "", one).casefold() for one in words.split()}:
            assert found.setdefault(word, meaning) == meaning, word


@pytest.mark.parametrize("rows", [{"count": "n"}, {"user_id": "u", "timestamp": "t"}])
def test_an_occupied_flag_is_of_records_alone(rows: dict[str, str]) -> None:
    mapping = ColumnMapping(origin="from", destination="to", occupied="hired", **rows)
    with pytest.raises(DataError, match=rf"'hired'.* and these rows are {mapping.kind} already") as caught:
        mapping.require_complete(["from", "to", "n", "u", "t", "hired"])
    assert caught.value.column == "hired"


def test_ends_that_are_times_are_no_ends() -> None:
    """Presence in an interval, which names two times: it is not a flow between them."""
    names = ["cell_id", "from", "to", "count"]
    rows = [
        ["101", "2026-03-14 08:00", "2026-03-14 09:00", "540"],
        ["102", "2026-03-14 09:00", "2026-03-14 10:00", "77"],
    ]
    mapping = mapping_from_columns(names, rows)
    assert (mapping.kind, mapping.zone, mapping.origin, mapping.destination) == (
        "records",
        "cell_id",
        None,
        None,
    )
    with pytest.raises(DataError, match="Counts of people per place cannot"):
        mapping.require_complete(names)
    ids = mapping_from_columns(names, [["x", "101", "102", "540"]])
    assert (ids.kind, ids.origin, ids.destination) == ("counts", "from", "to")


@pytest.mark.parametrize(
    ("header", "row", "time", "day"),
    [
        (
            "user,start_date,start_time,end_date,end_time",
            "1,2026-03-08,23:50,2026-03-09,00:10",
            "end_time",
            "end_date",
        ),
        ("user,start_date,start_time", "1,2026-03-08,23:50", "start_time", "start_date"),
        (
            "user,travel_date,departure_time,arrival_time",
            "1,2026-03-08,08:50,09:10",
            "arrival_time",
            "travel_date",
        ),
    ],
)
def test_the_clock_of_an_end_goes_with_the_day_of_the_end(header: str, row: str, time: str, day: str) -> None:
    names = [*header.split(","), "origin", "destination"]
    mapping = mapping_from_columns(names, [[*row.split(","), "A", "B"]])
    assert (mapping.timestamp, mapping.date) == (time, day)


def test_the_other_half_of_a_place_named_by_hand_stays_and_other_places_go() -> None:
    trips = mapping_from_columns(["user", "time", "origin", "final_stop"])
    both = mapping_with_choices(trips, {"destination": "final_stop"})
    assert (both.origin, both.destination) == ("origin", "final_stop")
    both.require_complete(["user", "time", "origin", "final_stop"])
    degrees = mapping_with_choices(ColumnMapping(lat="lat", zone="cell"), {"lon": "east"})
    assert (degrees.lat, degrees.lon, degrees.zone) == ("lat", "east", None)
    zoned = mapping_with_choices(ColumnMapping(lat="lat", lon="lon"), {"zone": "cell"})
    assert (zoned.lat, zoned.lon, zoned.zone) == (None, None, "cell")
    cell = ColumnMapping(zone="ci", area="lac")
    assert mapping_with_choices(cell, {"zone": "stop"}).area is None
    kept = mapping_with_choices(ColumnMapping(zone="ci"), {"area": "lac"})
    assert (kept.zone, kept.area) == ("ci", "lac")
    none = mapping_with_choices(ColumnMapping(lat="lat", lon="lon", zone="cell"), {"lat": None})
    assert (none.lat, none.lon, none.zone) == (None, None, None)
