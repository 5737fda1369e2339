//! The kitchen's numbers and the state of its meshes.

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_scene::{FLOOR, Object, kitchen};
use std::collections::{HashMap, HashSet};

#[test]
fn it_has_more_than_95000_triangles_in_at_least_40_objects_with_unique_names() {
    let kitchen = kitchen().unwrap();
    let triangles: usize = kitchen.iter().map(|object| object.mesh.len()).sum();
    assert!((96_000..100_000).contains(&triangles), "{triangles}");
    assert!(kitchen.len() >= 40, "{}", kitchen.len());
    let names: HashSet<&str> = kitchen.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names.len(), kitchen.len());
    assert!(names.contains(FLOOR));
}

#[test]
fn every_object_is_a_clean_solid_within_the_room_and_fully_coloured() {
    for object in kitchen().unwrap() {
        crate::support::assert_clean_solid(&object.mesh, &object.name);
        assert_eq!(object.colors.len(), object.mesh.len(), "{}", object.name);
        for &vertex in object.mesh.vertices() {
            let place = object.pose.transform_point(vertex);
            assert!(place.z >= if object.name == FLOOR { -0.07 } else { -1e-9 }, "{} at {place}", object.name);
            assert!(place.abs().max_element() < 2.5, "{} at {place}", object.name);
        }
    }
}

#[test]
fn equal_things_share_their_mesh() {
    let kitchen = kitchen().unwrap();
    let mut owners: HashMap<*const clearance_engine::TriMesh, usize> = HashMap::new();
    kitchen.iter().for_each(|object| *owners.entry(std::sync::Arc::as_ptr(&object.mesh)).or_default() += 1);
    assert_eq!(owners.values().max(), Some(&5));
}

#[test]
fn small_things_do_not_run_into_each_other() {
    let kitchen = kitchen().unwrap();
    let small = |object: &&Object| {
        let (low, high) = object.mesh.bounding_box();
        (high - low).max_element() < 0.5
    };
    let solid = |object| -> (&Object, Mesh) { (object, Mesh::new(object.mesh.clone()).unwrap().into_solid().unwrap()) };
    let solids: Vec<(&Object, Mesh)> = kitchen.iter().filter(small).map(solid).collect();
    assert!(solids.len() > 50, "{}", solids.len());
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    for (i, (a, mesh_a)) in solids.iter().enumerate() {
        for (b, mesh_b) in &solids[..i] {
            let a_from_b = a.pose.inverse().then(&b.pose);
            let hit = dispatcher.plan(mesh_a, mesh_b).unwrap().collide(&a_from_b, &mut workspace, None);
            assert!(!hit.colliding, "{} and {}", a.name, b.name);
        }
    }
}
