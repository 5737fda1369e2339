//! Spheres and tables as bytes, for keeping them in a file beside proofs.
//!
//! Little-endian: magic, version, identity, the covers of all parts in their order, tables; at the end
//! a hash of everything before. The identity is that of proofs ([`Subject`]: joints, parts with all
//! of their vertices and triangles, pairs, this crate's version) and the number of cells, so that
//! nothing of a robot that has changed since is used. As with proofs, a hash is no signature.

use super::cover::{Component, Cover, Fine, Group};
use super::model::Covers;
use super::table::{Saved, Table};
use crate::check::collision_model::CollisionModel;
use crate::range_of_motion::{Subject, write_whole};
use crate::{Error, ErrorKind, GapOptions, Result};
use clearance_engine::math::DVec3;
use clearance_engine::volume::BoundingSphere;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use twox_hash::XxHash3_64;

const MAGIC: &[u8; 8] = b"CLEARPLN";
/// Of the format, of covers and of tables: whoever changes what they hold makes it larger.
const VERSION: u32 = 2;

fn identity(subject: &Subject<'_>, table_cells: usize) -> Result<u64> {
    // Proofs are kept elsewhere: any options do.
    Ok(subject.identity(&GapOptions::default())? ^ (table_cells as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Writes covers and tables of a model to a file, which is there as a whole or not at all.
pub(super) fn save(
    path: &Path,
    model: &CollisionModel,
    covers: &Covers,
    tables: &[Arc<Table>],
    table_cells: usize,
) -> Result<()> {
    let mut out = Writer(MAGIC.to_vec());
    out.0.extend(VERSION.to_le_bytes());
    out.0.extend(model.about(|subject| identity(subject, table_cells))?.to_le_bytes());
    for part in model.parts() {
        // Prepared covers are of all parts.
        let Some(cover) = covers.get(&part.geometry.revision()) else { return Err(unprepared()) };
        out.cover(cover);
    }
    let saved: Vec<Saved> = tables.iter().filter_map(|table| table.saved(model)).collect();
    out.count(saved.len());
    for table in &saved {
        out.count(table.count);
        table.variables.iter().for_each(|&variable| out.count(variable));
        out.numbers(table.low.into_iter().chain(table.scale));
        out.count(table.pairs.len());
        for (parts, offset) in &table.pairs {
            parts.iter().for_each(|&part| out.count(part));
            out.numbers([*offset]);
        }
        out.0.extend(&table.cells);
    }
    let hash = XxHash3_64::oneshot(&out.0);
    out.0.extend(hash.to_le_bytes());
    write_whole(path, &out.0)
}

/// Reads what [`save`] wrote for the same robot; anything else is refused.
pub(super) fn load(path: &Path, model: &CollisionModel, table_cells: usize) -> Result<(Covers, Vec<Arc<Table>>)> {
    let failed = |error: std::io::Error| Error::new(ErrorKind::Io, error.to_string()).in_file(path);
    let bytes = std::fs::read(path).map_err(failed)?;
    read(&bytes, model, table_cells).map_err(|error| error.in_file(path))
}

fn read(bytes: &[u8], model: &CollisionModel, table_cells: usize) -> Result<(Covers, Vec<Arc<Table>>)> {
    let mut rest = match bytes.split_last_chunk::<8>() {
        Some((content, hash)) if XxHash3_64::oneshot(content) == u64::from_le_bytes(*hash) => Reader(content),
        _ => return Err(damaged("it is cut short, or its hash is wrong")),
    };
    if rest.array()? != *MAGIC {
        return Err(damaged("it does not begin like one"));
    }
    let same_version = u32::from_le_bytes(rest.array()?) == VERSION;
    if !same_version || u64::from_le_bytes(rest.array()?) != model.about(|subject| identity(subject, table_cells))? {
        let reason = "it cannot be used: it belongs to another robot, to other options, or to another version";
        return Err(Error::new(ErrorKind::Stale, format!("what is prepared for planning is stale: {reason}")));
    }
    let mut covers: Covers = HashMap::new();
    for part in model.parts() {
        let cover = rest.cover()?;
        covers.entry(part.geometry.revision()).or_insert_with(|| Arc::new(cover));
    }
    let mut tables = Vec::new();
    for _ in 0..rest.count()? {
        let count = rest.count()?;
        let variables = [rest.count()?, rest.count()?];
        let [low, scale] = [[rest.number()?, rest.number()?], [rest.number()?, rest.number()?]];
        let mut pairs = Vec::new();
        for _ in 0..rest.count()? {
            pairs.push(([rest.count()?, rest.count()?], rest.number()?));
        }
        let cells = rest.take(count.checked_mul(count).ok_or_else(|| damaged("a table is too large"))?)?.to_vec();
        let known = variables.iter().all(|&variable| variable < model.robot().variables().len())
            && pairs.iter().flat_map(|(parts, _)| parts).all(|&part| part < model.parts().len());
        if !known || count == 0 {
            return Err(damaged("a table is of no such robot"));
        }
        tables.push(Arc::new(Table::restored(model, Saved { variables, low, scale, count, cells, pairs })));
    }
    if !rest.0.is_empty() {
        return Err(damaged("it has bytes too many"));
    }
    Ok((covers, tables))
}

fn damaged(reason: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("this is nothing that was prepared for planning: {reason}"))
}

/// What a checker that is not ready for planning cannot keep.
pub(super) fn unprepared() -> Error {
    Error::new(ErrorKind::Unsupported, "the checker is not ready for planning: prepare it first")
}

struct Writer(Vec<u8>);

impl Writer {
    fn count(&mut self, count: usize) {
        self.0.extend((count as u32).to_le_bytes());
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    fn points(&mut self, points: &[DVec3]) {
        self.count(points.len());
        self.numbers(points.iter().flat_map(|point| point.to_array()));
    }

    fn sphere(&mut self, sphere: &BoundingSphere) {
        self.numbers(sphere.center.to_array().into_iter().chain([sphere.radius]));
    }

    fn spheres(&mut self, spheres: &[BoundingSphere]) {
        self.count(spheres.len());
        spheres.iter().for_each(|sphere| self.sphere(sphere));
    }

    fn cover(&mut self, cover: &Cover) {
        let Cover { whole, groups, finest, components, points, solid } = cover;
        self.sphere(whole);
        self.spheres(finest);
        self.count(groups.len());
        for Group { sphere, fine } in groups {
            self.sphere(sphere);
            self.count(fine.len());
            for Fine { sphere, below } in fine {
                self.sphere(sphere);
                self.count(below.len());
                below.iter().for_each(|&number| self.count(number as usize));
            }
        }
        self.count(components.len());
        for Component { inner, inner_dense, tips } in components {
            self.spheres(inner);
            self.spheres(inner_dense);
            self.points(tips);
        }
        self.points(points);
        self.count(usize::from(*solid));
    }
}

/// Bytes still to be read.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| damaged("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk().ok_or_else(|| damaged("it ends too early"))?;
        self.0 = rest;
        Ok(*array)
    }

    fn count(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    /// Infinite radii are legal.
    fn number(&mut self) -> Result<f64> {
        let number = f64::from_le_bytes(self.array()?);
        if number.is_nan() { Err(damaged("a number is none")) } else { Ok(number) }
    }

    fn point(&mut self) -> Result<DVec3> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    fn sphere(&mut self) -> Result<BoundingSphere> {
        Ok(BoundingSphere { center: self.point()?, radius: self.number()? })
    }

    /// As many as a count says, which may lie.
    fn list<T>(&mut self, mut next: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut list = Vec::new();
        for _ in 0..self.count()? {
            list.push(next(self)?);
        }
        Ok(list)
    }

    fn cover(&mut self) -> Result<Cover> {
        let whole = self.sphere()?;
        let finest = self.list(Self::sphere)?;
        let number = |rest: &mut Self| match rest.count()? {
            number if number < finest.len() => Ok(number as u32),
            _ => Err(damaged("a sphere has a number too large")),
        };
        let fine = |rest: &mut Self| Ok(Fine { sphere: rest.sphere()?, below: rest.list(number)? });
        let groups = self.list(|rest| Ok(Group { sphere: rest.sphere()?, fine: rest.list(fine)? }))?;
        let components = self.list(|rest| {
            let (inner, inner_dense) = (rest.list(Self::sphere)?, rest.list(Self::sphere)?);
            Ok(Component { inner, inner_dense, tips: rest.list(Self::point)? })
        })?;
        Ok(Cover { whole, groups, finest, components, points: self.list(Self::point)?, solid: self.count()? != 0 })
    }
}
