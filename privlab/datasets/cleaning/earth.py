"""How large the Earth is: by itself, so that whoever needs no more loads no database."""

EARTH_RADIUS_M = 6_371_008.8  # mean radius, IUGG
