"""A flame graph (SVG) of folded stacks: lines `frame;frame;frame weight`. Children lie above those who call them."""

import html

WIDTH, ROW = 1200.0, 16


def tree_of(lines):
    root = {"weight": 0, "children": {}}
    for line in lines:
        frames, weight = line.rsplit(" ", 1)
        node = root
        node["weight"] += int(weight)
        for frame in frames.split(";"):
            node = node["children"].setdefault(frame, {"weight": 0, "children": {}})
            node["weight"] += int(weight)
    return root


def rows_of(name, node, left, depth, scale):
    title = f"<title>{html.escape(name)} {node['weight']}</title>"
    yield (depth, f'<g>{title}<rect x="{left:.2f}" y="%d" width="{node["weight"] * scale:.2f}" height="{ROW - 1}" '
                  f'fill="#d97"/><text x="{left + 2:.2f}" y="%d">{html.escape(name)}</text></g>')
    for child, below in sorted(node["children"].items()):
        yield from rows_of(child, below, left, depth + 1, scale)
        left += below["weight"] * scale


def draw(lines):
    root = tree_of(lines)
    rows = list(rows_of("all", root, 0.0, 0, WIDTH / max(root["weight"], 1)))
    height = (max(depth for depth, _ in rows) + 1) * ROW
    bars = [text % (height - (depth + 1) * ROW, height - depth * ROW - 4) for depth, text in rows]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{height}">'
    return "\n".join([head, *bars, "</svg>", ""])
