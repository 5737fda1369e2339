//! Which function runs for which two geometries: [`table`](self) of the built-in pairs, plus what
//! users register at run time.
//!
//! A [`Dispatcher`] is a value: different parts of a program may use different ones. It is asked
//! once per query, or once per pair of parts of a composite ([`Dispatcher::plan`]); what it hands
//! out is a monomorphised traversal.

mod assemblies;
mod batch;
mod pair;
mod pair_query;
mod table;

pub use assemblies::Assemblies;
pub use batch::{Runs, Threads, cast_rays, check_threads, in_runs, signed_distances};
pub use pair::{Pair, PairStream};
pub use pair_query::{
    AnyGoal, Bvh8AndPrimitive, Bvh8AndPrimitiveBvh, Bvh8Meshes, DistanceFields, HalfSpaces, HeightFieldAndPrimitiveBvh,
    HeightFields, MeshAndHalfSpace, MeshAndPrimitive, MeshAndPrimitiveBvh, Meshes, MixedMeshes, PairQuery, PairTest,
    PrimitiveBvhAndDistanceField, PrimitiveBvhAndHalfSpace, PrimitiveBvhAndPrimitive, PrimitiveBvhs, Primitives,
    Session, Trees,
};

use crate::tree::Geometry;
use crate::{Error, ErrorKind, Result};
use pair_query::{AnyTest, Typed};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, LazyLock};

/// A registered test.
#[derive(Clone)]
struct Entry {
    name: String,
    kinds: (&'static str, &'static str),
    test: Arc<dyn AnyTest>,
    /// See [`PairTest::allows_sphere_early_out`].
    allows_sphere_early_out: bool,
}

/// The tests for pairs of geometries; several may be registered for one pair, the first in the list
/// is used.
///
/// ```
/// use clearance_engine::{Pose, TriMesh, dispatch::Dispatcher, traversal::Workspace, math::DVec3, query::DistanceRequest, tree::Mesh, volume::Obb};
/// let triangle = |z| TriMesh::new(vec![DVec3::new(0., 0., z), DVec3::new(1., 0., z), DVec3::new(0., 1., z)], vec![[0, 1, 2]]);
/// let (a, b): (Mesh<Obb>, Mesh<Obb>) = (Mesh::new(triangle(0.0)?)?, Mesh::new(triangle(2.0)?)?);
/// let dispatcher = Dispatcher::standard();
/// let answer = dispatcher.plan(&a, &b)?.distance(&Pose::IDENTITY, &DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!(answer.lower <= 2.0 && 2.0 <= answer.upper);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Dispatcher {
    tests: HashMap<(TypeId, TypeId), Vec<Entry>, BuildHasherDefault<PairHasher>>,
}

/// Types' numbers are as good as random already: 5 ns instead of 25 for the general hash, twice a
/// pair of a robot's parts.
#[derive(Clone, Copy, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // Turned, so that (A, B) and (B, A) differ.
        self.0 = self.0.rotate_left(29) ^ number;
    }
}

impl Dispatcher {
    /// A dispatcher that knows nothing.
    pub fn empty() -> Self {
        Self::default()
    }

    /// A dispatcher with every pair that the engine has.
    pub fn standard() -> Self {
        let mut dispatcher = Self::empty();
        table::register(&mut dispatcher);
        dispatcher
    }

    /// The dispatcher with every pair that the engine has, made once and shared by all who ask.
    pub fn shared() -> &'static Arc<Self> {
        static SHARED: LazyLock<Arc<Dispatcher>> = LazyLock::new(|| Arc::new(Dispatcher::standard()));
        &SHARED
    }

    /// Registers `test` for `A` against `B` (and, mirrored, for `B` against `A` unless that has
    /// tests of its own) and uses it from now on. A test of the same name is replaced.
    pub fn register<A: Geometry, B: Geometry>(&mut self, name: &str, test: impl PairTest<A, B>) {
        let kinds = (short_name::<A>(), short_name::<B>());
        let allows_sphere_early_out = test.allows_sphere_early_out();
        let entry = Entry { name: name.to_owned(), kinds, test: Arc::new(Typed::new(test)), allows_sphere_early_out };
        let entries = self.tests.entry((TypeId::of::<A>(), TypeId::of::<B>())).or_default();
        entries.retain(|entry| entry.name != name);
        entries.insert(0, entry);
    }

    /// Makes an already registered test of `A` against `B` the one that is used.
    pub fn choose<A: Geometry, B: Geometry>(&mut self, name: &str) -> Result<()> {
        let entries = self.tests.entry((TypeId::of::<A>(), TypeId::of::<B>())).or_default();
        let position = entries.iter().position(|entry| entry.name == name).ok_or_else(|| unknown::<A, B>(name))?;
        entries[..=position].rotate_right(1);
        Ok(())
    }

    /// Removes a test of `A` against `B`; the one registered or chosen before it is used again.
    pub fn remove<A: Geometry, B: Geometry>(&mut self, name: &str) -> Result<()> {
        let entries = self.tests.entry((TypeId::of::<A>(), TypeId::of::<B>())).or_default();
        let position = entries.iter().position(|entry| entry.name == name).ok_or_else(|| unknown::<A, B>(name))?;
        entries.remove(position);
        Ok(())
    }

    /// Finds the test for two geometries; an error if there is none, never later.
    pub fn plan<'p>(&'p self, a: &'p dyn Geometry, b: &'p dyn Geometry) -> Result<PairQuery<'p>> {
        let (entry, swapped) = self.find(a, b)?;
        Ok(PairQuery::new(self, [a, b], entry, swapped))
    }

    /// The entry for two geometries, and whether it is one of B against A.
    fn find(&self, a: &dyn Geometry, b: &dyn Geometry) -> Result<(&Entry, bool)> {
        let (id_a, id_b) = ((a as &dyn Any).type_id(), (b as &dyn Any).type_id());
        let find = |key| self.tests.get(&key).and_then(|entries: &Vec<Entry>| entries.first());
        if let Some(entry) = find((id_a, id_b)) {
            entry.test.check(self, a, b)?;
            return Ok((entry, false));
        }
        if let Some(entry) = find((id_b, id_a)) {
            entry.test.check(self, b, a)?;
            return Ok((entry, true));
        }
        let message = format!("no test is registered for {} against {}", a.kind(), b.kind());
        Err(Error::new(ErrorKind::Unsupported, message))
    }

    /// All registered tests: first kind, second kind, name; sorted, and for each pair the one in
    /// use first.
    pub fn pairs(&self) -> Vec<(&'static str, &'static str, &str)> {
        let mut lists: Vec<&Vec<Entry>> = self.tests.values().filter(|entries| !entries.is_empty()).collect();
        lists.sort_by_key(|entries| entries[0].kinds);
        lists.into_iter().flatten().map(|entry| (entry.kinds.0, entry.kinds.1, entry.name.as_str())).collect()
    }
}

fn unknown<A, B>(name: &str) -> Error {
    let message =
        format!("no test named {name:?} is registered for {} against {}", short_name::<A>(), short_name::<B>());
    Error::new(ErrorKind::Unsupported, message)
}

fn short_name<T>() -> &'static str {
    std::any::type_name::<T>()
}
