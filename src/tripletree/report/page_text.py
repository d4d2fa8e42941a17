"""The words and numbers of the page, for readers who do not know the paper.

Functions return plain text, or pieces of HTML in which all text is escaped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import pairwise
from unicodedata import category

from tripletree._checks import JOINERS, counted
from tripletree.clustering.result import Clustering, revenue_text
from tripletree.comparisons.summary import name_left_out
from tripletree.comparisons.triplets import Triplets
from tripletree.objective.bounds import Gap, share_at_least
from tripletree.objective.value import Satisfaction

MINUS, SPACE = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"
INVISIBLE = {"Cf": "", "Cc": " ", "Cs": " ", "Zl": " ", "Zp": " "}  # by category
METHODS = {
    "adds-al": "average linkage on pair counts: for each pair, how often it was the "
    "near pair minus how often it was the far pair",
    "mulk-al": "average linkage on a kernel that compares the answers about two "
    "objects (MulK)",
    "4k-al": "average linkage on pair counts and a kernel together (4K)",
    "tste-al": "average linkage on a map of the objects made from the answers (t-STE)",
    "cosine-al": "average linkage on given features, not on the answers",
    "climb": "a search for the tree with the largest revenue, which moves whole "
    "branches until no move improves it",
    "complete": "questions that were never asked are filled in from a map of the "
    "objects (t-STE); then the tree with the largest revenue is sought",
    "posterior": "questions that were never asked are filled in by a model of clusters "
    "in clusters; then the tree with the largest revenue is sought",
}


def without_controls(text: str) -> str:
    """Text without control characters and marks that change its direction."""
    kept = JOINERS + "\n"
    return "".join(x if x in kept else INVISIBLE.get(category(x), x) for x in text)


def escaped(text: str) -> str:
    """Text that is safe in elements and in quoted attributes."""
    return html.escape(without_controls(text))


def percent(share: float) -> str:
    """A share in percent, never rounded up to 100 nor down to 0."""
    if 0 < share < 1:
        share = min(max(share, 0.001), 0.999)
    return f"{100 * share:.1f}{SPACE}%".replace("-", MINUS)


def spaced(text: str) -> str:
    """Text with a space before each percent sign, as on the rest of the page."""
    return re.sub(rf"[ {SPACE}]?%", f"{SPACE}%", text)


def sentence(text: str) -> str:
    """Text with a capital letter and a full stop."""
    return f"{text[:1].upper()}{spaced(text[1:]).rstrip('.')}." if text else ""


def first_sentence(result: Clustering) -> str:
    """What the tree was built from, and how to read it."""
    read = result.read
    form = (
        "A is closer to B than to C"
        if isinstance(result.comparisons, Triplets)
        else "A and B are closer than C and D"
    )
    made_from = f"{counted(read.n_comparisons, 'comparison')} of the form “{form}”"
    if read.n_answers not in (None, read.n_comparisons):
        made_from = f"{counted(read.n_answers or 0, 'answer')} ({made_from})"
    if read.n_people is not None:
        made_from += f" by {counted(read.n_people, 'person')}"
    return (
        f"A tree of {counted(read.n_objects, 'object')}, built from {made_from}. "
        "Objects that join early were judged alike; objects that join late were judged "
        "different."
    )


def method_text(result: Clustering) -> str:
    """How the tree was made, and why in this way."""
    how = METHODS.get(result.method, result.method)
    return f"Method {result.method}: {how}. Reason: {result.reason.rstrip()}"


def at_least(gap: Gap) -> str:
    """The share of the best possible revenue that the tree surely earns."""
    if gap.is_closed:
        return f"100{SPACE}%"
    return f"≥{SPACE}{percent(share_at_least(gap))}"


def figure_tiles(result: Clustering) -> str:
    """The main figures: agreement, unseen answers, share of the bound, revenue."""
    assert result.satisfaction is not None, "there is no page of pair sums"
    tiles = [_agreement_tile(result.satisfaction)]
    if result.method in result.held_out:
        held = result.held_out[result.method]
        note = (
            f"Each of {len(held.revenues)} parts of the questions was predicted by a "
            f"tree built without it. Guessing gives 50{SPACE}%; "
            f"{spaced(result.ceiling)}."
        )
        name = "of unseen answers predicted correctly"
        tiles.append(_tile(percent(held.accuracy), name, note))
    if result.gap is not None and result.bound is not None:
        note = "Proven optimal: no tree has a larger revenue."
        if not result.gap.is_closed:
            most = f"No tree can earn more than {revenue_text(result.bound)}."
            note = f"{most} The best one may earn less."
        tiles.append(_tile(at_least(result.gap), "of the best possible revenue", note))
    scaled = f"{result.normalised_revenue:.3f}".replace("-0.000", "0.000")
    note = (
        "A tree earns revenue for each answer whose near pair joins before its far "
        "pair; the earlier, the more. On a scale where a random tree earns about 0 and "
        "1 is the most that any answers could allow, this tree earns "
        f"{scaled.replace('-', MINUS)}."
    )
    tiles.append(_tile(revenue_text(result.revenue), "revenue", note))
    return "\n".join(tiles)


def _tile(value: str, name: str, note: str) -> str:
    """One figure: a value, what it is, and how to read it."""
    return (
        f'<div class="tile"><dt>{escaped(name)}</dt>'
        f"<dd{' class=long' if len(value) > 11 else ''}>{escaped(value)}</dd>"
        f'<dd class="note">{escaped(note)}</dd></div>'
    )


def _agreement_tile(counts: Satisfaction) -> str:
    """How many comparisons agree with the tree, as a figure and a bar."""
    total = counts.total or 1
    shares = {
        "agree": counts.satisfied / total,
        "undecided": counts.tied / total,
        "disagree": counts.violated / total,
    }
    agree, undecided = round(1000 * shares["agree"]), round(1000 * shares["undecided"])
    ends = (0, agree, agree + undecided, 1000 if counts.total else 0)
    bars = "".join(
        f'<rect class="{kind}" x="{start}" width="{end - start}" height="60"/>'
        for kind, (start, end) in zip(shares, pairwise(ends), strict=True)
    )
    legend = "".join(
        f'<li class="{kind}"><span>{kind}</span> {percent(share)}</li>'
        for kind, share in shares.items()
    )
    note = "Undecided: both pairs join in clusters of the same size."
    decided = counts.satisfied + counts.violated
    if decided and counts.tied:
        note += f" Of those it decides, {percent(counts.satisfied / decided)} agree."
    spoken = ", ".join(f"{percent(share)} {kind}" for kind, share in shares.items())
    return (
        f'<div class="tile"><dt>of the comparisons agree with the tree</dt>'
        f"<dd>{percent(shares['agree'])}</dd>"
        f'<dd class="bar"><svg viewBox="0 0 1000 60" preserveAspectRatio="none" '
        f'role="img" aria-label="{spoken}">{bars}</svg>'
        f'<ul class="key">{legend}</ul>{note}</dd></div>'
    )


def trials_table(result: Clustering) -> str:
    """The methods that were tried, and how they did on unseen answers."""
    tried = result.held_out
    if len(tried) < 2:
        return ""
    rows = "".join(
        f"<tr{' class=chosen' if name == result.method else ''}>"
        f'<th scope="row">{escaped(name)}</th>'
        f"<td>{percent(found.accuracy)}</td>"
        f"<td>{revenue_text(found.revenue)}</td></tr>"
        for name, found in tried.items()
    )
    return (
        '<table class="trials"><caption>Methods that were tried, on unseen answers: '
        f"the first {len(next(iter(tried.values())).revenues)} folds (the choice rests "
        "on all folds)</caption>"
        '<thead><tr><th scope="col">Method</th>'
        '<th scope="col">Correct</th><th scope="col">Revenue</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def models_section(result: Clustering) -> str:
    """Whether a tree suits the answers: a table of models, and sentences."""
    fit, index = result.tree_fit, result.ultrametric
    words = [sentence(str(x)) for x in (fit, index) if x is not None]
    if not words:
        return ""
    shares: dict[str, float] = {}
    if fit is not None:
        shares = {"The tree": fit.tree, f"{fit.n_clusters:,} flat clusters": fit.flat}
        for n_dimensions, share in fit.by_dimension.items():
            shares[f"Points in {counted(n_dimensions, 'dimension')}"] = share
        if result.noise is not None:
            shares["The best possible"] = result.noise.accuracy
    rows = "".join(
        f"<tr{' class=chosen' if name == 'The tree' else ''}>"
        f'<th scope="row">{escaped(name)}</th><td>{percent(share)}</td></tr>'
        for name, share in shares.items()
    )
    table = rows and (
        '<table class="trials"><caption>Unseen answers predicted correctly; undecided '
        'ones count half</caption><thead><tr><th scope="col">Model</th>'
        f'<th scope="col">Correct</th></tr></thead><tbody>{rows}</tbody></table>'
    )
    text = "".join(f"<p>{escaped(x)}</p>" for x in words)
    if fit is not None:
        text += (
            '<p class="hint">In the text, the number of dimensions was chosen by '
            "cross-validation, so its figure for points may differ slightly from those "
            "in the table.</p>"
        )
    return (
        '<section aria-labelledby="models-heading" id="models-section">\n'
        '<h2 id="models-heading">Is a tree the right model?</h2>\n<div class="side">\n'
        f'<div>{text}</div>\n<div class="aside">{table}</div>\n</div>\n</section>'
    )


def note_list(result: Clustering, more: Sequence[str]) -> str:
    """Warnings first, then advice, then other notes."""
    left_out = name_left_out(result.read.left_out)
    notes = [
        *(("warning", "Warning", text) for text in result.warnings),
        ("advice", "What to do", result.advice),
        *(("advice", "Note", text) for text in (*more, *result.read.assumed)),
        ("advice", "Note", left_out and f"Left out: {left_out}."),
    ]
    items = "".join(
        f'<li class="{kind}"><strong>{name}</strong> '
        f"{escaped(text[:1].upper() + spaced(text[1:]))}</li>"
        for kind, name, text in notes
        if text
    )
    return f'<ul class="notes">{items}</ul>' if items else ""
