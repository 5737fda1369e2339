"""Recordings, pages and pictures of everything that can be seen."""

import json
import struct
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
