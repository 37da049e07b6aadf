"""What the measurements of several benchmarks share."""
import statistics


def interval(ratios):
    """The median and a 95 % confidence interval of it, by order statistics."""
    ordered = sorted(ratios)
    n = len(ordered)
    # The largest r with P(Binomial(n, 1/2) < r) <= 2.5 %; at n < 6 the range is the best there is.
    below, r, binomial = 0.0, 0, 0.5**n
    while below + binomial <= 0.025:
        below += binomial
        r += 1
        binomial = binomial * (n - r + 1) / r
    low = max(r - 1, 0)
    return statistics.median(ordered), ordered[low], ordered[n - 1 - low]


def print_table(rows):
    """In Markdown; the first row is the head."""
    widths = [max(len(line[i]) for line in rows) for i in range(len(rows[0]))]
    for line in [rows[0], ["-" * width for width in widths], *rows[1:]]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
