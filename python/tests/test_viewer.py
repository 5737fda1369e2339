"""Recordings, pages and pictures of everything that can be seen."""

import json
import struct
import urllib.error
import urllib.request
import warnings
import webbrowser

import numpy as np
import pytest
from conftest import box_mesh

import clearance
from clearance import pose


def facts(glb):
    """The JSON of a GLB file."""
    magic, _, _, length, kind = struct.unpack("<4sIII4s", glb[:20])
    assert magic == b"glTF" and kind == b"JSON"
    return json.loads(glb[20 : 20 + length])


def names(glb):
    return {node.get("name") for node in facts(glb)["nodes"]}


def test_recordings_have_all_bodies(checker):
    assert {"wall", "base", "link1", "link2", "link3"} <= names(clearance.recording(checker))
    assert {"base", "link3"} <= names(clearance.recording(checker.robot, [0.1, 0.2, 0.3]))
    assert "wall" in names(clearance.recording(checker.scene))
    mesh = clearance.Mesh(*box_mesh())
    assert len(names(clearance.recording([mesh, (clearance.Sphere(1), pose([2, 0, 0]))]))) >= 2
    with pytest.raises(TypeError, match="expected a clearance geometry"):
        clearance.recording("nothing")
    with pytest.raises(ValueError, match="q has the shape"):
        clearance.recording(checker, np.zeros(2))
    with pytest.raises(ValueError, match="near is -1"):
        clearance.recording(checker, near=-1)


def test_attached_objects_are_drawn_with_their_link(checker):
    def count():
        return len(facts(clearance.recording(checker))["meshes"])

    before = count()
    checker.attach("cup", clearance.Cylinder(0.03, 0.1), "link3")
    assert count() == before + 1
    checker.detach("cup")
    assert count() == before


def test_frames_are_rows_or_a_motion(checker):
    q = np.linspace([0, 0, 0], [0.5, 0.5, 0.5], 5)
    text = json.dumps(facts(clearance.recording(checker, q)))
    assert '"row"' in text and "to the surroundings" in text
    assert facts(clearance.recording(checker, q, duration=2.0)) != facts(clearance.recording(checker, q))
    with pytest.raises(ValueError, match="rise"):
        clearance.recording(checker, q, duration=-1)


def test_pages_stand_alone_and_are_shown(checker, monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    path = clearance.show(checker, [0.1, 0.2, 0.3], title="an arm & a wall")
    assert opened == [path.as_uri()] and path.read_text().rstrip().endswith("</html>")
    assert "an arm &amp; a wall" in path.read_text()
    path.unlink()


def test_pages_stand_in_notebooks(checker, monkeypatch):
    shell = pytest.importorskip("IPython.display", reason="SKIPPED: IPython is not installed")
    shown = []
    monkeypatch.setattr(shell, "display", shown.append)
    monkeypatch.setattr("clearance._viewer.in_notebook", lambda: True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clearance.show(checker, [0.1, 0.2, 0.3]) is None
    assert len(shown) == 1 and '<iframe srcdoc="' in shown[0].data and "&lt;/html&gt;" in shown[0].data


def test_pictures_mark_contacts_and_distances(tmp_path):
    mesh = clearance.Mesh(*box_mesh())
    pair, place = clearance.Pair(mesh, mesh), pose([0.5, 0.3, 0.2])
    plain = clearance.picture([mesh, (mesh, place)])
    assert clearance.picture([mesh, (mesh, place)], marks=pair.contacts(place)) != plain
    apart = pose([2, 0, 0])
    both = [mesh, (mesh, apart)]
    assert clearance.picture(both, marks=pair.distance(apart)) != clearance.picture(both)


def test_objects_show_themselves_in_notebooks(checker):
    for shown in (clearance.Sphere(1), checker, checker.robot, checker.scene, clearance.HeightField(np.eye(3), 1.0)):
        text = shown._repr_html_()
        assert text.startswith('<iframe srcdoc="') and text.endswith("</iframe>") and "&lt;/html&gt;" in text
    # Nothing to see.
    assert clearance.Scene()._repr_html_() is None and clearance.Scene()._repr_png_() is None
    # Too much for a notebook to keep: the picture is there all the same.
    grid = np.random.default_rng(0).normal(size=(400, 400))
    field = clearance.HeightField(grid, 1.0)
    assert field._repr_html_() is None


def states(viewer):
    """What the page is told, state by state."""
    with urllib.request.urlopen(viewer.address + "stream", timeout=5) as stream:
        for line in stream:
            if line.startswith(b"data: {"):
                yield json.loads(line[6:])


def test_a_program_streams_what_it_does(checker):
    with clearance.Viewer(checker, [0.1, 0.2, 0.3], browser=False) as viewer:
        assert repr(viewer) == f"Viewer('{viewer.address}')" and viewer.names == ["wall"] and viewer.watching == 0
        assert viewer._repr_html_() == f'<iframe src="{viewer.address}" width="100%" height="600"></iframe>'
        with urllib.request.urlopen(viewer.address) as answer:
            assert answer.headers["Content-Security-Policy"].startswith("frame-ancestors http://127.0.0.1:*")
        told = states(viewer)
        assert next(told)["rows"] == [[0.1, 0.2, 0.3]] and viewer.watching == 1
        viewer.show(np.array([[0.5, 0.6, 0.7]], dtype=np.float32).astype(float))
        assert next(told)["rows"][0] == pytest.approx([0.5, 0.6, 0.7])
        viewer.place("wall", [1, 2, 3, 1, 0, 0, 0], quat="wxyz")
        assert list(next(told)["moved"].values()) == [[1, 2, 3, 1, 0, 0, 0]]
        with pytest.raises(ValueError, match="q has the shape"):
            viewer.show([0.1])
        with pytest.raises(ValueError, match="q has 2 rows; expected one configuration"):
            viewer.show(np.zeros((2, 3)))
        with pytest.raises(ValueError, match="finite"):
            viewer.show([0.1, 0.2, np.nan])
        with pytest.raises(clearance.NamingError, match="there is no object 'door'"):
            viewer.place("door", pose())
        address = viewer.address
    with pytest.raises(clearance.Error, match="this viewer is closed"):
        viewer.show([0.1, 0.2, 0.3])
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address)
    viewer.close()


def test_live_pages_open_and_show_what_has_no_robot(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    viewer = clearance.show([clearance.Sphere(1), clearance.Box([1, 1, 1])], live=True)
    assert opened == [viewer.address] and len(viewer.names) == 2
    viewer.place(viewer.names[1], pose([0, 0, 3]))
    assert len(next(states(viewer))["moved"]) == 1
    with pytest.raises(ValueError, match="shows no robot"):
        viewer.show([])
    viewer.close()
    with pytest.raises(ValueError, match="duration is for a motion"):
        clearance.show(clearance.Sphere(1), duration=1.0, live=True)
