"""The names that files give to a user, a time, a place or a count, best first; English ones before those of other languages.

Names are compared without case, accents, spaces, underscores, dots and hyphens. Knows no file and no rule.
"""

USER_NAMES = """
    user_id user uid userid useridentifier person_id person individual_id participant_id agent_id
    subscriber_id subscriber msisdn imsi imei caller_id caller rider_id passenger_id customer_id customer client_id member_id
    card_id card card_number card_no smartcard_id smart_card_id ticket_id account_id username
    device_id device phone_id phone phone_number maid ad_id advertiser_id
    advertising_id id_android android_id cab_id taxi_id taxi cab medallion hack_license driver_id vehicle_id vehicle car_id mmsi
    individual_local_identifier tag_local_identifier athlete_id calling_num calling_number caid cuebiq_id
    anonymous_id rider passenger traveller traveler commuter
"""
TIME_NAMES = """
    timestamp time datetime date_time event_time event_timestamp utc_time utc_timestamp utc_datetime
    local_time local_datetime checkin_time check_in_time checkin checkin_timestamp tap_time tap_in_time
    transaction_time transaction_datetime transaction_date validation_time boarding_time call_time
    call_datetime call_timestamp tap_datetime txn_datetime recorded_at created_at location_time location_timestamp gps_time fix_time
    position_time timestamp_utc connection_datetime trx_time txn_time base_date_time event_zoned_datetime
    #timestamp timestamp_ms tst ts t unix_time unixtime epoch epoch_time time_utc date day when
"""
START_NAMES = """
    started_at start_time start_datetime start_date start_timestamp start pickup_datetime pickup_time
    pickup_date tpep_pickup_datetime lpep_pickup_datetime trip_pickup_datetime trip_start_timestamp
    departure_time departure departed_at depart_time boarding_time tap_in_time entry_time ent_time ride_start_time
    start_time_ms strt_time dep_time depart
"""
END_NAMES = """
    ended_at end_time end_datetime end_date end_timestamp stop_time stoptime dropoff_datetime dropoff_time
    drop_off_datetime drop_off_time dropoff_date tpep_dropoff_datetime lpep_dropoff_datetime
    trip_dropoff_datetime trip_end_timestamp arrival_time arrival_datetime arrival arrived_at arrive_time
    alighting_time tap_out_time exit_time ex_time return end end_time_ms arr_time arrive
"""
PLACE_NAMES = {
    "lat": "latitude lat gps_lat gps_latitude venue_latitude location_lat location_latitude wgs84_lat stop_lat y_lat",
    "lon": """
        longitude lon lng long gps_lon gps_lng gps_longitude venue_longitude location_lon location_lng location_long
        location_longitude wgs84_lon stop_lon x_lon
    """,
    "x": "x x_m xm easting x_coord x_coordinate pos_x position_x",
    "y": "y y_m ym northing y_coord y_coordinate pos_y position_y",
    "zone": """
        zone_id station_id station stop_id stop zone cell_id cell cellid cgi antenna_id antenna tower_id tower bts_id bts
        site_id site location_id location ci eci ci_start cell_id_start first_ci first_cell_id first_cell h3 h3_cell h3_index geohash venue_id venue
        poi_id poi place_id place area_id area region_id region district grid_id grid taz
        subpref_id arrondissement_id station_complex_id
    """,
    "origin": """
        origin origin_id origin_zone origin_zone_id origin_station_id o_zone from_zone from_id from
        from_station_id start_station_id start_zone start_zone_id pu_location_id pickup_location_id
        pickup_zone pickup_community_area pickup_census_tract boarding_station_id boarding_stop_id
        boarding_stop entry_station_id entry_station start_station start_station_name from_station_name
        source o orig start_station_code start_station_number departure_station_id boarding_stop_stn
        originating_ant origin_station_complex_id est_departure_airport geoid_o h_geocode origen
        area_of_usual_residence area_of_residence origin_station origin_stop origin_station_name origin_cell origin_antenna
        orig_zone orig_id origin_pt_code pcod_from emplacement_pk_start
    """,
    "destination": """
        destination destination_id destination_zone destination_zone_id destination_station_id dest
        dest_id dest_zone d_zone to_zone to_id to to_station_id end_station_id end_zone end_zone_id
        do_location_id dropoff_location_id dropoff_zone dropoff_community_area dropoff_census_tract
        alighting_station_id alighting_stop_id alighting_stop exit_station_id exit_station end_station
        end_station_name to_station_name target d end_station_code end_station_number return_station_id
        alighting_stop_stn terminating_ant destination_station_complex_id est_arrival_airport geoid_d
        w_geocode destino area_of_workplace destination_station destination_stop destination_station_name
        destination_cell destination_antenna destination_pt_code pcod_to emplacement_pk_end
    """,
}
DATE_NAMES = """
    date day trip_date service_date transaction_date event_date record_date call_date start_date travel_date
    txn_date ride_start_date departure_date abfahrtsdatum date_départ fecha_salida fecha_viaje data_partenza data_partida
"""
END_DATE_NAMES = "end_date stop_date dropoff_date drop_off_date arrival_date return_date date_fin fecha_fin data_fine data_fim enddatum"
OFFSET_NAMES = """
    utc_offset_min utc_offset_minutes timezone_offset timezone_offset_min timezone_offset_minutes tz_offset_min
    tz_offset_minutes offset_min offset_minutes
"""
AREA_NAMES = "lac lac_start first_lac location_area_code location_area tac tracking_area_code tracking_area"
CELL_NAMES = "ci eci cid cell_id cellid cell ci_start first_ci"  # ids that are unique within their area only
COUNT_NAMES = """
    count counts trip_count trips_count n_trips num_trips number_of_trips trips total_trips flow flows od_flow
    volume n_users num_users number_of_users n_people people persons total n
    passengers journeys riders demand estimated_average_ridership ridership nb_voice_calls viajes visitor_flows s000 value
"""
_STARTS = "origin_ orig_ start_ pickup_ from_ o_ start_station_ trip_start_ pickup_centroid_"
_ENDS = "destination_ end_ dropoff_ to_ d_ end_station_ trip_end_ dropoff_centroid_ dest_"
for _end, _prefixes in (("origin", _STARTS), ("destination", _ENDS)):
    _degrees: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("lat", ("lat", "latitude")),
        ("lon", ("lon", "lng", "longitude", "long")),
    )
    for _axis, _words in _degrees:
        PLACE_NAMES[f"{_end}_{_axis}"] = " ".join(
            prefix + word for prefix in _prefixes.split() for word in _words
        )
    for _axis, _words in (
        ("x", ("x", "easting", "x_coord", "x_m")),
        ("y", ("y", "northing", "y_coord", "y_m")),
    ):
        _names = [prefix + word for prefix in _prefixes.split() for word in _words]
        _names += [f"{_axis}_{prefix.removesuffix('_')}" for prefix in _prefixes.split()]
        PLACE_NAMES[f"{_end}_{_axis}"] = " ".join(_names)
_PLACES = "station stn stop zone cell antenna tower site area region district"
# How a traveller gets on and off, as card readers call it: with a place, a time, or neither.
_ON, _OFF = (
    "tap_on tapped_on tap_in tag_on tag_in touch_on touch_in check_in boarding board boarded entry",
    "tap_off tapped_off tap_out tag_off tag_out touch_off touch_out check_out alighting alight alighted exit",
)
_CLOCKS = "time datetime date_time timestamp at"
START_NAMES += " ".join(f"{prefix}_{clock}" for prefix in _ON.split() for clock in _CLOCKS.split())
END_NAMES += " ".join(f"{prefix}_{clock}" for prefix in _OFF.split() for clock in _CLOCKS.split())
for _end, _prefixes in (
    ("origin", "from start origin departure"),
    ("destination", "to end destination arrival"),
):
    PLACE_NAMES[_end] += " ".join(
        f"{prefix}_{place}{last}"
        for prefix in _prefixes.split()
        for place in _PLACES.split()
        for last in ("", "_id")
    )
_STOPS = f"{_PLACES} location point terminal".split()
_ONS, _OFFS = (
    " ".join(
        f"{prefix}_{place}{last}"
        for last in ("_id", "_code", "_number", "", "_name")
        for prefix in prefixes.split()
        for place in _STOPS
    )
    for prefixes in (_ON, _OFF)
)
PLACE_NAMES["origin"] += f" {_ONS}"
PLACE_NAMES["destination"] += f" {_OFFS}"
ONLY_ON_NAMES = _ONS  # where nothing says where one gets off, a row says where somebody was

# In German, French, Spanish, Italian, Portuguese and Dutch. A word that means one thing here and another in English
# (German "Tag", French "temps") is left out.
USER_NAMES += """
    nutzer_id nutzer benutzer_id benutzer teilnehmer_id teilnehmer personen_id kunden_id kundennummer kunden_nr kunde
    karten_id kartennummer karten_nr karte rufnummer geraete_id geräte_id gerät fahrzeug_id fahrzeug fahrer_id fahrgast
    id_utilisateur utilisateur_id utilisateur id_usager usager id_abonné abonné id_client id_carte numéro_carte carte
    id_appareil appareil id_véhicule véhicule voyageur
    id_usuario usuario_id usuario id_tarjeta numero_tarjeta tarjeta id_cliente cliente id_abonado abonado
    id_dispositivo dispositivo id_vehículo vehículo id_viajero viajero
    id_utente utente id_tessera tessera id_veicolo veicolo
    id_utilizador utilizador id_cartão número_cartão cartão id_veículo veículo
    gebruiker_id gebruiker kaart_id kaartnummer kaart klant_id klant apparaat_id apparaat voertuig_id voertuig reiziger
"""
# Who has one of these for an id is no person: many ride in a vehicle, and each person makes several journeys.
VEHICLE_NAMES = """
    cab_id taxi_id taxi cab medallion vehicle_id vehicle car_id mmsi bike_id bike_number bike scooter_id scooter
    fahrzeug_id fahrzeug id_véhicule véhicule id_vehículo vehículo id_veicolo veicolo id_veículo veículo voertuig_id voertuig
"""
# Surveys number the persons of each household from 1.
PERSON_NAMES = "person_id person person_no person_nr person_number per_no pid p_id individual_id participant_id member_id personen_id"
HOUSEHOLD_NAMES = """
    household_id household household_no household_nr household_number house_id hh_id hh hh_no hh_nr hh_num h_id sampno sampn
    haushalt_id haushalt haushaltsnummer id_ménage ménage id_hogar hogar id_famiglia famiglia agregado huishouden
"""
JOURNEY_NAMES = "track_id trajectory_id traj_id session_id"
WEAK_USER_NAMES = " pid track_id trajectory_id traj_id session_id bike_id bike_number bike id"  # where nothing says who, in any language
TIME_NAMES += """
    zeitstempel zeitpunkt datum_zeit datum_uhrzeit uhrzeit zeit datum
    horodatage date_heure date_et_heure heure jour
    fecha_hora fecha_y_hora marca_de_tiempo marca_temporal hora fecha
    data_ora orario ora data_hora data
    tijdstip datum_tijd tijd
"""
START_NAMES += """
    startzeit startzeitpunkt abfahrtszeit abfahrt einstiegszeit beginn
    heure_départ heure_de_départ date_départ heure_début date_début début
    hora_salida hora_inicio fecha_inicio fecha_salida inicio
    ora_partenza ora_inizio data_inizio inizio hora_partida hora_início data_início início
    vertrektijd starttijd begintijd instaptijd
"""
END_NAMES += """
    endzeit endzeitpunkt ankunftszeit ankunft ausstiegszeit ende
    heure_arrivée heure_d'arrivée date_arrivée heure_fin date_fin fin
    hora_llegada fecha_llegada hora_fin fecha_fin
    ora_arrivo ora_fine data_fine fine hora_chegada hora_fim data_fim fim
    aankomsttijd eindtijd uitstaptijd
"""
DATE_NAMES += " datum reisedatum fahrtdatum jour fecha data dia día giorno reisdatum"
COUNT_NAMES += """
    anzahl_fahrten anzahl_wege anzahl_personen anzahl fahrten wege reisende fahrgäste fahrgastzahl
    nombre_de_déplacements nombre_déplacements déplacements nombre_de_voyages effectif
    número_de_viajes num_viajes numero_viajes numero_di_viaggi viaggi spostamenti número_de_viagens viagens
    aantal_reizen aantal_verplaatsingen aantal verplaatsingen
"""
for _field, _abroad in {
    "lat": "breitengrad breite geografische_breite latitud latitudine breedtegraad",
    "lon": "längengrad laengengrad länge laenge geografische_länge longitud longitudine lengtegraad",
    "x": "rechtswert ostwert",
    "y": "hochwert nordwert",
    "zone": """
        funkzelle zellen_id zelle haltestellen_id haltestelle_id haltestelle standort_id standort gebiet bezirk gemeinde
        id_cellule cellule id_antenne antenne id_arrêt arrêt gare id_lieu lieu id_secteur secteur quartier commune
        id_celda celda id_antena antena id_parada parada id_estación estación id_zona zona_id zona distrito municipio
        cella fermata_id fermata stazione_id stazione comune célula paragem estação município gebied halte cel
    """,
    "origin": """
        quelle quellzelle quellbezirk startort starthaltestelle einstiegshaltestelle von von_zelle von_zone von_haltestelle herkunft
        origine id_origine zone_origine zone_d'origine arrêt_origine arrêt_départ station_départ gare_départ lieu_départ
        id_origen zona_origen origen_id estación_origen estación_salida parada_origen
        zona_origine stazione_partenza fermata_partenza origem zona_origem estação_origem paragem_origem
        herkomst herkomst_zone vertrekpunt vertrekhalte instaphalte van_zone
    """,
    "destination": """
        ziel zielzelle zielbezirk zielort zielhaltestelle ausstiegshaltestelle nach nach_zelle nach_zone nach_haltestelle
        zone_destination zone_de_destination arrêt_destination arrêt_arrivée station_arrivée gare_arrivée lieu_arrivée
        id_destino zona_destino destino_id estación_destino estación_llegada parada_destino
        destinazione zona_destinazione stazione_arrivo fermata_arrivo estação_destino paragem_destino
        bestemming bestemming_zone aankomstpunt aankomsthalte uitstaphalte naar_zone
    """,
}.items():
    PLACE_NAMES[_field] += f" {_abroad}"
