//! Height fields (terrain): heights over a regular grid as a geometry.
//!
//! The grid stays as it is: queries make triangles of it on the fly. A cell's vertices p₀₀, p₁₀,
//! p₁₁, p₀₁ make two, split along p₀₀–p₁₁. Above them stands a quadtree, whose leaves are 2 × 2
//! cells: the boxes of its levels are those of a mipmap of the lowest and highest heights. Memory:
//! 8 bytes a height and 15 a cell.
//!
//! A *solid* height field also has the walls around it and the ground below, as triangles of their
//! own: the walls in the leaves at the border, the ground in a leaf beside the quadtree.
//!
//! Invariant: nodes stand level by level, the children of one side by side; a box contains those of
//! its children. Cost: 50 ns a cell to build.

use super::rays::cast_at_triangles;
use super::{Geometry, Node, Tree, VolumeTree, next_revision};
use crate::math::{DVec3, Frame, LARGEST_COORDINATE, volume};
use crate::shape::{Ray, RayGoal};
use crate::volume::{Aabb, BoundingSphere, Volume};
use crate::{Error, ErrorKind, Readable, Result, Triangle};
use smallvec::SmallVec;
use std::sync::Arc;

/// Cells along each side of a leaf.
const LEAF: usize = 2;
/// The maximum number of cells; more would not leave room for the numbers of their triangles.
const MAX_CELLS: usize = 1 << 29;

/// Numbers of a leaf's triangles: at most two for each of four cells and each of eight border
/// edges.
type Numbers = SmallVec<[u32; 24]>;

/// The contents of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Below {
    /// The cells from (column, row) on, [`LEAF`] · 2^level along each side, as far as the grid has
    /// any.
    Cells { column: u32, row: u32, level: u8 },
    /// Everything: the quadtree, and the ground of a solid.
    All,
    /// The ground of a solid.
    Ground,
}

#[derive(Debug, Clone, Copy)]
struct QuadtreeNode {
    below: Below,
    /// The first child.
    child: Node,
    /// The number of children, 0 for a leaf.
    children: u8,
}

/// A height field (terrain): heights over a regular grid. It is a surface, unless [made
/// solid](HeightField::into_solid).
///
/// ```
/// use clearance_engine::{Pose, dispatch::Dispatcher, traversal::Workspace, math::DVec3, query::DistanceRequest};
/// use clearance_engine::{shape::Sphere, tree::{HeightField, Solid}};
/// // Three columns, 0.5 apart, and two rows, 1 apart: a ridge along y.
/// let ridge = HeightField::new(3, 2, [0.5, 1.0], vec![0.0, 0.25, 0.0, 0.0, 0.25, 0.0])?;
/// let (dispatcher, sphere) = (Dispatcher::standard(), Solid::new(Sphere::new(0.25)?));
/// let above = Pose::from_translation(DVec3::new(0.5, 0.5, 1.0))?;
/// let plan = dispatcher.plan(&ridge, &sphere)?;
/// let answer = plan.distance(&above, &DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!(answer.lower <= 0.5 && 0.5 <= answer.upper && answer.upper - answer.lower < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct HeightField {
    /// The number of columns of heights.
    columns: usize,
    rows: usize,
    spacing: [f64; 2],
    heights: Arc<[f64]>,
    /// The height of the ground, if it is solid.
    base: Option<f64>,
    nodes: Vec<QuadtreeNode>,
    volumes: Vec<Aabb>,
    frame: Frame,
    bounds: (DVec3, DVec3),
    sphere: BoundingSphere,
    revision: u64,
}

impl HeightField {
    /// Creates the surface through the heights of a grid: `heights[row * columns + column]` stands
    /// at `(column * spacing[0], row * spacing[1])`.
    ///
    /// There must be at least two rows and columns, and all numbers must be finite.
    pub fn new(columns: usize, rows: usize, spacing: [f64; 2], heights: impl Into<Arc<[f64]>>) -> Result<Self> {
        let heights = heights.into();
        check(columns, rows, spacing, &heights)?;
        Ok(Self::built(columns, rows, spacing, heights, None))
    }

    /// Fills the space between the surface and the plane z = `base`: geometries inside of it
    /// collide. No height may be below the base.
    pub fn into_solid(self, base: f64) -> Result<Self> {
        if !(base.abs() <= LARGEST_COORDINATE && base <= self.bounds.0.z) {
            let lowest = self.bounds.0.z;
            let message = format!(
                "the base of a height field, {}, must not be above its lowest height, {}",
                Readable(base),
                Readable(lowest)
            );
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        Ok(Self::built(self.columns, self.rows, self.spacing, self.heights, Some(base)))
    }

    fn built(columns: usize, rows: usize, spacing: [f64; 2], heights: Arc<[f64]>, base: Option<f64>) -> Self {
        let bounds = heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |b, &h| (b.0.min(h), b.1.max(h)));
        let low = DVec3::new(0.0, 0.0, base.unwrap_or(bounds.0));
        let high = DVec3::new((columns - 1) as f64 * spacing[0], (rows - 1) as f64 * spacing[1], bounds.1);
        let sphere = BoundingSphere::around(&[low, high]);
        let (frame, revision) = (Frame::around(low, high), next_revision());
        let (nodes, volumes, bounds) = (Vec::new(), Vec::new(), (low, high));
        let mut field = Self { columns, rows, spacing, heights, base, nodes, volumes, frame, bounds, sphere, revision };
        field.list_nodes();
        field.fit_volumes();
        field
    }

    /// Lists the nodes level by level.
    fn list_nodes(&mut self) {
        let size = (self.columns - 1).max(self.rows - 1);
        let level = (0..).find(|&level| LEAF << level >= size).unwrap_or(0);
        let all = Below::Cells { column: 0, row: 0, level };
        let mut below = vec![if self.base.is_some() { Below::All } else { all }];
        let mut next = 0;
        while let Some(&node) = below.get(next) {
            let child = below.len();
            match node {
                Below::All => below.extend([all, Below::Ground]),
                Below::Ground | Below::Cells { level: 0, .. } => {}
                Below::Cells { column, row, level } => {
                    let (level, half) = (level - 1, (LEAF << (level - 1)) as u32);
                    for row in [row, row + half].into_iter().filter(|&row| (row as usize) < self.rows - 1) {
                        let columns = [column, column + half].into_iter();
                        let columns = columns.filter(|&column| (column as usize) < self.columns - 1);
                        below.extend(columns.map(|column| Below::Cells { column, row, level }));
                    }
                }
            }
            self.nodes.push(QuadtreeNode { below: node, child: child as Node, children: (below.len() - child) as u8 });
            next += 1;
        }
    }

    /// Fits the boxes, from the leaves upward.
    fn fit_volumes(&mut self) {
        let mut boxes = vec![(DVec3::INFINITY, DVec3::NEG_INFINITY); self.nodes.len()];
        let around = |a: (DVec3, DVec3), b: (DVec3, DVec3)| (a.0.min(b.0), a.1.max(b.1));
        for number in (0..self.nodes.len()).rev() {
            let node = &self.nodes[number];
            let children = node.child as usize..node.child as usize + usize::from(node.children);
            boxes[number] = if children.is_empty() {
                let vertices = self.numbers(number as Node).into_iter().flat_map(|id| self.triangle_at(id).0);
                vertices.map(|vertex| self.frame.store(vertex)).fold(boxes[number], |all, p| around(all, (p, p)))
            } else {
                boxes[children].iter().copied().fold(boxes[number], around)
            };
        }
        // The box around two opposite corners is the box itself.
        self.volumes = boxes.into_iter().map(|(low, high)| Aabb::fit(&[Triangle([low, high, high])], &())).collect();
    }

    /// The number of columns and rows of heights.
    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// The distances of neighbours in a row and in a column.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// The height of the ground, if it is solid.
    pub fn base(&self) -> Option<f64> {
        self.base
    }

    /// The heights, row by row.
    pub fn heights(&self) -> &Arc<[f64]> {
        &self.heights
    }

    /// Whether geometries between the surface and the base collide.
    pub fn is_solid(&self) -> bool {
        self.base.is_some()
    }

    /// The number of triangles, with walls and ground if it is solid.
    pub fn triangle_count(&self) -> usize {
        let (across, along) = (self.columns - 1, self.rows - 1);
        2 * across * along + if self.is_solid() { 4 * (across + along) + 2 } else { 0 }
    }

    /// A point of the surface: that of the first height.
    pub fn vertex(&self) -> DVec3 {
        self.point(0, 0)
    }

    #[inline]
    fn point(&self, column: usize, row: usize) -> DVec3 {
        let height = self.heights[row * self.columns + column];
        DVec3::new(column as f64 * self.spacing[0], row as f64 * self.spacing[1], height)
    }

    /// The triangles of a leaf: first those of its cells, then those of the walls there.
    fn numbers(&self, node: Node) -> Numbers {
        let (across, along) = (self.columns - 1, self.rows - 1);
        let (cells, edges) = (across * along, 2 * (across + along));
        let pair = |number: usize| [2 * number as u32, 2 * number as u32 + 1];
        let Below::Cells { column, row, .. } = self.nodes[node as usize].below else {
            return Numbers::from_iter(pair(cells + edges));
        };
        let columns = column as usize..(column as usize + LEAF).min(across);
        let rows = row as usize..(row as usize + LEAF).min(along);
        let inside = rows.clone().flat_map(|row| columns.clone().map(move |column| row * across + column));
        let mut numbers: Numbers = inside.flat_map(pair).collect();
        if self.is_solid() {
            // Walls are numbered by their edges: along the first and the last row, then the first
            // and the last column.
            let walls = [
                (rows.start == 0, &columns, 0),
                (rows.end == along, &columns, across),
                (columns.start == 0, &rows, 2 * across),
                (columns.end == across, &rows, 2 * across + along),
            ];
            for (_, edges, first) in walls.into_iter().filter(|(there, ..)| *there) {
                numbers.extend(edges.clone().flat_map(|edge| pair(cells + first + edge)));
            }
        }
        numbers
    }

    /// The triangle of a number that [`numbers`](Self::numbers) gives.
    fn triangle_at(&self, id: u32) -> Triangle {
        let (across, along) = (self.columns - 1, self.rows - 1);
        let (number, second) = (id as usize / 2, id % 2 == 1);
        let split = |[p, q, r, s]: [DVec3; 4]| Triangle(if second { [p, r, s] } else { [p, q, r] });
        let cells = across * along;
        if number < cells {
            let (row, column) = (number / across, number % across);
            let point = |i: usize, j: usize| self.point(column + i, row + j);
            return split([point(0, 0), point(1, 0), point(1, 1), point(0, 1)]);
        }
        let base = self.base.unwrap_or(self.bounds.0.z);
        let down = |p: DVec3| DVec3::new(p.x, p.y, base);
        let edge = number - cells;
        let (from, to) = if edge < 2 * across {
            let (column, row) = (edge % across, if edge < across { 0 } else { along });
            (self.point(column, row), self.point(column + 1, row))
        } else if edge < 2 * (across + along) {
            let edge = edge - 2 * across;
            let (row, column) = (edge % along, if edge < along { 0 } else { across });
            (self.point(column, row), self.point(column, row + 1))
        } else {
            let far = |i: usize, j: usize| down(self.point(i * across, j * along));
            return split([far(0, 0), far(1, 0), far(1, 1), far(0, 1)]);
        };
        split([from, to, down(to), down(from)])
    }

    /// Whether a point is in a solid height field: above its base, and not above the triangle
    /// there.
    pub fn contains(&self, point: DVec3) -> bool {
        let (low, high) = self.bounds;
        if !(self.is_solid() && low.cmple(point).all() && point.cmple(high).all()) {
            return false;
        }
        // The quotient is rounded: the cell may be its neighbour.
        let cell = |at: f64, step: f64, cells: usize| {
            let near = ((at / step) as usize).min(cells - 1);
            let below = near > 0 && at < near as f64 * step;
            let above = near + 1 < cells && at > (near + 1) as f64 * step;
            near + usize::from(above) - usize::from(below)
        };
        let column = cell(point.x, self.spacing[0], self.columns - 1);
        let row = cell(point.y, self.spacing[1], self.rows - 1);
        let (start, end) = (self.point(column, row), self.point(column + 1, row + 1));
        let plain = |p: DVec3| robust::Coord { x: p.x, y: p.y };
        // Left of the line between the two triangles is the second one.
        let second = robust::orient2d(plain(start), plain(end), plain(point)) > 0.0;
        let number = 2 * (row * (self.columns - 1) + column) as u32 + u32::from(second);
        let [p, q, r] = self.triangle_at(number).0;
        // Negative below a triangle that turns left, seen from above.
        volume(p, q, r, point) <= 0.0
    }
}

/// Rejects numbers that are no grid of heights.
fn check(columns: usize, rows: usize, spacing: [f64; 2], heights: &[f64]) -> Result<()> {
    let refuse = |kind, message: String| Err(Error::new(kind, message));
    if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(heights.len()) || heights.len() > MAX_CELLS {
        let count = heights.len();
        let message = format!("a height field of {columns} columns and {rows} rows cannot have {count} heights");
        return refuse(ErrorKind::OutOfRange, message);
    }
    for (step, count) in spacing.into_iter().zip([columns, rows]) {
        if !(step > 0.0 && step * count as f64 <= LARGEST_COORDINATE) {
            let message = format!(
                "the spacing of a height field must be positive and below 1e100 in all, not {}",
                Readable(step)
            );
            return refuse(ErrorKind::OutOfRange, message);
        }
    }
    let allowed = -LARGEST_COORDINATE..=LARGEST_COORDINATE;
    match heights.iter().position(|height| !allowed.contains(height)) {
        Some(at) => refuse(
            ErrorKind::NotFinite,
            format!("height {at} is not finite or beyond 1e100: {}", Readable(heights[at])),
        ),
        None => Ok(()),
    }
}

impl Tree for HeightField {
    fn root(&self) -> Node {
        0
    }

    fn is_leaf(&self, node: Node) -> bool {
        self.nodes[node as usize].children == 0
    }

    fn child(&self, node: Node, lane: usize) -> Node {
        self.nodes[node as usize].child + lane as Node
    }

    fn size(&self, node: Node) -> f32 {
        (self.volumes[node as usize].size() / self.frame.scale) as f32
    }
}

impl VolumeTree for HeightField {
    type Volume = Aabb;
    type Shape = Triangle;

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn volume(&self, node: Node) -> &Aabb {
        &self.volumes[node as usize]
    }

    fn block(&self, node: Node) -> &[Aabb] {
        let node = &self.nodes[node as usize];
        &self.volumes[node.child as usize..node.child as usize + usize::from(node.children)]
    }

    fn shapes(&self, node: Node) -> impl Iterator<Item = (u32, Triangle)> {
        self.numbers(node).into_iter().map(|id| (id, self.triangle_at(id)))
    }

    fn shape(&self, id: u32) -> Option<Triangle> {
        ((id as usize) < self.triangle_count()).then(|| self.triangle_at(id))
    }

    fn extent(&self) -> f64 {
        self.bounds.0.abs().max(self.bounds.1.abs()).length()
    }
}

impl Geometry for HeightField {
    fn kind(&self) -> &'static str {
        "height field"
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        self.sphere
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        self.bounds
    }

    fn leaf_triangle(&self, number: u32) -> Option<Triangle> {
        self.shape(number)
    }

    fn cast_ray(&self, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
        cast_at_triangles(self, ray, goal);
        Ok(())
    }
}
