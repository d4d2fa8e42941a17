"""Pieces of HTML for the frame of the page; all text in them is escaped."""

from __future__ import annotations

from collections.abc import Sequence

from tripletree.clustering.result import Clustering
from tripletree.report.frame import escaped
from tripletree.report.wording import amount, figures, left_out_text, percent


def figure_tiles(result: Clustering) -> str:
    """The figures of the headline, as entries of a list of terms."""
    counts = result.satisfaction
    assert counts is not None, "there is no page of pair sums"
    kinds = {
        "agree": counts.satisfied,
        "undecided": counts.tied,
        "disagree": counts.violated,
    }
    total = counts.total
    shares = {kind: x / total if total else 0.0 for kind, x in kinds.items()}
    widths = [round(1000 * x) for x in shares.values()]
    widths[2] = 1000 - widths[0] - widths[1] if total else 0
    bars, at = [], 0
    for kind, width in zip(kinds, widths, strict=True):
        bars.append(f'<rect class="{kind}" x="{at}" width="{width}" height="60"/>')
        at += width
    legend = "".join(
        f'<li class="{kind}"><span>{kind}</span> {percent(shares[kind])}</li>'
        for kind in kinds
    )
    decided = counts.satisfied + counts.violated
    note = "Undecided: both pairs join in clusters of the same size."
    if decided and counts.tied:
        note += f" Of those it decides, {percent(counts.satisfied / decided)} agree."
    spoken = ", ".join(f"{percent(x)} {kind}" for kind, x in shares.items())
    tiles = [
        f'<div class="tile"><dt>of the comparisons agree with the tree</dt>'
        f"<dd>{percent(shares['agree'])}</dd>"
        f'<dd class="bar"><svg viewBox="0 0 1000 60" preserveAspectRatio="none" '
        f'role="img" aria-label="{spoken}">{"".join(bars)}</svg>'
        f'<ul class="key">{legend}</ul>{note}</dd></div>'
    ]
    tiles += [
        f'<div class="tile"><dt>{escaped(figure.name)}</dt>'
        f"<dd{' class=long' if len(figure.value) > 11 else ''}>"
        f"{escaped(figure.value)}</dd>"
        f'<dd class="note">{escaped(figure.note)}</dd></div>'
        for figure in figures(result)
    ]
    return "\n".join(tiles)


def trials_table(result: Clustering) -> str:
    """The methods that were tried, by what they do on answers they had not seen."""
    tried = result.held_out
    if len(tried) < 2:
        return ""
    rows = "".join(
        f"<tr{' class=chosen' if name == result.method else ''}>"
        f'<th scope="row">{escaped(name)}</th>'
        f"<td>{percent(found.accuracy)}</td><td>{amount(found.revenue)}</td></tr>"
        for name, found in tried.items()
    )
    return (
        '<table class="trials"><caption>Methods that were tried, on answers they '
        'had not seen</caption><thead><tr><th scope="col">Method</th>'
        '<th scope="col">Right</th><th scope="col">Revenue</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def note_list(result: Clustering, more: Sequence[str]) -> str:
    """Warnings first, then advice, then what else there is to know."""
    notes = [("warning", "Take care", text) for text in result.warnings]
    if result.advice:
        notes.append(("advice", "What to do", result.advice))
    others = (*more, *result.read.assumed, left_out_text(result))
    notes += [("advice", "Note", text) for text in others if text]
    items = "".join(
        f'<li class="{kind}"><strong>{name}</strong> '
        f"{escaped(text[:1].upper() + text[1:])}</li>"
        for kind, name, text in notes
    )
    return f'<ul class="notes">{items}</ul>' if items else ""
