"""Phrases that a native English-speaking scientist would not write, and where they are.

`python -m tests.words` looks through the sources, the documentation and the page, or
through the files that are named; `make check` runs it.
"""

import re
import subprocess
import sys
from pathlib import Path

# Patterns, in which a space is also the end of a line. "There is no file", "if there
# are none", "has no column of answers", "no matter how large" are good English.
BANNED = {
    r"(?<!there )(?<!there's )\b(is|are|was|were) no (?!longer|more|less|fewer|larger|"
    r"smaller|worse|better|slower|faster|wider|later|earlier|different|exception)[a-z]+"
    "": "is not a ...",
    r"\b(has|have) no [a-z]+ but\b": "has only ...",
    r"(?<!there )\b(is|are) (?-i:none)\b": "is not one of ...",
    r"\bmade-up\b": "simulated",
    r"\b(answers|data) ask for\b": "chosen from the data",
    r"\bfor want of\b": "without",
    r"\bno matter\b(?! (how|what|when|where|whether|which|who))": "whatever",
    r"\btold apart\b": "distinguished",
    r"\b(is|are) told\b(?! (how|that|to)\b)": "is reported",
    r"\bcannot be parted\b": "is atomic",
    r"\bin the making\b": "under construction",
    r"(?-i:\bWho (wants|has|gives|needs)\b)": "If you want ...",
    r"(?<!at a )\bglances?\b": "looks",
    r"; the same\.": "repeatable",
    r"\b(whence|thereof|therein|withal|lest)\b": "say it plainly",
    r"\bof one size\b": "equally large",
    r"\bspoken answers?\b": "answers in words",
    r"(?<!, )\bthe better the\b": "say what is measured",
    r"\bso many (as|places|times)\b": "as many as, this many",
}
FOLDERS = ("src", "docs", "examples", "benchmarks", "*.md")
ENDINGS = (".py", ".pyi", ".md", ".html", ".js", ".css")


def found(path: Path) -> list[str]:
    """Places of a file with a banned phrase."""
    text = re.sub(r"\n[ #>*]+", "\n", path.read_text(encoding="utf-8"))
    return [
        f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}: {instead}"
        for pattern, instead in BANNED.items()
        for match in re.finditer(pattern.replace(" ", r"\s"), text, re.IGNORECASE)
    ]


def main(names: list[str]) -> int:
    """Print all places; 1 if there are any."""
    listed = ["git", "ls-files", "--", *(names or FOLDERS)]
    files = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    paths = [Path(name) for name in files.splitlines() if name.endswith(ENDINGS)]
    places = [place for path in paths for place in found(path)]
    print("\n".join(places) or f"{len(paths)} files: no banned phrase")  # noqa: T201
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
