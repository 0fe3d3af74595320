"""What the page Publish offers beside a release, against what a release can be made with."""

import itertools

from privlab.checks import ParameterError
from privlab.lab.publishing.publish import release_parameters_from_wishes
from privlab.od import PRODUCTS
from privlab.od.releases import SECURE_NOISES
from privlab.ui.publish.release_controls import _can_have_total


def test_a_total_is_offered_where_a_release_can_have_one_and_nowhere_else() -> None:
    offered, possible = set(), set()
    for one in itertools.product(PRODUCTS, SECURE_NOISES, ("public", "discovered")):
        product, noise, cells = one
        if _can_have_total(*one):
            offered.add(one)
        try:
            release_parameters_from_wishes(
                epsilon=1,
                max_trips_per_user=3,
                threshold=20,
                cells=cells,
                noise=noise,
                unbiased=True,
                product=product,
            )
        except ParameterError:
            continue
        possible.add(one)
    assert offered == possible == {("flows", "gaussian", "public"), ("flows-by-slot", "gaussian", "public")}
