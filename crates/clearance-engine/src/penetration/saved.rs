//! What penetration depths need of a mesh, as a part of a file; see [`crate::saved`].
//!
//! Little-endian: 0 where nothing was derived, else 1; the values of the grid, and whether they
//! tell what is outside; spheres; the numbers of their children; polyhedra, each with its centre,
//! planes and vertices; for each point of the grid the numbers of a sphere and of a polyhedron. The
//! tree for points is not kept: building it takes as long as reading it would.
//!
//! The reader returns an error for numbers that are beyond the mesh, for more levels, polyhedra or
//! planes than there can be, and for spheres that do not form a forest, so that searches end. That
//! values are not above the signed distances, and that spheres and polyhedra are inside, is for
//! [`validate`] to prove.

use super::field::{Grid, MeshField};
use super::inner::{COUNT, Inner, MAX_PLANES, Plane, is_inside};
use super::medial::{Ball, LEVELS};
use crate::math::DVec3;
use crate::query::Surface;
use crate::shape::{ConvexPolyhedron, Primitive};
use crate::tree::{Reader, Solid, bad};
use crate::{Result, TriMesh};
use std::sync::Arc;

/// Appends what was derived, or that nothing was.
pub(crate) fn save(field: Option<&MeshField>, out: &mut Vec<u8>) {
    let number = |out: &mut Vec<u8>, count: usize| out.extend_from_slice(&(count as u32).to_le_bytes());
    let Some(field) = field else { return number(out, 0) };
    number(out, 1);
    field.grid.values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    number(out, usize::from(field.grid.tells_outside));
    let floats =
        |out: &mut Vec<u8>, floats: &[f64]| floats.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
    number(out, field.balls.len());
    for Ball { center, radius, slack, level, children } in &field.balls {
        floats(out, &[center.x, center.y, center.z, *radius, *slack]);
        [u32::from(*level), children.0, children.1].iter().for_each(|&x| number(out, x as usize));
    }
    number(out, field.children.len());
    save_numbers(&field.children, out);
    number(out, field.inners.len());
    for Inner { center, planes, solid } in &field.inners {
        floats(out, &center.to_array());
        number(out, planes.len());
        planes.iter().for_each(|plane| floats(out, &[plane.normal.x, plane.normal.y, plane.normal.z, plane.offset]));
        let vertices: Vec<DVec3> = match solid.shape() {
            Primitive::ConvexPolyhedron(polyhedron) => polyhedron.vertices().collect(),
            _ => Vec::new(),
        };
        number(out, vertices.len());
        vertices.iter().for_each(|vertex| floats(out, &vertex.to_array()));
    }
    save_numbers(&field.near_balls, out);
    save_numbers(&field.near_inners, out);
}

/// An even count of numbers, so that what follows stays aligned.
fn save_numbers(numbers: &[u16], out: &mut Vec<u8>) {
    numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    if numbers.len() % 2 == 1 {
        out.extend_from_slice(&[0; 2]);
    }
}

/// What [`save`] appended to the hierarchy of the same mesh.
pub(crate) fn restore(mesh: &Arc<TriMesh>, reader: &mut Reader<'_>) -> Result<Option<MeshField>> {
    match reader.u32()? {
        0 => return Ok(None),
        1 => {}
        other => return bad(format!("the saved hierarchy has data of kind {other}, which is unknown")),
    }
    let (low, high) = mesh.bounding_box();
    let size = (high - low).length();
    // Of coordinates, and of distances between points of the grid.
    let largest = 2.0 * (low.abs().max(high.abs()).max_element() + size);
    let mut grid = Grid::around_box(low, high);
    grid.values = reader.records(grid.count(), 4)?.map(|x| f32::from_le_bytes(bytes_of(x))).collect();
    if !grid.values.iter().all(|value| f64::from(value.abs()) <= largest) {
        return bad("the saved hierarchy has a signed distance that is larger than the mesh".into());
    }
    grid.tells_outside = reader.u32()? != 0;
    let balls = read_balls(reader, largest)?;
    let children = read_children(reader, &balls)?;
    let count = reader.u32()? as usize;
    if count > COUNT {
        return bad(format!("the saved hierarchy has {count} polyhedra, more than {COUNT}"));
    }
    let inners = (0..count).map(|_| read_inner(reader, largest)).collect::<Result<Vec<_>>>()?;
    let near_balls = read_numbers(reader, grid.count())?;
    let near_inners = read_numbers(reader, grid.count())?;
    let surface = Surface::new(mesh.clone());
    Ok(Some(MeshField { surface, grid, balls, children, inners, near_balls, near_inners, size }))
}

fn bytes_of<const N: usize>(chunk: &[u8]) -> [u8; N] {
    chunk.first_chunk().copied().unwrap_or([0; N])
}

fn read_numbers(reader: &mut Reader<'_>, count: usize) -> Result<Vec<u16>> {
    let pairs = reader.records(count.div_ceil(2), 4)?;
    let mut numbers: Vec<u16> =
        pairs.flat_map(|x| [&x[..2], &x[2..]]).map(|x| u16::from_le_bytes(bytes_of(x))).collect();
    numbers.truncate(count);
    Ok(numbers)
}

fn read_balls(reader: &mut Reader<'_>, largest: f64) -> Result<Vec<Ball>> {
    let count = reader.u32()? as usize;
    let ball = |chunk: &[u8]| {
        let float = |i: usize| f64::from_le_bytes(bytes_of(&chunk[8 * i..]));
        let number = |i: usize| u32::from_le_bytes(bytes_of(&chunk[40 + 4 * i..]));
        let center = DVec3::new(float(0), float(1), float(2));
        let level = number(0).min(u32::from(u8::MAX)) as u8;
        Ball { center, radius: float(3), slack: float(4), level, children: (number(1), number(2)) }
    };
    let balls: Vec<Ball> = reader.records(count, 52)?.map(ball).collect();
    let is_right = |ball: &Ball| {
        let lengths = [ball.radius, ball.slack].iter().all(|length| (0.0..=largest).contains(length));
        ball.center.abs().cmple(DVec3::splat(largest)).all() && lengths && ball.level < LEVELS
    };
    let are_right = balls.iter().all(is_right) && balls.is_sorted_by_key(|ball| ball.level);
    if balls.len() > usize::from(u16::MAX) || !are_right {
        return bad("the saved hierarchy has spheres that are beyond the mesh, too many, or in the wrong order".into());
    }
    Ok(balls)
}

/// The children of all spheres, each of which is that of one, of a level before.
fn read_children(reader: &mut Reader<'_>, balls: &[Ball]) -> Result<Vec<u16>> {
    let count = reader.u32()? as usize;
    if count > balls.len() {
        return bad(format!("the saved hierarchy has {count} spheres below {} ones", balls.len()));
    }
    let children = read_numbers(reader, count)?;
    let mut met = vec![false; balls.len()];
    for ball in balls {
        let (first, count) = (ball.children.0 as usize, ball.children.1 as usize);
        let below = first.checked_add(count).and_then(|end| children.get(first..end)).unwrap_or(&[]);
        let mut is_new = |&child: &u16| {
            let below = balls.get(usize::from(child)).is_some_and(|child| child.level > ball.level);
            below && !std::mem::replace(&mut met[usize::from(child)], true)
        };
        if below.len() != count || !below.iter().all(&mut is_new) {
            return bad("the saved hierarchy has spheres that do not form a forest".into());
        }
    }
    Ok(children)
}

fn read_inner(reader: &mut Reader<'_>, largest: f64) -> Result<Inner> {
    let point = |reader: &mut Reader<'_>| -> Result<DVec3> {
        let point = DVec3::new(reader.f64()?, reader.f64()?, reader.f64()?);
        if point.abs().cmple(DVec3::splat(largest)).all() {
            return Ok(point);
        }
        bad("the saved hierarchy has a polyhedron that is beyond the mesh".into())
    };
    let center = point(reader)?;
    let too_many = |what: &str, count: usize| bad(format!("the saved hierarchy has a polyhedron of {count} {what}"));
    let count = reader.u32()? as usize;
    if count > MAX_PLANES {
        return too_many("planes", count);
    }
    let planes = (0..count)
        .map(|_| Ok(Plane { normal: DVec3::new(reader.f64()?, reader.f64()?, reader.f64()?), offset: reader.f64()? }));
    let planes = planes.collect::<Result<Vec<_>>>()?;
    // Proofs take their normals for unit ones.
    if !planes.iter().all(|Plane { normal, .. }| (normal.length_squared() - 1.0).abs() < 1e-6) {
        return bad("the saved hierarchy has a polyhedron with a normal that is not of unit length".into());
    }
    let count = reader.u32()? as usize;
    if count > 2 * MAX_PLANES {
        return too_many("vertices", count);
    }
    let vertices = (0..count).map(|_| point(reader)).collect::<Result<Vec<_>>>()?;
    Ok(Inner { center, planes, solid: Solid::new(ConvexPolyhedron::hull_of(&vertices)?) })
}

/// Proves all that a search rests on anew.
pub(crate) fn validate(field: &MeshField) -> Result<()> {
    let surface = &field.surface;
    let (low, high) = surface.mesh().bounding_box();
    if Grid::new(surface, low, high) != field.grid {
        return bad("the signed distances that were derived are not those of the mesh".into());
    }
    let is_out = |ball: &Ball| field.signed(ball.center, &mut 0).value < ball.radius;
    if let Some(number) = field.balls.iter().position(is_out) {
        return bad(format!("sphere {number} that was derived is not inside of the mesh"));
    }
    let is_proven = |inner: &Inner| match inner.solid.shape() {
        Primitive::ConvexPolyhedron(polyhedron) => is_inside(surface, polyhedron, &inner.planes),
        _ => false,
    };
    match field.inners.iter().position(|inner| !is_proven(inner)) {
        Some(number) => bad(format!("polyhedron {number} that was derived is not inside of the mesh")),
        None => Ok(()),
    }
}
