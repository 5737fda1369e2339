//! Distance fields as geometries: solids that are known by signed distances at the points of a grid.
//!
//! Bodies are searched against the field ([`SampledField::bounds`]), piece by piece. Half-spaces,
//! planes and other fields have nothing to cut: for these the field is a tree of cells that may hold
//! its surface, which is made when it is asked for.

mod csg;
mod voxels;

pub use csg::Csg;
pub use voxels::VoxelField;

use super::{Assembly, Geometry, PointCloud, next_revision};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{
    FarBounds, FieldBounds, FieldCell, FieldGrid, Implicit, PlacedField, PointDistance, Sample, SampledField, Sign,
    check_points, checked_grid,
};
use crate::volume::BoundingSphere;
use crate::{Error, ErrorKind, Pose, Result};
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A distance field: a solid that is known by signed distances, with a stated error.
///
/// It is made [of any geometry](DistanceField::of) that has signed distances of points, of an
/// [implicit function](DistanceField::implicit), or of a voxel map ([`VoxelField`]), whose changes it
/// follows. Every answer is an interval that holds the distance of the solid itself, not that of the
/// samples. Its width is at most the [error](DistanceField::error), and twice that against
/// half-spaces, planes and what is beyond the grid, as the doubled sum of both errors against another
/// field; much less away from the surface.
/// Cylinders, cones, ellipsoids and polyhedra near to it may take more than the search has patience
/// for, which makes it wider by some hundredths of their size. What the field does not tell apart
/// counts as colliding.
///
/// ```
/// use clearance_engine::{dispatch::Pair, shape::{Capsule, Cuboid}, tree::{DistanceField, Solid}, Pose};
/// let table = Solid::new(Cuboid::new(1.0, 0.6, 0.1)?);
/// let field = DistanceField::of(&table, 0.02)?;
/// let error = field.error();
/// let mut pair = Pair::new(field, Capsule::new(0.05, 0.3)?)?;
/// let distance = pair.distance(Pose::from_xyz(0.0, 0.0, 0.5)?);
/// // The capsule is beyond the grid.
/// assert!(distance.lower <= 0.25 && 0.25 <= distance.upper && distance.upper - distance.lower <= 2.0 * error);
/// assert!(pair.collides(Pose::from_xyz(0.1, 0.2, 0.1)?));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DistanceField {
    field: SampledField,
    has_inside: bool,
    sphere: BoundingSphere,
    corners: (DVec3, DVec3),
    cells: OnceLock<Option<Arc<FieldTree>>>,
    revision: u64,
}

/// The cells that may hold the surface, under a tree of their middles.
#[derive(Debug)]
pub(crate) struct FieldTree {
    pub middles: PointCloud,
    pub cells: Vec<FieldCell>,
    /// Points of the solid, of every connected part some.
    pub parts: PointCloud,
}

impl DistanceField {
    /// The field of a geometry, with a grid point every `spacing`. What is inside is inside of the
    /// field too if the geometry decides that: solids, closed meshes, point clouds and voxel maps do,
    /// and open meshes are surfaces. How deep a point is in solids that overlap is known from below
    /// alone, which makes the stated error of their field large; outside it is as good as any.
    ///
    /// Cost: a [signed distance](Geometry::signed_distance) for every grid point; an error for
    /// geometries that have none, for assemblies with an open part, and
    /// [`TooLarge`](ErrorKind::TooLarge) for more than 16,384 points along an axis or 33,554,432 in all,
    /// which take 512 MB.
    pub fn of(geometry: &dyn Geometry, spacing: f64) -> Result<Self> {
        let (low, high) = geometry.bounding_box();
        let grid = checked_grid(low, high, spacing)?;
        let any: &dyn Any = geometry;
        // The guessed side of one part would hide the surface of another.
        if any.is::<Assembly>() && !decides_sides(geometry)? {
            let message = "an assembly has a distance field only if all of its parts are solids or closed meshes";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let (mut samples, mut has_inside) = (Vec::with_capacity(grid.total()), true);
        let slab = grid.count[1] * grid.count[2];
        let mut places = grid.places();
        for _ in 0..grid.count[0] {
            let points: Vec<DVec3> = places.by_ref().take(slab).map(|at| grid.point(at)).collect();
            let found = geometry.signed_distances(&points)?;
            has_inside &= found.iter().all(|found| matches!(found.sign, Sign::Closed));
            samples.extend(points.iter().zip(&found).map(|(point, found)| sample(*point, found, &grid)));
        }
        if samples.iter().any(|sample| !sample.is_finite()) {
            let message = format!("a {} has no distance field: some signed distances are not finite", geometry.kind());
            return Err(Error::new(ErrorKind::NotFinite, message));
        }
        Ok(Self::with(SampledField::new(grid, &samples, None), has_inside))
    }

    /// The field of an implicit function, with a grid point every `spacing`; queries ask the function
    /// itself too. An error if the grid finds no point of the solid, or is too large.
    pub fn implicit(function: impl Implicit, spacing: f64) -> Result<Self> {
        Ok(Self::with(SampledField::of_implicit(Arc::new(function), spacing)?, true))
    }

    fn with(field: SampledField, has_inside: bool) -> Self {
        let (low, high) = field.bounding_box();
        let padding = 16.0 * UNIT_ROUNDOFF * low.abs().max(high.abs());
        let corners = (low - padding, high + padding);
        let sphere = BoundingSphere::around(&[corners.0, corners.1]);
        Self { field, has_inside, sphere, corners, cells: OnceLock::new(), revision: next_revision() }
    }

    /// The samples, and bounds between them.
    pub fn field(&self) -> &SampledField {
        &self.field
    }

    /// The most by which the bounds of a point's distance are apart.
    pub fn error(&self) -> f64 {
        self.field.error()
    }

    /// The field where a pose has it.
    pub(crate) fn placed(&self, pose: &Pose) -> PlacedField<'_> {
        PlacedField::new(&self.field, self, pose)
    }

    /// Whether points can be inside.
    pub fn has_inside(&self) -> bool {
        self.has_inside
    }

    /// The farthest that a point of the solid is from the origin.
    pub(crate) fn extent(&self) -> f64 {
        self.corners.0.abs().max(self.corners.1.abs()).length()
    }

    /// The cells of the surface; nothing if there are none.
    pub(crate) fn tree(&self) -> Option<&FieldTree> {
        self.cells.get_or_init(|| FieldTree::new(&self.field)).as_deref()
    }
}

impl FarBounds for DistanceField {
    fn far_bounds(&self, point: DVec3) -> Option<FieldBounds> {
        let tree = self.tree()?;
        let found = tree.middles.signed_distance(point).ok()?;
        let nearest = tree.cells.get(found.leaf as usize)?.inside;
        let upper = nearest.distance(point) * (1.0 + 16.0 * UNIT_ROUNDOFF) + self.field.offset_error();
        Some(FieldBounds { lower: found.lower, upper, nearest })
    }
}

impl FieldTree {
    fn new(field: &SampledField) -> Option<Arc<Self>> {
        let cells = field.surface_cells();
        let points = field.points_of_bodies(&cells);
        let radius = 0.5 * field.spacing() * 3.0_f64.sqrt() * (1.0 + 16.0 * UNIT_ROUNDOFF);
        let middles = PointCloud::new(cells.iter().map(|cell| cell.center).collect(), radius).ok()?;
        let parts = PointCloud::new(points, 0.0).ok()?;
        Some(Arc::new(Self { middles, cells, parts }))
    }
}

/// Whether a geometry decides the sides of all points: of an assembly, every part does.
fn decides_sides(geometry: &dyn Geometry) -> Result<bool> {
    let any: &dyn Any = geometry;
    if let Some(assembly) = any.downcast_ref::<Assembly>() {
        for part in assembly.parts() {
            if !decides_sides(&**assembly.geometry(part.number()))? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let sphere = geometry.sphere();
    let inner = if sphere.radius.is_finite() { sphere.center } else { DVec3::ZERO };
    Ok(geometry.signed_distance(inner)?.sign == Sign::Closed)
}

/// Whether a geometry is a distance field, or an assembly with one.
fn has_distance_field(geometry: &dyn Geometry) -> bool {
    let any: &dyn Any = geometry;
    any.is::<DistanceField>()
        || any.downcast_ref::<Assembly>().is_some_and(|assembly| {
            assembly.parts().any(|part| has_distance_field(&**assembly.geometry(part.number())))
        })
}

/// By how much points of the cells of fields in a geometry may be farther from the solid than cells
/// are large; 0 without a field.
pub(crate) fn error_of_fields(geometry: &dyn Geometry) -> f64 {
    let any: &dyn Any = geometry;
    if let Some(field) = any.downcast_ref::<DistanceField>() {
        // A cell has the middle's error, and a diagonal, which is less.
        return 2.0 * field.error();
    }
    let of_parts = |assembly: &Assembly| {
        assembly.parts().map(|part| error_of_fields(&**assembly.geometry(part.number()))).fold(0.0, f64::max)
    };
    any.downcast_ref::<Assembly>().map_or(0.0, of_parts)
}

/// What a signed distance says at a grid point. An open mesh's sign is a guess, and counts for
/// nothing.
fn sample(point: DVec3, found: &PointDistance, grid: &FieldGrid) -> Sample {
    let (lower, upper) = match found.sign {
        Sign::Closed => (found.lower, found.upper),
        _ if found.upper < 0.0 => (-found.upper, -found.lower),
        _ => (found.lower.max(0.0), found.upper),
    };
    let way = found.nearest - point;
    if upper >= 0.0 {
        // What may be inside is no point that is not, as for one on a face that two solids share.
        return if lower < -1e-8 * grid.spacing { Sample::open(way) } else { Sample::outside(lower, way) };
    }
    // Where the nearest point does not prove the depth, the grid's corner does, which is outside.
    let proven = way.length() + 1e-8 * grid.spacing >= -lower;
    Sample::inside(-upper, if proven { way } else { grid.low - point })
}

impl Geometry for DistanceField {
    fn kind(&self) -> &'static str {
        "distance field"
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        self.sphere
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        self.corners
    }

    fn signed_distance(&self, point: DVec3) -> Result<PointDistance> {
        check_points("point", &[point])?;
        let bounds = self.placed(&Pose::IDENTITY).bounds(point);
        let is_inside = self.has_inside && bounds.upper < 0.0;
        let nearest = if is_inside { self.field.way_out(point).unwrap_or(point) } else { bounds.nearest };
        let distance = if is_inside { -nearest.distance(point) } else { nearest.distance(point) };
        let gradient = (point - nearest) * if is_inside { -1.0 } else { 1.0 };
        Ok(PointDistance {
            distance: distance.max(bounds.lower).min(bounds.upper),
            lower: if self.has_inside { bounds.lower } else { bounds.lower.max(0.0) },
            upper: bounds.upper,
            nearest,
            gradient: gradient.try_normalize().unwrap_or(DVec3::Z),
            sign: if self.has_inside { Sign::Closed } else { Sign::Unsigned },
            leaf: 0,
            part: 0,
        })
    }
}
