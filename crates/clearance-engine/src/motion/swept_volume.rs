//! What a body sweeps along a motion, as a voxel map and as a mesh: no point of it is missing.
//!
//! The body is drawn as cells of half the size. Those at its surface are spheres that move with it:
//! over a part of the motion in which a sphere gets no farther than half a cell
//! ([`Motion::displacement`]), all that it sweeps is in a sphere about its place at the start. What
//! was inside at any time and at no time at the surface is inside at the start, which is drawn as a
//! whole.
//!
//! # The error
//! With h the edge of a cell, a small cell has a point of the body, and its sphere a radius of 0.44h,
//! which grows by 0.5h; the cells that the spheres touch have a diagonal of 1.74h: no point of a
//! chosen cell is farther than 0.44h + 0.44h + 0.5h + 1.74h from the swept volume ([`ERROR`]).
//!
//! Survey, section 2.2: Foisy and Hayward (1993), whose volumes are conservative too.

use super::Motion;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::tree::voxel_map::{Cell, Cells, VoxelMap};
use crate::tree::{Geometry, error_of_fields};
use crate::volume::BoundingSphere;
use crate::{Error, ErrorKind, Pose, Readable, Result, TriMesh};

/// How far points of cells are from the swept volume at most, in edges of cells.
const ERROR: f64 = 3.2;
/// How far spheres get until they are drawn, in edges of cells.
const STEP: f64 = 0.5;
/// A part of a motion is not halved more often than this.
const DEEPEST: u32 = 48;
/// The most parts of a motion, over all cells of a body's surface.
const MAX_PARTS: usize = 1 << 26;

/// A body as cells, to be swept.
///
/// ```
/// use clearance_engine::{Pose, motion::{SweptBody, SweptVolume}, shape::Cuboid, tree::IntoGeometry};
/// let block = Cuboid::new(0.4, 0.4, 0.4)?.into_geometry();
/// let mut swept = SweptVolume::new(0.05)?;
/// let body = SweptBody::new(&*block, 0.05)?;
/// swept.add(&body, &Pose::IDENTITY, 0.0)?;
/// swept.add_surface(&body, &Pose::from_xyz(0.02, 0.0, 0.0)?, 0.02)?;
/// assert!(swept.contains(clearance_engine::math::DVec3::X * 0.235));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SweptBody {
    /// The middles of all cells, and of those at the surface.
    cells: Vec<DVec3>,
    surface: Vec<DVec3>,
    /// The radius of spheres around them.
    radius: f64,
    /// By how much the cells of distance fields are farther from the body than others.
    field_error: f64,
}

impl SweptBody {
    /// The cells of a geometry for a volume of that resolution; an error for geometries that cannot be
    /// [drawn](VoxelMap::rasterize_geometry).
    pub fn new(geometry: &dyn Geometry, resolution: f64) -> Result<Self> {
        let mut map = VoxelMap::new(0.5 * resolution)?;
        map.rasterize_geometry(geometry, &Pose::IDENTITY, Cell::Obstacle)?;
        let grid = *map.grid();
        let (mut cells, mut surface) = (Vec::new(), Vec::new());
        map.each_cell(Cells::OBSTACLE, |cell, outer| {
            cells.push(grid.center(cell));
            if outer.contains(&true) {
                surface.push(grid.center(cell));
            }
        })?;
        let farthest = cells.iter().fold(0.0_f64, |most, cell| most.max(cell.abs().max_element()));
        let radius = 0.25 * 3.0_f64.sqrt() * resolution + 64.0 * UNIT_ROUNDOFF * (farthest + resolution);
        Ok(Self { cells, surface, radius, field_error: error_of_fields(geometry) })
    }
}

/// The cells that a body can touch along its motion.
///
/// It is a voxel map: queries against it are those against its
/// [obstacles](VoxelMap::obstacles).
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, math::DVec3, motion::{Motion, SweptVolume}, shape::{Cuboid, Sphere}, tree::IntoGeometry};
/// // A door turns by a right angle about an edge.
/// let door = Cuboid::new(1.0, 0.05, 2.0)?.into_geometry();
/// let half_turn = DVec3::Z * std::f64::consts::FRAC_PI_2;
/// let opens = Motion::screw(&Pose::from_xyz(0.5, 0.0, 1.0)?, DVec3::ZERO, half_turn, 0.0, 1.0)?;
/// let mut swept = SweptVolume::of(&*door, &opens, 0.02)?;
/// assert!(swept.contains(DVec3::new(0.6, 0.6, 1.0)) && !swept.contains(DVec3::new(-0.5, 0.5, 1.0)));
/// let mut stool = Pair::new(swept.map_mut().obstacles()?, Sphere::new(0.2)?)?;
/// assert!(stool.collides(Pose::from_xyz(0.5, 0.5, 0.2)?) && !stool.collides(Pose::from_xyz(1.0, 1.0, 0.2)?));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug)]
pub struct SweptVolume {
    map: VoxelMap,
    /// The largest of the bodies.
    field_error: f64,
}

impl SweptVolume {
    /// Nothing yet, in cells of that size.
    pub fn new(resolution: f64) -> Result<Self> {
        Ok(Self { map: VoxelMap::new(resolution)?, field_error: 0.0 })
    }

    /// What a geometry sweeps along a motion.
    pub fn of(geometry: &dyn Geometry, motion: &Motion, resolution: f64) -> Result<Self> {
        let mut swept = Self::new(resolution)?;
        let body = SweptBody::new(geometry, resolution)?;
        swept.add(&body, &motion.pose(0.0), motion.displacement(0.0, 0.0, &around(&body)))?;
        let step = STEP * resolution;
        let (mut parts, mut count) = (Vec::new(), 0_usize);
        let refuse = |why: &str| {
            let message = format!("a motion cannot be swept in cells of {}: {why}", Readable(resolution));
            Err(Error::new(ErrorKind::OutOfRange, message))
        };
        for &center in &body.surface {
            let sphere = BoundingSphere { center, radius: body.radius };
            parts.push((0.0, motion.duration(), 0));
            while let Some((from, to, depth)) = parts.pop() {
                count += 1;
                if count > MAX_PARTS {
                    return refuse("it has too many parts in which the body gets no farther than half a cell");
                }
                let moved = motion.displacement(from, to, &sphere);
                if moved > step && motion.displacement(from, from, &sphere) > 0.5 * moved {
                    return refuse("rounding is most of what the body moves");
                }
                let middle = 0.5 * (from + to);
                if moved > step && depth < DEEPEST && from < middle && middle < to {
                    parts.extend([(from, middle, depth + 1), (middle, to, depth + 1)]);
                    continue;
                }
                let place = motion.pose(from).transform_point(center);
                swept.cover(place, body.radius + moved)?;
            }
        }
        Ok(swept)
    }

    fn cover(&mut self, center: DVec3, radius: f64) -> Result<()> {
        self.map.cover(&BoundingSphere { center, radius }, Cell::Obstacle)
    }

    /// Adds what a body is and sweeps while none of its points is farther than `moved` from where a pose
    /// has it.
    pub fn add(&mut self, body: &SweptBody, pose: &Pose, moved: f64) -> Result<()> {
        self.field_error = self.field_error.max(body.field_error);
        let radius = body.radius + moved;
        body.cells.iter().try_for_each(|&cell| self.cover(pose.transform_point(cell), radius))
    }

    /// Adds what a body's surface sweeps while none of its points is farther than `moved` from where a
    /// pose has it: all that there is to add to a body that was [added](Self::add) where its motion
    /// starts.
    pub fn add_surface(&mut self, body: &SweptBody, pose: &Pose, moved: f64) -> Result<()> {
        self.field_error = self.field_error.max(body.field_error);
        let radius = body.radius + moved;
        body.surface.iter().try_for_each(|&cell| self.cover(pose.transform_point(cell), radius))
    }

    /// The cells: obstacles are what can be touched, all others are free.
    pub fn map(&self) -> &VoxelMap {
        &self.map
    }

    /// The same, to be changed or asked for a geometry.
    pub fn map_mut(&mut self) -> &mut VoxelMap {
        &mut self.map
    }

    /// No point of an obstacle cell is farther from the swept volume, if no step of
    /// [`add_surface`](Self::add_surface) was longer than half a cell. Of bodies that are distance
    /// fields it has twice the field's error too.
    pub fn error(&self) -> f64 {
        ERROR * self.map.grid().resolution() + self.field_error
    }

    /// Whether a point is in one of the cells. The body never gets to points outside.
    pub fn contains(&self, point: DVec3) -> bool {
        self.map.cell_at(point).is_ok_and(|cell| cell == Cell::Obstacle)
    }

    /// The surface of the cells as a closed mesh; an error if there are none.
    pub fn mesh(&self) -> Result<TriMesh> {
        self.map.surface(Cells::OBSTACLE)
    }

    /// How far a body may move between two poses that are added, for the [error](Self::error) to hold.
    pub fn step(&self) -> f64 {
        STEP * self.map.grid().resolution()
    }
}

/// A sphere about the origin around a body.
fn around(body: &SweptBody) -> BoundingSphere {
    let farthest = body.cells.iter().fold(0.0_f64, |most, cell| most.max(cell.length()));
    BoundingSphere { center: DVec3::ZERO, radius: farthest + body.radius }
}
