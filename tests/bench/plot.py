# SPDX-License-Identifier: MIT
"""A plot of rates over the number of connections, as SVG."""
import html
import math

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 80, 190, 50, 60
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]


def step_of(highest):
    """A round distance of the lines, so that there are 4 to 8."""
    power = 10 ** math.floor(math.log10(highest / 4))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if highest / (power * factor) <= 8)


def text(x, y, words, anchor="start", color="#333", size=13):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" font-size="{size}">{html.escape(words)}</text>'


def apart(places, distance=16):
    """Heights at which labels do not cover each other, in the order of their places."""
    heights = list(places)
    order = sorted(range(len(heights)), key=heights.__getitem__)
    for before, after in zip(order, order[1:]):
        heights[after] = max(heights[after], heights[before] + distance)
    return heights


def svg(title, caption, series):
    """series: (name, {connections: rate}, color number, whether it is a floor). Returns the picture."""
    levels = sorted({level for _, rates, _, _ in series for level in rates})
    highest = max(rate for _, rates, _, _ in series for rate in rates.values())
    step = step_of(highest)
    top = step * math.ceil(highest / step)

    def x(level):
        return LEFT + (WIDTH - LEFT - RIGHT) * (levels.index(level) / max(1, len(levels) - 1))

    def y(rate):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rate / top
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', text(LEFT, 28, title, size=16)]
    for i in range(round(top / step) + 1):
        out.append(f'<path d="M{LEFT} {y(i * step):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(text(LEFT - 8, y(i * step) + 4, f"{i * step:,.0f}", "end"))
    out += [text(x(level), HEIGHT - BOTTOM + 20, str(level), "middle") for level in levels]
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 40, "connections; requests a second upwards", "middle"))
    out.append(text(LEFT, HEIGHT - 4, caption, size=10, color="#777"))
    labels = apart([y(rates[max(rates)]) for _, rates, _, _ in series])
    for (name, rates, number, is_floor), label in zip(series, labels):
        color = COLORS[number % len(COLORS)]
        points = " ".join(f"{x(level):.1f},{y(rate):.1f}" for level, rate in sorted(rates.items()))
        dash = ' stroke-dasharray="6 4"' if is_floor else ""
        out.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{x(level):.1f}" cy="{y(rate):.1f}" r="3" fill="{color}"><title>{html.escape(name)}, {level}:'
                f' {rate:.0f}/s</title></circle>' for level, rate in rates.items()]
        out.append(text(WIDTH - RIGHT + 10, label + 4, name, color=color))
    return "\n".join(out + ["</svg>", ""])
