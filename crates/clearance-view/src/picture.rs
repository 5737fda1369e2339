//! One frame of a recording as a picture, for reports and terminals: the nearest two bodies, near
//! and from afar.

use crate::recording::Recording;
use crate::tessellate::{self, Look};
use crate::{BodyId, Result};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_scene::picture::{Camera, Color, Picture};

/// Where the camera looks from.
const OUTLOOK: DVec3 = DVec3::new(-0.72, -0.62, 0.42);
const RED: Color = [224, 49, 49];
const LINE: Color = [194, 37, 92];
/// Of cells these are drawn, the nearest ones to what is looked at: pictures are drawn by the
/// processor.
const MAX_CELLS: usize = 20_000;

impl Recording {
    /// The poses of all bodies in the world at a frame.
    pub fn poses(&self, frame: usize) -> Result<Vec<Pose>> {
        let mut all: Vec<Pose> =
            self.bodies.iter().map(|body| body.poses.get(frame).copied().unwrap_or(body.pose)).collect();
        let mut poses = Vec::new();
        for robot in &self.robots {
            robot.robot.link_poses(&robot.base, &robot.configurations[frame], &mut poses)?;
            all[robot.first_body..robot.first_body + poses.len()].copy_from_slice(&poses);
        }
        Ok(all)
    }

    /// A picture of a frame that looks at the robots, or at everything where there is none. What
    /// collides is red; the shortest line of `clearance`, by its number, has a close-up.
    ///
    /// ```
    /// use clearance_engine::{Pose, shape::Sphere, tree::Solid};
    /// let mut recording = clearance_view::Recording::new("a ball");
    /// recording.add_object("ball", &Solid::new(Sphere::new(0.1)?), &Pose::IDENTITY)?;
    /// assert_eq!(&recording.picture(0, None, [64, 48])?.encode()?[1..4], b"PNG");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn picture(&self, frame: usize, clearance: Option<usize>, [width, height]: [u32; 2]) -> Result<Picture> {
        let poses = self.poses(frame)?;
        let witness = clearance.and_then(|number| self.clearances[number].witnesses[frame].as_ref());
        let ends = witness.map(|witness| witness.points.map(DVec3::from_array));
        let camera = self.camera(&poses, ends, f64::from(width) / f64::from(height));
        let mut picture = self.drawn(frame, camera, [width, height])?;
        if let Some([a, b]) = ends {
            picture.draw_line(a, b, LINE, 4.0);
            let (middle, line) = ((a + b) * 0.5, b - a);
            // Across the line, from the same side, and from so near that it is easily seen.
            let side = (camera.eye - middle).reject_from(line.try_normalize().unwrap_or(DVec3::Z));
            let side = side.normalize_or(DVec3::X);
            picture.set_inset(Camera::looking(middle + side * (8.0 * line.length()).max(0.3), middle));
        }
        Ok(picture)
    }

    /// A picture of a frame from a place of your own, without lines.
    pub fn drawn(&self, frame: usize, camera: Camera, [width, height]: [u32; 2]) -> Result<Picture> {
        let poses = self.poses(frame)?;
        let mut picture = Picture::new(width, height, camera);
        for (number, body) in self.bodies.iter().enumerate() {
            if body.during.is_some_and(|[from, to]| !(from..=to).contains(&frame)) {
                continue;
            }
            let red = self.collides(number, frame);
            for drawn in &body.drawn {
                let pose = poses[number].then(&drawn.body_from_drawn);
                match &drawn.look {
                    Look::Surface { mesh, colors: Some(colors) } if !red => picture.draw_colored(mesh, &pose, colors),
                    Look::Surface { mesh, .. } => picture.draw_mesh(mesh, &pose, if red { RED } else { body.color }),
                    Look::Cells { centers, size, .. } => {
                        let cube = tessellate::cube(*size)?;
                        let mut places: Vec<DVec3> =
                            centers.iter().map(|c| pose.transform_point(c.map(f64::from).into())).collect();
                        places.sort_by(|a, b| {
                            a.distance_squared(camera.target).total_cmp(&b.distance_squared(camera.target))
                        });
                        for place in places.into_iter().take(MAX_CELLS) {
                            let color = if red { RED } else { body.color };
                            picture.draw_mesh(&cube, &Pose::from_matrix(*pose.rotation(), place)?, color);
                        }
                    }
                }
            }
        }
        Ok(picture)
    }

    /// The frame and the number of the clearance that are nearest, if there are any.
    pub fn nearest(&self) -> Option<(usize, usize)> {
        let numbered = self.clearances.iter().enumerate();
        let all = numbered.flat_map(|(number, clearance)| {
            let upper = clearance.upper.iter().zip(&clearance.witnesses).enumerate();
            upper.filter_map(move |(frame, (upper, witness))| witness.is_some().then_some(((*upper)?, frame, number)))
        });
        all.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, frame, number)| (frame, number))
    }

    /// Whether a body collides at a frame.
    fn collides(&self, body: BodyId, frame: usize) -> bool {
        let near = self.near.get(frame).into_iter().flatten();
        near.into_iter().any(|pair| pair.colliding && (pair.a == body || pair.b == body))
    }

    /// A camera that sees the robots and the ends of the line.
    fn camera(&self, poses: &[Pose], ends: Option<[DVec3; 2]>, aspect: f64) -> Camera {
        let links = self.bodies.iter().any(|body| body.link.is_some() && !body.drawn.is_empty());
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut add = |point: DVec3| (low, high) = (low.min(point), high.max(point));
        ends.into_iter().flatten().for_each(&mut add);
        for (number, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.link.is_some() == links) {
            for drawn in &body.drawn {
                let pose = poses[number].then(&drawn.body_from_drawn);
                match &drawn.look {
                    Look::Surface { mesh, .. } => mesh.vertices().iter().for_each(|v| add(pose.transform_point(*v))),
                    Look::Cells { centers, .. } => {
                        centers.iter().for_each(|c| add(pose.transform_point(c.map(f64::from).into())));
                    }
                }
            }
        }
        if !low.is_finite() {
            (low, high) = (DVec3::ZERO, DVec3::ONE);
        }
        let (center, radius) = ((low + high) * 0.5, (0.5 * (high - low).length()).max(1e-3));
        let camera = Camera::looking(center + OUTLOOK, center);
        let distance = radius / (0.5 * camera.field_of_view).sin() / aspect.min(1.0);
        Camera { eye: center + OUTLOOK.normalize() * distance, ..camera }
    }
}
