"""The picture of what each way to publish a table loses: a panel for each measure and data set, with a line
for each method over k. It is drawn from the tables of the page's section, so the same page gives the same
picture."""

import math

from tables import tables

MEASURES = ("penalty of a cell", "discernibility", "error of a count", "accuracy of a model")
COLOURS = ("#8d99a6", "#52606d", "#d9822b", "#a8540b", "#b07cc6", "#3f7fbf", "#1f4f8a", "#58b09c", "#00796b")
PANEL, HEIGHT, LEFT, TOP, GAP = 400, 190, 70, 150, 70
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2933}.small{font-size:12px;fill:#52606d}"
    ".bold{font-weight:600}.grid{stroke:#d9e2ec}.line{fill:none;stroke-width:2.5;stroke-linejoin:round}"
)


def series(section):
    """(sets, ks, {(measure, set): {method: figures by k}}) of the rows that have a figure for each k."""
    found, places = {}, []
    for rows in tables(section):
        measure = next(iter(rows[0]))
        if measure not in MEASURES:
            continue
        places = [name for name in rows[0] if name != measure]
        for row in rows:
            if "–" in row.values():
                continue
            for place in places:
                name = place.partition(", k = ")[0]
                figure = float(row[place].removesuffix("%"))
                found.setdefault((measure, name), {}).setdefault(row[measure], []).append(figure)
    sets = list(dict.fromkeys(place.partition(", k = ")[0] for place in places))
    ks = list(dict.fromkeys(int(place.partition(", k = ")[2]) for place in places))
    return sets, ks, found


def nice_top(value):
    power = 10 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value)


def panel(measure, lines, ks, x, y):
    """SVG of one panel, whose upper left corner is at (x, y). Penalties have a scale of logarithms."""
    figures = [figure for line in lines.values() for figure in line]
    if measure in ("penalty of a cell", "discernibility"):
        low, high = math.floor(math.log10(min(figures))), math.ceil(math.log10(max(figures)))
        ticks = {power: f"1e{power}" if power > 0 else f"{10**power:g}" for power in range(low, high + 1)}
        lines = {name: [math.log10(figure) for figure in line] for name, line in lines.items()}
    elif measure == "accuracy of a model":
        low, high = 10 * math.floor(min(figures) / 10), 10 * math.ceil(max(figures) / 10)
        ticks = {tick: f"{tick} %" for tick in range(low, high + 1, 10 if high - low > 20 else 5)}
    else:
        low, high = 0, nice_top(max(figures))
        unit = " %" if measure == "error of a count" else ""
        ticks = {high * part / 4: f"{high * part / 4:g}{unit}" for part in range(5)}

    def height(figure):
        return y + HEIGHT - HEIGHT * (figure - low) / ((high - low) or 1)

    def across(at):
        return x + PANEL * at / max(len(ks) - 1, 1)

    for tick, words in ticks.items():
        yield f'<path class="grid" d="M{x} {height(tick):.1f}H{x + PANEL}"/>'
        yield f'<text class="small" x="{x - 8}" y="{height(tick) + 4:.1f}" text-anchor="end">{words}</text>'
    for at, k in enumerate(ks):
        place = f'x="{across(at):.1f}" y="{y + HEIGHT + 18}"'
        yield f'<text class="small" {place} text-anchor="middle">k = {k}</text>'
    for number, line in enumerate(lines.values()):
        path = "L".join(f"{across(at):.1f} {height(figure):.1f}" for at, figure in enumerate(line))
        yield f'<path class="line" stroke="{COLOURS[number % len(COLOURS)]}" d="M{path}"/>'


def losses_picture(section):
    """SVG; section: the Markdown of the section. Without its tables, the picture says that it is empty."""
    sets, ks, found = series(section)
    width, body = LEFT + 2 * PANEL + GAP + 40, []
    for row, measure in enumerate(MEASURES):
        for column, name in enumerate(sets):
            lines = found.get((measure, name))
            if not lines:
                continue
            x, y = LEFT + column * (PANEL + GAP), TOP + row * (HEIGHT + GAP)
            body.append(f'<text class="bold" x="{x}" y="{y - 14}">{name}: {measure}</text>')
            body += panel(measure, lines, ks, x, y)
    methods = next(iter(found.values()), {})
    for number, method in enumerate(methods):
        x, y = LEFT + number % 3 * 300, 60 + number // 3 * 22
        body.append(
            f'<path class="line" stroke="{COLOURS[number % len(COLOURS)]}" d="M{x - 34} {y - 5}H{x - 8}"/>'
        )
        body.append(f'<text class="small" x="{x}" y="{y}">{method}</text>')
    height = TOP + len(MEASURES) * (HEIGHT + GAP) - 20
    heading = "What each way to publish a table loses" if found else "This was not measured."
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            "<title>What each way to publish a table loses, by k: four measures on two data sets.</title>",
            f"<style>{STYLE}</style>",
            f'<rect width="{width}" height="{height}" rx="12" fill="#f8fafb"/>',
            f'<text class="bold" x="24" y="34">{heading}</text>',
            *body,
            "</svg>",
            "",
        ]
    )
