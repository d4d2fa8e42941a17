"""The picture of the README: the tree on the page of `tripletree demo`.

`make picture` makes it anew. Needs playwright and Chromium, as tests do.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent / "_static" / "report.png"


def main(page_file: Path) -> None:
    """Take the picture of the tree on this page."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"]
        )
        view = {"width": 960, "height": 1200}
        page = browser.new_page(viewport=view, device_scale_factor=1.5)
        page.goto(page_file.absolute().as_uri())
        page.click("#fit")
        page.wait_for_timeout(500)
        page.locator("#viewport").screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
