//! parry3d in f32 and f64. It restarts the second tree for every leaf of the first, so it is asked
//! about few poses.

use super::{Answers, Engine, Query, Sweep};
use crate::convex_scenes::is_convex;
use crate::{Error, Result, Scene, timing};
use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long one pass may take; the number of poses follows from it.
const PASS: Duration = Duration::from_millis(500);

/// The same engine over one of parry's two crates.
macro_rules! parry_engine {
    ($(#[$doc:meta])* $engine:ident, $pose:ident, $parry:ident, $real:ty, $name:literal, $allowed:literal) => {
        /// A pose as parry has it.
        pub(crate) fn $pose(pose: &clearance_engine::Pose) -> $parry::math::Pose {
            let (t, q) = (pose.translation(), clearance_engine::math::DQuat::from_mat3(pose.rotation()));
            let rotation = $parry::math::Rotation::from_xyzw(q.x as $real, q.y as $real, q.z as $real, q.w as $real);
            let translation = $parry::math::Vector::new(t.x as $real, t.y as $real, t.z as $real);
            $parry::math::Pose::from_parts(translation, rotation)
        }

        $(#[$doc])*
        #[derive(Default)]
        pub struct $engine {
            scene: Option<($parry::shape::SharedShape, $parry::shape::SharedShape, Scene)>,
            /// The poses of each query: the same in every round.
            few: HashMap<Query, Vec<usize>>,
        }

        impl $engine {
            /// A mesh, or, where that is asked for, the hull of one.
            pub(crate) fn body(tri_mesh: &clearance_engine::TriMesh, convex: bool) -> Result<$parry::shape::SharedShape> {
                let vertex = |v: &clearance_engine::math::DVec3| {
                    $parry::math::Vector::new(v.x as $real, v.y as $real, v.z as $real)
                };
                let vertices: Vec<_> = tri_mesh.vertices().iter().map(vertex).collect();
                if convex {
                    let hull = $parry::shape::SharedShape::convex_hull(&vertices);
                    return hull.ok_or_else(|| Error::other("parry: the hull has no volume"));
                }
                $parry::shape::SharedShape::trimesh(vertices, tri_mesh.triangles().to_vec())
                    .map_err(|error| Error::other(format!("parry: {error}")))
            }

            /// The poses' numbers, so few that a pass over them is short, evenly spread.
            fn few(&mut self, query: Query) -> Result<Vec<usize>> {
                if let Some(known) = self.few.get(&query) {
                    return Ok(known.clone());
                }
                let count = self.scene.as_ref().map_or(0, |(_, _, scene)| scene.poses.len());
                let start = Instant::now();
                let mut tried = 0;
                while tried < count && (tried == 0 || start.elapsed() < PASS / 4) {
                    // A stride that is coprime to every scene's length.
                    black_box(self.ask(query, (tried * 7919) % count)?);
                    tried += 1;
                }
                let each = start.elapsed() / tried.max(1) as u32;
                let wanted = (PASS.as_secs_f64() / each.as_secs_f64().max(1e-9)).ceil().min(count as f64) as usize;
                let few: Vec<usize> = (0..wanted).map(|i| i * count / wanted).collect();
                self.few.insert(query, few.clone());
                Ok(few)
            }

            fn ask(&self, query: Query, i: usize) -> Result<f64> {
                let (a, b, scene) = self.scene.as_ref().ok_or_else(|| Error::other("no scene is loaded"))?;
                let a_from_b = $pose(&scene.poses[i]);
                let identity = $parry::math::Pose::IDENTITY;
                let refused = |error| Error::other(format!("parry: {error}"));
                Ok(match query {
                    Query::Collide => {
                        let answer = $parry::query::intersection_test(&identity, &**a, &a_from_b, &**b).map_err(refused)?;
                        f64::from(answer.intersecting)
                    }
                    Query::Penetration => {
                        let answer = $parry::query::contact(&identity, &**a, &a_from_b, &**b, 0.0).map_err(refused)?;
                        answer.map_or(0.0, |contact| -f64::from(contact.dist))
                    }
                    _ => f64::from($parry::query::distance(&identity, &**a, &a_from_b, &**b).map_err(refused)?.distance),
                })
            }
        }

        impl Engine for $engine {
            fn name(&self) -> &str {
                $name
            }

            fn answers_to(&self, query: Query) -> bool {
                matches!(query, Query::Distance | Query::Collide | Query::Build | Query::Penetration)
            }

            fn load(&mut self, scene: &Scene) -> Result<()> {
                self.few.clear();
                let convex = is_convex(scene.name);
                self.scene = Some((Self::body(&scene.a, convex)?, Self::body(&scene.b, convex)?, scene.clone()));
                Ok(())
            }

            fn sweep(&mut self, query: Query) -> Result<Sweep> {
                if query == Query::Build {
                    let (_, _, scene) = self.scene.as_ref().ok_or_else(|| Error::other("no scene is loaded"))?;
                    let us = timing::shortest_us(|| Self::body(&scene.a, false));
                    return Ok(Sweep { us, n: scene.a.len() });
                }
                let poses = self.few(query)?;
                let us = timing::shortest_us(|| {
                    for &i in &poses {
                        black_box(self.ask(query, i).is_ok());
                    }
                });
                Ok(Sweep { us: us / poses.len().max(1) as f64, n: poses.len() })
            }

            fn answers(&mut self, query: Query) -> Result<Answers> {
                let poses = if query == Query::Build { Vec::new() } else { self.few(query)? };
                let values = poses.iter().map(|&i| self.ask(query, i)).collect::<Result<_>>()?;
                Ok(Answers { poses, values, allowed: $allowed })
            }
        }
    };
}

parry_engine!(
    /// parry3d, f32.
    Parry32, pose_f32, parry3d, f32, "parry-f32", 1e-5
);
parry_engine!(
    /// parry3d-f64.
    Parry64, pose_f64, parry3d_f64, f64, "parry-f64", 1e-9
);
