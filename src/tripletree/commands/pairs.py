"""`tripletree pairs`: answers that do not fit into memory to a file of pair sums."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tripletree._checks import counted
from tripletree.commands.console import check_new, one_line_errors, say
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    ItemsOption,
    KeepOption,
    Reading,
    SlowOption,
    sums_instead,
)
from tripletree.errors import InvalidOption


class EngineName(StrEnum):
    """What can sum answers."""

    duckdb = "duckdb"
    spark = "spark"


def pairs(
    source: Annotated[
        list[Path],
        typer.Argument(help="Files of answers (CSV, Parquet), or of pair sums."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The file to write: NAME.parquet.")
    ],
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    without: Annotated[
        list[Path] | None,
        typer.Option(help="Pair sums to take away from those given; repeatable."),
    ] = None,
    engine: Annotated[
        EngineName, typer.Option(help="What sums the answers.")
    ] = EngineName.duckdb,
    master: Annotated[
        str | None,
        typer.Option(help="Spark's address.", show_default="local[*]"),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="The most memory of the engine, such as 4GB.",
            show_default="half of what is free",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if it is there.")
    ] = False,
) -> None:
    """Sum answers by pair of objects: all that clustering needs of them.

    Writes one row for each pair that was asked about: how often it was the near and
    how often the far pair. Files of pair sums are added up, and can be read by
    `tripletree cluster` in place of answers. What does not fit into memory goes to the
    folder of the output for a while.

    Example: tripletree pairs "day*.parquet" -o pairs.parquet --memory 4GB
    """
    from tripletree.answers.sums import merge_pair_files, write_pair_sums

    with one_line_errors("stopped. Nothing was written."):
        check_new([out], force)
        if master is not None and engine is not EngineName.spark:
            message = "--master is an address of Spark: add --engine spark."
            raise InvalidOption(message)
        files = [str(path) for path in source]
        on = (master or "spark") if engine is EngineName.spark else None
        reading = Reading(
            columns, items, drop, keep, min_response_time, drop_degenerate
        )
        if without:
            reading.refuse(sums_instead(files[0]))
            minus = [str(path) for path in without]
            merge_pair_files(files, out, without=minus, engine=on, memory=memory)
        else:
            dropped = write_pair_sums(
                files,
                out,
                **reading.chosen,
                items=reading.objects,
                engine=on,
                memory=memory,
                progress=lambda step: say(f"tripletree: {step}"),
            )
            for why, n in dropped.items():
                if n:
                    say(f"tripletree: left out {counted(n, 'row')} ({why})")
        say(f"tripletree: wrote {out}")
