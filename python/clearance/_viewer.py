"""The viewer's page: what opens in a browser or in a notebook, with sliders and distances."""

from __future__ import annotations

import html
import json
import pathlib
import tempfile
import webbrowser
from typing import Literal, overload

from . import _clearance as c
from ._errors import InvalidValueError
from ._progress import in_notebook
from ._types import ArrayLike, PoseLike, Shown


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


class Viewer:
    """Shows what a program does, in the browser while it does it.

    Poses are streamed to the page: up to 60 a second, and always the newest. The program never waits
    for the page. A checker's page also shows distances, near pairs and contacts. The page is served to
    this machine alone, until the viewer is closed or the program ends.

    Args:
        shown: a geometry, a list of geometries and pairs `(geometry, pose)`, a scene, a robot or a
            checker; changes of a scene after this are not seen.
        q: the configuration that the robot begins with.
        near: the distance up to which a checker's pairs are listed.
        browser: whether the page is opened; else `address` says where it is.

    >>> import clearance
    >>> scene = clearance.Scene()
    >>> scene.add("ball", clearance.Sphere(0.1))
    >>> with clearance.Viewer(scene, browser=False) as viewer:
    ...     for step in range(100):
    ...         viewer.place("ball", [0.01 * step, 0, 0, 0, 0, 0, 1])
    ...     print(viewer.address[:17], viewer.names)
    http://127.0.0.1: ['ball']
    """

    def __init__(
        self, shown: Shown, q: ArrayLike | None = None, *, near: float = 0.05, title: str = "clearance", browser: bool = True
    ) -> None:
        self._viewer = c._Viewer(shown, q, near, title)
        self._address = self._viewer.address
        if not browser:
            return
        if in_notebook():
            from IPython.display import display

            display(self)
        else:
            webbrowser.open(self._address)

    @property
    def address(self) -> str:
        """Where the page is, with its token."""
        return self._address

    @property
    def watching(self) -> int:
        """How many pages follow."""
        return self._viewer.watching

    @property
    def names(self) -> list[str]:
        """What `place` moves: the objects of a scene, or geometries as "sphere 0"."""
        return self._viewer.names

    def show(self, q: ArrayLike) -> None:
        """Shows the robot in a configuration."""
        self._viewer.show(q)

    def place(self, name: str, pose: PoseLike, *, quat: str = "xyzw") -> None:
        """Shows an object at a pose in the world."""
        self._viewer.place(name, pose, quat)

    def close(self) -> None:
        """Ends the page's server."""
        self._viewer.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Viewer({self._address!r})"

    def _repr_html_(self) -> str:
        return f'<iframe src="{self._address}" width="100%" height="600"></iframe>'


@overload
def show(
    shown: Shown, q: ArrayLike | None = ..., *, duration: float | None = ..., near: float = ..., title: str = ..., live: Literal[True]
) -> Viewer: ...
@overload
def show(
    shown: Shown,
    q: ArrayLike | None = ...,
    *,
    duration: float | None = ...,
    near: float = ...,
    title: str = ...,
    live: Literal[False] = ...,
) -> pathlib.Path | None: ...
def show(
    shown: Shown,
    q: ArrayLike | None = None,
    *,
    duration: float | None = None,
    near: float = 0.05,
    title: str = "clearance",
    live: bool = False,
) -> pathlib.Path | Viewer | None:
    """Shows the page: inside of a notebook, or in the browser, for which it writes a file.

    With `live` it returns a `Viewer`, which the program tells what to show next.
    """
    if live:
        if duration is not None:
            raise InvalidValueError("duration is for a motion; what is live has none")
        return Viewer(shown, q, near=near, title=title)
    text = page(shown, q, duration=duration, near=near, title=title)
    if in_notebook():
        from IPython.display import HTML, display

        # IPython warns of HTML that is a frame alone.
        display(HTML(f"<div>{_frame(text)}</div>"))
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
        file.write(text)
    path = pathlib.Path(file.name)
    webbrowser.open(path.as_uri())
    return path
