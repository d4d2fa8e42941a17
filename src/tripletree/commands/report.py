"""`tripletree report`: one HTML file that shows the tree and how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tripletree.commands.cluster import (
    Asked,
    ClustersOption,
    ForceOption,
    MethodOption,
    SeedOption,
    SupportOption,
    TimeOption,
    page_options,
)
from tripletree.commands.console import check_new, check_page, one_line_errors, say
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    Files,
    ItemsOption,
    KeepOption,
    Reading,
    SlowOption,
    UniqueOption,
)


def report(
    files: Files,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")] = Path(
        "report.html"
    ),
    method: MethodOption = "auto",
    clusters: ClustersOption = "auto",
    support: SupportOption = "auto",
    seed: SeedOption = 0,
    time_limit: TimeOption = None,
    force: ForceOption = False,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    unique: UniqueOption = False,
) -> None:
    """Write one self-contained HTML file: the tree to explore, and how good it is.

    With pictures at the leaves if the table of objects (--items) has a column image.

    Example: tripletree report answers.csv --items objects.csv -o report.html
    """
    from tripletree.report.page import write_report

    with one_line_errors():
        check_new([out], force)
        check_page(out)
        asked = Asked(method, clusters, support, seed, time_limit)
        reading = Reading(
            columns, items, drop, keep, min_response_time, drop_degenerate, unique
        )
        answers = reading.answers(files)
        page = page_options(files, reading)
        result = asked.result(answers, for_page=True)
        write_report(result, out, overwrite=True, **page)
        say(f"open {out} in a browser.")
