"""The viewer's page: what opens in a browser or in a notebook, with sliders and distances."""

from __future__ import annotations

import html
import json
import pathlib
import tempfile
import webbrowser

from . import _clearance as c
from ._progress import in_notebook
from ._types import ArrayLike, Shown


def recording(
    shown: Shown, q: ArrayLike | None = None, *, duration: float | None = None, near: float = 0.05, title: str = "clearance"
) -> bytes:
    """A recording as the bytes of a glTF file (GLB), which other viewers open too.

    Args:
        shown: a geometry, a list of geometries and pairs `(geometry, pose)`, a scene, a robot or a
            checker.
        q: the configurations of the robot, `(dof,)` or `(n, dof)`: a frame for each.
        duration: the seconds of the motion through `q`; frames that nothing connects without it.
        near: the distance up to which a checker's pairs are listed.

    >>> import clearance
    >>> clearance.recording(clearance.Sphere(1))[:4]
    b'glTF'
    """
    return c._recording(shown, q, duration, near, title)


def page(
    shown: Shown, q: ArrayLike | None = None, *, duration: float | None = None, near: float = 0.05, title: str = "clearance"
) -> str:
    """One HTML page with a recording in it, which opens without network.

    >>> import clearance
    >>> clearance.page(clearance.Sphere(1)).rstrip()[-7:]
    '</html>'
    """
    return c._page(recording(shown, q, duration=duration, near=near, title=title), title)


# Notebooks keep what they show: larger pages are left to `show`.
_LARGEST = 4_000_000


def _frame(text: str) -> str:
    return f'<iframe srcdoc="{html.escape(text)}" width="100%" height="600"></iframe>'


def framed(shown: Shown) -> str | None:
    """What a notebook shows of an object: the page in a frame.

    None where there is nothing to see or too much; the notebook then takes the picture.
    """
    glb = recording(shown)
    # A glTF file is a header of 12 bytes, then the length and the type of its JSON text.
    length = int.from_bytes(glb[12:16], "little")
    if "meshes" not in json.loads(glb[20 : 20 + length]):
        return None
    text = _frame(c._page(glb, "clearance"))
    return text if len(text) <= _LARGEST else None


def show(
    shown: Shown, q: ArrayLike | None = None, *, duration: float | None = None, near: float = 0.05, title: str = "clearance"
) -> pathlib.Path | None:
    """Shows the page: inside of a notebook, or in the browser, for which it writes a file."""
    text = page(shown, q, duration=duration, near=near, title=title)
    if in_notebook():
        from IPython.display import HTML, display

        display(HTML(_frame(text)))
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
        file.write(text)
    path = pathlib.Path(file.name)
    webbrowser.open(path.as_uri())
    return path
