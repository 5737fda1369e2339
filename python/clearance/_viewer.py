"""The viewer's page: what opens in a browser or in a notebook, with sliders and distances."""

from __future__ import annotations

import html
import pathlib
import tempfile
import webbrowser
from typing import Any

from . import _clearance as c
from ._progress import in_notebook


def recording(
    shown: Any, q: Any = None, *, duration: float | None = None, near: float = 0.05, title: str = "clearance"
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
    shown: Any, q: Any = None, *, duration: float | None = None, near: float = 0.05, title: str = "clearance"
) -> str:
    """One HTML page with a recording in it, which opens without network.

    >>> import clearance
    >>> clearance.page(clearance.Sphere(1)).rstrip()[-7:]
    '</html>'
    """
    return c._page(recording(shown, q, duration=duration, near=near, title=title), title)


def show(
    shown: Any, q: Any = None, *, duration: float | None = None, near: float = 0.05, title: str = "clearance"
) -> pathlib.Path | None:
    """Shows the page: inside of a notebook, or in the browser, for which it writes a file."""
    text = page(shown, q, duration=duration, near=near, title=title)
    if in_notebook():
        from IPython.display import HTML, display

        framed = f'<iframe srcdoc="{html.escape(text)}" width="100%" height="600"></iframe>'
        display(HTML(framed))
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
        file.write(text)
    path = pathlib.Path(file.name)
    webbrowser.open(path.as_uri())
    return path
