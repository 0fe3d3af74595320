"""What each way to make noise and to undo what a limit takes is called, where a steward chooses one."""

INTEGER = "integer"
MECHANISM_NAMES = {
    INTEGER: "integer noise",
    "gaussian": "Gaussian noise, trips at random",
    "gaussian, l2": "Gaussian noise",
    "gaussian, l2, unbiased": "Gaussian noise and a total",
    "gaussian, l2, unbiased, levels": "Gaussian noise, a total and sums of districts",
    "gaussian, l2, unbiased, smoothed": "Gaussian noise and a total, smoothed",
}
