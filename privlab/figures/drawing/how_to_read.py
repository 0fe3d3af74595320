"""How each figure is read, and what to do with it: for whoever asks beside it."""

_ATTACK = (
    "Along the bottom: how many different trips someone makes in a week. Upwards: how often the best attack says rightly "
    "whether that person is in the data; a coin is right in 50 of 100 cases. Above the dashed line the claim does not hold. "
    "Dots: simulated games with intervals of 95%, to confirm the curve. "
    "Set a bound on trips per user to bring the curve down."
)
_PEOPLE = (
    "Each bar is so many people with so many different trips in the week. Read off how many lie at three or more: for them "
    "a promise for one trip is not enough. It helps to choose a bound that leaves most trips in."
)
_MARGINALS = (
    "The share of all visits in each hour or zone, as one release tells it, beside that of all people. The attack invents "
    "people by these shares."
)
_GROUPS = (
    "AUC says how well the attacker tells groups with the target from groups without: 0.5 is a blind guess, 1 is always right. "
    "The further a curve lies to the right, the more people are recognised. Larger groups move it to the left."
)
_KGAPS = (
    "k-gap: how far a person's records must be stretched, at least, to look like those of k − 1 others; 0 is alike, 1 is as "
    "different as can be. The curve says which share of people needs at most so much. Only those at 0 are hidden as they are."
)
_SHARE = (
    "Of what sets a person apart from the nearest others, the share that is time; the rest is place. Near 1, coarser places "
    "will not help: make times coarser."
)
_FACTOR = (
    "Each point is a person attacked. Along the bottom what they do, upwards how well they were recognised; an AUC of 0.5 is a blind "
    "guess. A slope of many points says who needs protection first; few points have one by chance."
)
_HEAT = (
    "Zones downwards, hours along the bottom; the stronger the colour, the more people were counted. Marked are the target's "
    "own visits. Look whether they stand out from the others."
)
_ANONYMOUS = "For each level, the share of people who look exactly like at least k − 1 others. It rarely grows as fast as detail is lost."

MEANINGS = {
    "tour_attack": _ATTACK,
    "tour_price": "Each dot is what one release would say of one flow, the one in which the middle trip lies. Between the lines: the "
    "trips that the limit leaves out; the spread: the noise, and which trips count. Choose the limit where both together are least.",
    "tour_auc": _GROUPS,
    "tour_kgap": _KGAPS,
    "tour_trails": "Where one person was, in kilometres from home, and the person most like them; grey lines join the samples that "
    "were compared. Where they part is what gives the person away.",
    "tour_share": _SHARE,
    "tour_anonymous": _ANONYMOUS,
    "home_attack": _ATTACK,
    "attack_curve": _ATTACK,
    "attack_certainty": (
        "Along the bottom: how certain the attacker ends. Bars upwards: 100 people who are in the data; "
        "downwards: 100 who are not. Full colour lies beyond the claim. Tall bars at the right end are people"
        " who are found almost every time."
    ),
    "practice_chart": (
        "Along the bottom ε, upwards how often the best attack is right about someone with so many trips, if ε protects one trip; a coin is "
        "right in 50 of 100 cases. "
        "A diamond on the curve: an ε that others published for one trip. Dots below: the ε of others that protect more than a "
        "trip, a line for each; they have no height, for the curve is not of them. The table says what each protects."
    ),
    "attack_people": _PEOPLE,
    "data_people": _PEOPLE,
    "data_week": (
        "Days downwards, hours along the bottom; the stronger the colour, the more there was. Nights as full "
        "as days, or one hour that holds all, are signs that times were read wrongly."
    ),
    "data_days": "One bar for each day, of a long time for each week. Gaps are days without data: choose the week of a release where "
    "there are none. With several weeks, the chosen one is full and a click chooses.",
    "release_error": (
        "Where the difference between true and published counts comes from: trips over the limit, noise, "
        "suppressed flows and false flows. The longest bar says which setting to move first."
    ),
    "release_scatter": (
        "Each point is a flow: true count along the bottom, published count upwards, each step ten times as "
        "many. On the diagonal nothing was changed; the spread around it is noise, which weighs most on small"
        " flows. Drag a box around points: the map above then shows those flows alone."
    ),
    "release_decay": (
        "How many trips are so long, truly and as published. Where the curves part, whoever models traffic "
        "with the release is led astray."
    ),
    "risk_histogram": (
        "Each bar is so many people whom the best attack guesses rightly so often; a coin is right in 50 of "
        "100 cases. Look at the right end: the promise must hold for those too. On the page Guarantee, drag over bars "
        "or click one: the map below them then shows what gives these people away."
    ),
    "gaussian_histogram": (
        "Each bar is so many people whom the best attack guesses rightly so often, under Gaussian noise and where no flow of "
        "theirs is left out; a coin is right in 50 of 100 cases. Look at the right end: the promise must hold for those too."
    ),
    "risk_moves": (
        "How the risk of the people judged changes with one setting, all else as it is; the upright line is "
        "where it stands now. Below: the share of them above the claim. "
        "Take the setting where the highest accuracy is as low as you need it; a coin is"
        " right in 50 of 100."
    ),
    "plan_frontier": (
        "Each point is a release one could make: upwards how useful, as expected over the noise, along the bottom how often the best "
        "attack is right on the worst-placed person. Points at the upper left are best. A line for each kind of noise. Click a point to take it."
    ),
    "plan_clipping": (
        "For each limit on trips per user, the share of trips that it leaves out, or of their weight where all trips stay. Where the "
        "curve flattens, a larger limit gains little and costs noise."
    ),
    "compare_chart": (
        "Each bar is a step from today's release on, for the same promise to a person's week, at the limit on trips and the "
        "threshold that serve it best on this data; in brackets what the step gains over the one that it adds to, in "
        "percentage points. Longer bars leave more of the flows near the truth. With Gaussian noise the "
        "promise has a δ."
    ),
    "ledger_bar": (
        "What releases of this data have cost its people, one piece each, and the next one beside them. Right"
        " of the dashed line the budget ends."
    ),
    "auc_chart": _GROUPS,
    "share_known_chart": (
        "How well one release and a part of the target's trace tell groups with the target from others: mean AUC with its "
        "95% interval, 0.5 for a coin. Flat lines mean that little of a trace is as good as all of it."
    ),
    "marginals_hours": _MARGINALS,
    "marginals_zones": _MARGINALS,
    "size_chart": (
        "Each point is a person attacked; of ten or more, a box holds the middle half; the line joins the means, each with its "
        "interval of 95%. At 0.5 the attack is a blind guess. Publish groups of a size where all points lie near that line."
    ),
    "loss_chart": (
        "Each point is a person attacked. Privacy loss of the game (PL), which is no ε, is 0 where the attack is no better than a blind guess,"
        " and 1 where it is always right; the dashed line is what a blind guess reads by chance. Publish "
        "groups of a size where the points lie near that line."
    ),
    "roc_chart": (
        "Along the bottom: of those who are not in, how many are accused. Upwards: of those who are in, how "
        "many are found. The diagonal is a blind guess; a curve that climbs at once at the left is an attack "
        "that can be trusted."
    ),
    "factor_volume": _FACTOR,
    "factor_regularity": _FACTOR,
    "factor_particularity": _FACTOR,
    "heat_chart": _HEAT,
    "heat_before_chart": _HEAT,
    "heat_after_chart": _HEAT,
    "trade_off_chart": (
        "Each point is a defence at one ε. Upwards: how much less the attacker learns; along the bottom: how "
        "wrong the counts become. The best defences lie at the upper left; ask for the attacker who knows the"
        " defence."
    ),
    "release_people_chart": "How many people the best attack on what was released gets right how often. Those right of the "
    "dashed line are more exposed "
    "than ε alone says.",
    "release_map_chart": "On the left people or flows as they are, on the right as released, on one scale. What is left out or false has a colour of "
    "its own: look whether the places that matter to users of the release are still there.",
    "gain_chart": (
        "Along the bottom ε, upwards how much of the attack a defence takes away, with intervals of 95%. Full lines: an attacker "
        "who learns from counts with the same noise; dotted: one who does not know of it. Judge a defence by its full line."
    ),
    "visits_chart": "Along the bottom the hours of the week, upwards people: as they are (dotted) and as published (line). Above all zones "
    "together, below the zone with most published visits. Where the line breaks, a count was below the threshold. Look whether "
    "the rhythm that users of the release need is still there.",
    "pipeline_chart": (
        "Each mark is one test for a person who was added to the file, in the releases in which it was counted: along the bottom how "
        "often it says that the person is in though they are not, upwards how often it finds them. The solid line is the most that is "
        "promised: marks beyond it by more than chance break the promise. On the dotted line a test knows no more than a coin. "
        "Tests that say of two releases which is the one with the person stand in the table alone."
    ),
    "recovery_chart": (
        "Each bar is the share of steps in which someone is put in the zone where they really were. The first is the attack, with its interval "
        "of 95%; "
        "the others take no putting together. Only what the attack gains over the highest of the others is learned from the "
        "counts as they change: if it gains nothing, the risk lies in where people are at first."
    ),
    "recoveries_chart": (
        "Each row is one recovery: the dot is the attack with its 95% interval, the grey marks are what takes no attack. Only where the dot "
        "lies right of all grey marks do the counts give away more than where people are at first. Defences shift both."
    ),
    "recovered_trail": (
        "Where one person really was, in kilometres from where they are most, and the trail put together from counts that fits "
        "best; grey lines join what belongs to the same step. Where no grey line shows, the attack was right. Look "
        "whether it finds the places that matter, such as a home."
    ),
    "kgap_chart": _KGAPS,
    "levels_chart": (
        "One curve for each level, as coarse as its name says. The further a curve lies to the left, the more"
        " alike people look. See how much detail must go before most do."
    ),
    "anonymous_chart": _ANONYMOUS,
    "share_chart": _SHARE,
    "gini_chart": (
        "How unevenly the distance is spread over a person's samples: 0 all alike, 1 all in one. Near 1, a "
        "few samples give the person away; leaving those out is cheaper than coarsening all."
    ),
    "tail_chart": (
        "How far the largest distances of a person's samples lie from the usual ones. Dotted: known laws. "
        "Further right than the exponential means that a few far samples keep the person apart."
    ),
    "unicity_chart": (
        "The share of people whom so many of their own places and times single out from all others. Along the"
        " bottom: how many the attacker knows; around each line lies its interval of 95%. Few points that reach high up mean: do not publish "
        "traces."
    ),
    "places_chart": (
        "The share of people who are the only ones with their most visited places, known without any time. Along the bottom: how many of "
        "them someone knows. Home and work are two. A solid line counts those who are alone with the order too, a dotted one in any order."
    ),
    "link_chart": (
        "The share of people whom the places they visited in one half of the time link to themselves in the other, "
        "among everybody, with intervals of 95%. Far above the dotted line, a blind guess, means that names taken off, or changed halfway, "
        "protect nobody."
    ),
    "person_trails": (
        "One person's way through the days and, beside it, that of the most similar other person. Where they "
        "part is what gives the person away."
    ),
    "space_time": (
        "Left: where the samples of one person and of the nearest others lie. Right: how far from home each "
        "was, day by day. Look for samples that have no other near them: they tell this person apart."
    ),
    "person_parts": (
        "Each point is a sample: along the bottom how far its place is from the nearest others, upwards how "
        "far its time is. Points high up or far right give the person away."
    ),
    "person_laws": (
        "Along the bottom how far a sample is from the nearest of another person, upwards the share of samples within that distance. A "
        "curve that rises at once and then creeps to the right is a long tail: a few samples carry the distance. Those are the ones "
        "to leave out or to make coarser, in time if the tail is there."
    ),
    "giveaway": (
        "How much of the person's distance the first so many samples make up, the most telling first. A curve"
        " that climbs steeply means that leaving out a few samples would help most."
    ),
    "glove_accuracy": (
        "The share of published samples whose box is at most so wide, and so long. Compare it with the detail"
        " that those who use the data need."
    ),
    "glove_maps": (
        "Samples as they were, and as boxes that groups of people share. Large boxes are places where few "
        "people go."
    ),
}
