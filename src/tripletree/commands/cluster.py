"""`tripletree cluster`: answers in, a tree out, with all there is to know about it."""

from __future__ import annotations

import csv
import io
import json as jsons
from pathlib import Path
from typing import Annotated, Any

import typer

from tripletree._checks import printable
from tripletree.commands.console import check_new, one_line_errors, print_json, say
from tripletree.commands.finding import (
    ClustersOption,
    ForceOption,
    Found,
    MethodOption,
    SeedOption,
    SupportOption,
    TimeOption,
    check_pictures,
    find,
    say_what_was_read,
    write_page,
)
from tripletree.commands.reading import reads_answers
from tripletree.comparisons.answers import Comparisons
from tripletree.similarity.pair_table import PairSums

FILES = ("tree.nwk", "tree.json", "linkage.npy", "clusters.csv", "summary.json")
REPORT = "report.html"
MOST_DRAWN = 60  # leaves, in the terminal
MOST_LISTED, LONGEST_LIST = 20, 72  # clusters, and letters of their members
MOST_IN_REPORT = 20_000  # objects


@reads_answers
def cluster(
    answers: Comparisons | PairSums,
    files: list[Path],
    items: Path | None,
    method: MethodOption = "auto",
    clusters: ClustersOption = "auto",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="A folder for tree.nwk, tree.json, linkage.npy (SciPy), clusters.csv, "
            "summary.json and report.html (up to 20,000 objects).",
        ),
    ] = None,
    support: SupportOption = None,
    seed: SeedOption = 0,
    time_limit: TimeOption = None,
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    force: ForceOption = False,
) -> None:
    """Find the tree that answers ask for, and say how good it is.

    A file of pair sums, made by `tripletree pairs`, does in place of answers.

    \b
    Examples:
      tripletree cluster answers.csv
      tripletree cluster answers.csv --out results
      tripletree cluster "round*.csv" --items objects.csv --support 200 --json
    """
    with one_line_errors():
        has_page = not isinstance(answers, PairSums)
        has_page = has_page and answers.n_objects <= MOST_IN_REPORT
        names = (*FILES, REPORT) if has_page else FILES
        if out is not None:
            check_new([out / name for name in names], force)
            if has_page:
                check_pictures(items)
        if out is None and support is None:
            support = 0
        say_what_was_read(answers)
        found = find(answers, method, clusters, support, seed, time_limit)
        values = described(found, answers)
        if json:
            print_json(values)
        else:
            typer.echo(str(found.result))
            if found.result.tree.n_leaves <= MOST_DRAWN:
                typer.echo(found.result.tree.to_text())
            typer.echo("\n".join(cluster_lines(found, values)))
        if out is None:
            say("--out FOLDER writes the tree, the clusters and a report to explore.")
            return
        out.mkdir(parents=True, exist_ok=True)
        write_results(out, found, values)
        if not isinstance(answers, PairSums) and has_page:
            write_page(out / REPORT, found, answers, files, items)
        say(f"{', '.join(names)} are in {out}.")
        if has_page:
            say(f"open {out / REPORT} in a browser.")


def cluster_lines(found: Found, values: dict[str, Any]) -> list[str]:
    """The flat clusters, one per line, with as many members as there is room for."""
    members: dict[int, list[str]] = {}
    for label, number in values["clusters"].items():
        members.setdefault(number, []).append(printable(label))
    n = found.n_clusters
    lines = [f"{n} flat cluster{'s' if n > 1 else ''}:"]
    for number in range(1, min(n, MOST_LISTED) + 1):
        names = members[number]
        text = f"  {number} ({len(names)}"
        stability = values["cluster_stability"][number - 1] if found.support else None
        if stability is not None:
            text += f", stability {stability:.0%}"
        listed = ", ".join(names)
        if len(listed) > LONGEST_LIST:
            listed = listed[:LONGEST_LIST].rsplit(", ", 1)[0] + ", ..."
        lines.append(f"{text}): {listed}")
    if n > MOST_LISTED:
        lines.append(f"  ... and {n - MOST_LISTED} more")
    return lines


def described(found: Found, answers: Comparisons | PairSums) -> dict[str, Any]:
    """All that is known about a result, as JSON can hold it."""
    import tripletree

    result = found.result
    tree, gap = result.tree, result.gap
    labels = tree.labels or tuple(str(leaf) for leaf in range(tree.n_leaves))
    return {
        **what_was_read(answers),
        "method": result.method,
        "reason": result.reason,
        "revenue": result.revenue,
        "normalised_revenue": result.normalised_revenue,
        "bound": result.bound,
        "share_of_bound": None if gap is None or gap.is_estimate else gap.share,
        "held_out": {
            name: {"revenue": one.revenue, "accuracy": one.accuracy}
            for name, one in result.held_out.items()
        },
        **(vars(result.satisfaction) if result.satisfaction is not None else {}),
        "warnings": list(result.warnings),
        "advice": result.advice,
        "n_clusters": found.n_clusters,
        "clusters": dict(zip(labels, found.clusters.tolist(), strict=True)),
        **certainty(found),
        "newick": tree.to_newick(),
        "tripletree": tripletree.__version__,
    }


def what_was_read(answers: Comparisons | PairSums) -> dict[str, Any]:
    """How much there is, what was left out, and what was assumed."""
    if isinstance(answers, PairSums):
        return {"n_objects": answers.n_objects, "n_answers": answers.n_answers}
    trials = answers.trials
    return {
        "n_objects": answers.n_objects,
        "n_answers": len(answers) if trials is None else int(trials.max()) + 1,
        "n_rows": len(answers),
        "left_out": dict(answers.dropped),
        "assumed": list(answers.notes),
    }


def certainty(found: Found) -> dict[str, Any]:
    """How sure the flat clusters are, in their order; none for single objects."""
    if found.support is None:
        return {}
    n = found.result.tree.n_leaves
    places = [node - n for node in found.nodes]
    pairs = [
        ("cluster_support", found.support.support),
        ("cluster_stability", found.support.stability),
    ]
    values: dict[str, Any] = {
        name: [None if at < 0 else float(all_[at]) for at in places]
        for name, all_ in pairs
    }
    drawn = {"n_replicates": found.support.n_replicates, "drawn": found.support.drawn}
    return values | drawn


def write_results(folder: Path, found: Found, values: dict[str, Any]) -> None:
    """Everything but the report, each file whole or not there."""
    from tripletree._files import write_whole
    from tripletree.tree.files import write_tree

    for name in FILES[:3]:
        write_tree(found.result.tree, folder / name)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["label", "cluster"])
    writer.writerows(values["clusters"].items())
    write_whole(folder / "clusters.csv", table.getvalue())
    text = jsons.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)
    write_whole(folder / "summary.json", text + "\n")
