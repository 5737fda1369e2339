"""The bar of calls that take more than a second, on a terminal or in a notebook."""

from __future__ import annotations

import os
import sys
import time


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    instance = shell.get_ipython()
    return instance is not None and "IPKernelApp" in getattr(instance, "config", {})


class Bar:
    """One line that is written again and again. ``CLEARANCE_PROGRESS=0`` turns it off."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.start = time.monotonic() - 1.0
        self.last = 0.0
        wanted = os.environ.get("CLEARANCE_PROGRESS")
        shown = bool(sys.stderr and sys.stderr.isatty()) or in_notebook()
        self.shown = wanted == "1" or (shown and wanted != "0")

    def update(self, done: int, total: int) -> None:
        """Draws the bar, at most ten times a second."""
        now = time.monotonic()
        if not self.shown or total == 0 or (now - self.last < 0.1 and done < total):
            return
        self.last = now
        share = done / total
        rest = (now - self.start) * (1.0 - share) / max(share, 1e-9)
        filled = round(24 * share)
        line = f"{self.label} [{'#' * filled}{'.' * (24 - filled)}] {share:4.0%} {done}/{total}"
        sys.stderr.write(f"\r{line}, {rest:.0f} s left ")
        sys.stderr.flush()

    def close(self) -> None:
        """Removes the bar."""
        if self.shown and self.last > 0.0:
            sys.stderr.write("\r" + " " * 79 + "\r")
            sys.stderr.flush()
