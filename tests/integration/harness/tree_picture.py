"""Draws a disclosure tree, as SHOW TREE … AS JSON has it, for a page of the documentation. It stands on a light
ground of its own, so that it can be read in a dark theme too."""

import html

WIDTH, STEP, BOX_WIDTH, BOX_HEIGHT, MARGIN = 222, 104, 204, 52, 24
STYLE = ("text{font:14px system-ui,sans-serif;fill:#1f2933}.small{font-size:12px;fill:#52606d}"
         ".ask{fill:#e0f2f1;stroke:#00796b}.leaf{fill:#fff;stroke:#9aa5b1}path{fill:none;stroke:#7b8794;stroke-width:1.5}")


def places(nodes, at=0, depth=0, taken=None):
    """→ node → (column, depth): leaves side by side, and each question above the middle of what it divides."""
    taken = [0] if taken is None else taken
    node = nodes[at]
    if "attribute" not in node:
        taken[0] += 1
        return {at: (taken[0] - 1, depth)}
    found = places(nodes, node["yes"], depth + 1, taken) | places(nodes, node["no"], depth + 1, taken)
    return found | {at: ((found[node["yes"]][0] + found[node["no"]][0]) / 2, depth)}


def shown(nodes, at=0, columns=()):
    """→ leaf → the columns that its rows show."""
    node = nodes[at]
    if "attribute" not in node:
        return {at: columns}
    return shown(nodes, node["yes"], (*columns, node["attribute"])) | shown(nodes, node["no"], columns)


def box(x, y, kind, first, second):
    left = x - BOX_WIDTH / 2
    return [f'<rect class="{kind}" x="{left:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8"/>',
            f'<text x="{x:g}" y="{y + 22:g}" text-anchor="middle">{html.escape(first)}</text>',
            f'<text class="small" x="{x:g}" y="{y + 41:g}" text-anchor="middle">{html.escape(second)}</text>']


def picture(version):
    nodes = version["tree"]["nodes"]
    where = {at: (MARGIN + WIDTH * (column + 0.5), MARGIN + STEP * depth)
             for at, (column, depth) in places(nodes).items()}
    columns = shown(nodes)
    lines, boxes = [], []
    for at, (x, y) in sorted(where.items()):
        node = nodes[at]
        if at in columns:
            boxes += box(x, y, "leaf", f"{node['units']} people", "show " + (", ".join(columns[at]) or "nothing"))
            continue
        boxes += box(x, y, "ask", f"{node['attribute']} = {node['value']}?", f"{node['units']} people")
        for answer in ("yes", "no"):
            to_x, to_y = where[node[answer]]
            lines += [f'<path d="M{x:g} {y + BOX_HEIGHT:g}L{to_x:g} {to_y:g}"/>',
                      f'<text class="small" x="{(x + to_x) / 2 + (-6 if answer == "yes" else 6):g}" '
                      f'y="{(y + BOX_HEIGHT + to_y) / 2 - 4:g}" '
                      f'text-anchor="{"end" if answer == "yes" else "start"}">{answer}</text>']
    width = max(x for x, _ in where.values()) + WIDTH / 2 + MARGIN
    height = max(y for _, y in where.values()) + BOX_HEIGHT + MARGIN
    title = f"The disclosure tree of policy {version['policy']}, with {version['tree']['k']} people at least in each part"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{html.escape(title)}</title>", f"<style>{STYLE}</style>",
        f'<rect width="{width:g}" height="{height:g}" rx="12" fill="#f8fafb"/>', *lines, *boxes, "</svg>", ""])
