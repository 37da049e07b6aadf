"""The picture of docs/benchmarks.md: how many times as long statements take, on a scale of logarithms. It is
drawn from the tables of the page, so the same page gives the same picture."""

import math

from tables import measured, tables

WIDTH, LEFT, RIGHT, TOP, ROW = 1000, 330, 60, 108, 30
TICKS = (0.25, 0.5, 1, 2, 4, 8, 16)
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2933}.small{font-size:12px;fill:#52606d}"
    ".bold{font-weight:600}.grid{stroke:#d9e2ec}.one{stroke:#52606d;stroke-width:1.5}"
    ".range{stroke:#00796b;stroke-width:4;stroke-opacity:.45;stroke-linecap:round}.dot{fill:#00796b}"
)
# Which figures are shown: a heading, the column, whether it is a throughput (of which the inverse is shown),
# and the label of a row or None.
FIGURES = {
    "proxy": (
        "Beside PgBouncer, simple protocol",
        "pgveil ÷ PgBouncer",
        True,
        lambda row: f"{row['table']} table, {row['clients']} clients" if row["mode"] == "simple" else None,
    ),
    "masks": (
        "Masked beside raw, in PostgreSQL",
        "masked ÷ raw",
        False,
        lambda row: f"{row['statement']}, {row['cohorts']} cohorts",
    ),
    "analytics": (
        "Through pgveil beside raw, geometric mean",
        "pgveil ÷ raw",
        False,
        lambda row: f"{row['set']}, {row['masks']}",
    ),
}


def points(sections):
    """(heading, [(label, median, least, most)]) of the sections that have figures."""
    for name, (heading, column, is_throughput, label) in FIGURES.items():
        found = []
        for row in next(iter(tables(sections.get(name, ""))), []):
            words = label(row)
            if words:
                middle, low, high = (max(it, 0.005) for it in measured(row[column]))  # 0.00 is less
                found.append(
                    (words, 1 / middle, 1 / high, 1 / low) if is_throughput else (words, middle, low, high)
                )
        if found:
            yield heading, found


def at(ratio):
    low, high = math.log(TICKS[0]), math.log(TICKS[-1])
    share = (math.log(min(max(ratio, TICKS[0]), TICKS[-1])) - low) / (high - low)
    return f"{LEFT + share * (WIDTH - LEFT - RIGHT):.1f}"


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def picture(sections):
    """SVG; sections: the Markdown of each by its name."""
    body, y = [], TOP
    for heading, found in points(sections):
        body.append(f'<text class="bold" x="24" y="{y + 5}">{escaped(heading)}</text>')
        y += ROW
        for words, middle, low, high in found:
            body.append(f'<text x="40" y="{y + 5}">{escaped(words)}</text>')
            body.append(f'<path class="range" d="M{at(low)} {y}H{at(high)}"/>')
            body.append(f'<circle class="dot" cx="{at(middle)}" cy="{y}" r="5"/>')
            body.append(
                f'<text class="small" x="{WIDTH - 16}" y="{y + 4}" text-anchor="end">{middle:.2f}</text>'
            )
            y += ROW
        y += ROW // 2
    height = y + 4
    grid = []
    for tick in TICKS:
        kind = "one" if tick == 1 else "grid"
        grid.append(f'<path class="{kind}" d="M{at(tick)} {TOP - 14}V{height - 20}"/>')
        grid.append(f'<text class="small" x="{at(tick)}" y="{TOP - 22}" text-anchor="middle">{tick:g}</text>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            (
                "<title>How many times as long statements take through pgveil, or with its masks, as"
                " without.</title>"
            ),
            f"<style>{STYLE}</style>",
            f'<rect width="{WIDTH}" height="{height}" rx="12" fill="#f8fafb"/>',
            '<text class="bold" x="24" y="34">How many times as long (1 = no difference)</text>',
            (
                '<text class="small" x="24" y="54">dot: median, bar: interval of the pairs or rounds; '
                "ratios beyond the scale are at its edge</text>"
            ),
            *grid,
            *body,
            "</svg>",
            "",
        ]
    )
