//! A robot in its surroundings that answers a page: while a slider or an object moves.

use crate::facts::finite;
use crate::model;
use crate::volumes::{Kind, Volumes};
use crate::{BodyId, Error, Observer, Recording, Result, RobotId};
use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::volume::BoundingSphere;
use clearance_robot::{Checker, ErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A robot of a recording in its scene, to be asked about other configurations and other places of
/// the objects.
///
/// A page asks in JSON and reads JSON; [`Server::with_live`](crate::Server::with_live) and a page
/// with the engine in it ([`live_html`](crate::live_html)) give the same answers.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::Sphere};
/// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// use clearance_view::{Live, Recording};
/// let ball = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
/// let slide = JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0]);
/// let robot = RobotBuilder::new("r").link("base", []).link("hand", [ball]).joint(slide).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 1.0)?)?;
/// let mut recording = Recording::new("lift");
/// let robot = recording.add_robot(checker.robot(), &checker.base(), None)?;
/// let bodies = recording.add_scene(checker.scene())?;
/// let mut live = Live::new(checker, &recording, robot, Some(bodies), 0.02);
/// let answer = live.answer("{\"row\": [0.5], \"moved\": [[2, [0, 0, 0.9, 1, 0, 0, 0]]]}")?;
/// assert!(answer.contains("\"upper\":[0.2"), "{answer}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Live {
    checker: Checker,
    /// Which body the first link is.
    first_link: BodyId,
    objects: Option<Vec<Object>>,
    near: f64,
    volumes: Volumes,
}

/// An object that pages may move.
#[derive(Clone, Serialize, Deserialize)]
struct Object {
    name: String,
    body: BodyId,
    #[serde(skip, default = "at_origin")]
    pose: Pose,
}

fn at_origin() -> Pose {
    Pose::IDENTITY
}

/// What a page asks.
#[derive(Deserialize)]
#[serde(untagged)]
enum Asked {
    /// Distances, gradients, contacts.
    Moment {
        row: Vec<f64>,
        /// Objects that are elsewhere: body, and pose as seven numbers.
        #[serde(default)]
        moved: Vec<(BodyId, [f64; 7])>,
    },
    /// The bounding volumes of some bodies at a level of their hierarchies.
    Volumes { volumes: Kind, level: usize },
    /// Where a link can be at all within the joint limits.
    Reach { reach: BodyId },
}

/// What bytes of a model hold beside the checker.
#[derive(Serialize, Deserialize)]
struct Names {
    first_link: BodyId,
    objects: Option<Vec<Object>>,
    near: f64,
}

impl Live {
    /// The robot of a recording, asked by its checker; `bodies` are the objects of the checker's scene
    /// in their order, and `None` leaves the scene out. Links within `near` metres are near.
    pub fn new(
        checker: Checker,
        recording: &Recording,
        robot: RobotId,
        bodies: Option<Vec<BodyId>>,
        near: f64,
    ) -> Self {
        let scene = checker.scene();
        let objects = bodies.map(|bodies| {
            let object = |(name, body): (&str, BodyId)| {
                let pose = scene.pose(name).unwrap_or(Pose::IDENTITY);
                Object { name: name.to_owned(), body, pose }
            };
            scene.names().zip(bodies).map(object).collect()
        });
        Self { first_link: recording.link_body(robot, 0), objects, near, volumes: Volumes::default(), checker }
    }

    /// The answer to a page's question, as JSON; an error for a question that makes no sense.
    pub fn answer(&mut self, question: &str) -> Result<String> {
        let asked: Asked =
            serde_json::from_str(question).map_err(|error| Error::Mismatch(format!("the question: {error}")))?;
        match asked {
            Asked::Moment { row, moved } => self.moment(&row, &moved),
            Asked::Volumes { volumes, level } => {
                let answer = self.volumes.answer(&self.checker, &self.bodies(), volumes, level)?;
                Ok(answer.to_string())
            }
            Asked::Reach { reach } => self.reach(reach),
        }
    }

    /// The bytes that [`load`](Self::load) reads; an error names a geometry that they cannot hold, such
    /// as one that a program made a kind of its own for.
    pub fn save(&self) -> Result<Vec<u8>> {
        let names = Names { first_link: self.first_link, objects: self.objects.clone(), near: self.near };
        let names = serde_json::to_vec(&names).map_err(|error| Error::Mismatch(error.to_string()))?;
        let length = u32::try_from(names.len()).map_err(|_| Error::Mismatch("too many objects".into()))?;
        Ok([&length.to_le_bytes()[..], &names, &model::save(&self.checker)?].concat())
    }

    /// What [`save`](Self::save) wrote.
    pub fn load(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::Mismatch("the model in this page is damaged".to_owned());
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (names, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
        let mut names: Names = serde_json::from_slice(names).map_err(|error| Error::Mismatch(error.to_string()))?;
        let checker = model::load(rest)?;
        for object in names.objects.iter_mut().flatten() {
            object.pose = checker.scene().pose(&object.name)?;
        }
        let Names { first_link, objects, near } = names;
        Ok(Self { checker, first_link, objects, near, volumes: Volumes::default() })
    }

    /// The bodies of the scene's objects, in their order.
    fn bodies(&self) -> (BodyId, Vec<(String, BodyId)>) {
        let objects = self.objects.iter().flatten().map(|object| (object.name.clone(), object.body));
        (self.first_link, objects.collect())
    }

    fn moment(&mut self, row: &[f64], moved: &[(BodyId, [f64; 7])]) -> Result<String> {
        for object in self.objects.iter().flatten() {
            let elsewhere = moved.iter().find(|(body, _)| *body == object.body);
            let pose = match elsewhere {
                Some((_, [x, y, z, qw, qx, qy, qz])) => {
                    Pose::new(DQuat::from_xyzw(*qx, *qy, *qz, *qw), DVec3::new(*x, *y, *z))?
                }
                None => object.pose,
            };
            if self.checker.scene().pose(&object.name)? != pose {
                self.checker.scene_mut().set_pose(&object.name, pose)?;
            }
        }
        let bodies: Option<Vec<BodyId>> =
            self.objects.as_ref().map(|objects| objects.iter().map(|object| object.body).collect());
        let bodies = bodies.as_deref().filter(|bodies| !bodies.is_empty());
        let observer = Observer { checker: &self.checker, bodies, own: true, near: self.near };
        let found = observer.observe(&[row], self.first_link)?;
        serde_json::to_string(&found).map_err(|error| Error::Mismatch(error.to_string()))
    }

    /// Spheres in the world, four numbers each; none where nothing bounds the link.
    fn reach(&self, body: BodyId) -> Result<String> {
        let number = body.checked_sub(self.first_link);
        let link = number.and_then(|number| self.checker.robot().links().get(number));
        let link = link.ok_or_else(|| Error::Mismatch(format!("body {body} is no link of this robot")))?;
        let spheres = match self.checker.reach(link.name()) {
            Ok(reach) => Some(reach.spheres().to_vec()),
            Err(error) if error.kind() == ErrorKind::Unsupported => None,
            Err(error) => return Err(error.into()),
        };
        let numbers = spheres.map(|spheres| {
            let four = |sphere: &BoundingSphere| {
                let [x, y, z] = sphere.center.to_array();
                [x, y, z, sphere.radius].map(finite)
            };
            spheres.iter().map(four).collect::<Vec<_>>()
        });
        Ok(json!({ "spheres": numbers }).to_string())
    }
}
