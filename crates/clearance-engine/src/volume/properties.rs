//! What every volume must keep, whatever its kind and however it is fitted, decided in exact
//! rational arithmetic.
//!
//! Invariants: every vertex is inside of the volume as its kind defines it, and not beyond its
//! support in any direction; all stored numbers are finite and restore the same volume; the size is
//! that of the contents.

use super::samples::{Random, triangle_set};
use super::{AXES_STRETCH, Aabb, KIos, KIosAxes, KIosCount, KIosFit, KIosMethod, KIosTightening, Kdop, Kdop16, Kdop18};
use super::{Kdop24, Obb, OrientedFit, Rss, Sphere, Volume};
use super::{ObbSphere, ObbSphereFit};
use crate::Triangle;
use crate::math::{DMat3, DVec3};
use num_rational::BigRational;

/// A vector of rational numbers.
pub(crate) type Exact = [BigRational; 3];

pub(crate) fn rational(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

pub(crate) fn exact(v: DVec3) -> Exact {
    v.to_array().map(rational)
}

pub(crate) fn dot(a: &Exact, b: &Exact) -> BigRational {
    (0..3).map(|i| &a[i] * &b[i]).fold(rational(0.0), |sum, x| sum + x)
}

pub(crate) fn cross(a: &Exact, b: &Exact) -> Exact {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &a[j] * &b[k] - &a[k] * &b[j]
    })
}

pub(crate) fn minus(a: &Exact, b: &Exact) -> Exact {
    std::array::from_fn(|i| &a[i] - &b[i])
}

pub(crate) fn squared_length(a: &Exact) -> BigRational {
    dot(a, a)
}

fn scaled(a: &Exact, s: f64) -> Exact {
    a.clone().map(|x| x * rational(s))
}

fn within(x: &BigRational, limit: f64) -> bool {
    *x <= rational(limit) && *x >= rational(-limit)
}

pub(crate) fn within_sphere(vertex: &Exact, center: DVec3, radius: f64) -> bool {
    squared_length(&minus(vertex, &exact(center))) <= rational(radius) * rational(radius)
}

/// A kind of volume, as the tests of all kinds see it.
pub(crate) trait Checked: Volume + PartialEq {
    /// Every way to fit it that is worth a test, the default first.
    fn fits() -> Vec<Self::Fit> {
        vec![Self::Fit::default()]
    }

    /// Whether a vertex is inside, exactly, in every sense that bounds rely on.
    fn contains(&self, vertex: DVec3) -> bool;
}

impl Checked for Sphere {
    fn contains(&self, vertex: DVec3) -> bool {
        within_sphere(&exact(vertex), self.center(), self.radius())
    }
}

impl Checked for Aabb {
    fn contains(&self, vertex: DVec3) -> bool {
        let offset = minus(&exact(vertex), &exact(self.center()));
        (0..3).all(|i| within(&offset[i], self.half()[i]))
    }
}

impl Checked for Obb {
    fn fits() -> Vec<OrientedFit> {
        [true, false].map(|refine| OrientedFit { refine }).to_vec()
    }

    /// As slabs and as a parallelepiped.
    fn contains(&self, vertex: DVec3) -> bool {
        let offset = minus(&exact(vertex), &exact(self.center()));
        let axes = [0, 1, 2].map(|i| exact(self.axis_matrix().col(i)));
        let determinant = dot(&axes[0], &cross(&axes[1], &axes[2]));
        (0..3).all(|i| {
            let coordinate = dot(&offset, &cross(&axes[(i + 1) % 3], &axes[(i + 2) % 3])) / &determinant;
            within(&dot(&axes[i], &offset), self.half()[i]) && within(&coordinate, self.half()[i])
        })
    }
}

impl Checked for Rss {
    fn fits() -> Vec<OrientedFit> {
        Obb::fits()
    }

    /// Some point of the rectangle is within the radius.
    fn contains(&self, vertex: DVec3) -> bool {
        let ([u, v], [s, t]) = (self.sides(), self.half());
        let near = vertex - self.center();
        let on_u = scaled(&exact(u), u.dot(near).clamp(-s, s));
        let on_v = scaled(&exact(v), v.dot(near).clamp(-t, t));
        let beyond = minus(&minus(&minus(&exact(vertex), &exact(self.center())), &on_u), &on_v);
        squared_length(&beyond) <= rational(self.radius()) * rational(self.radius())
    }
}

impl<const SLABS: usize> Checked for Kdop<SLABS> {
    fn contains(&self, vertex: DVec3) -> bool {
        Self::directions().iter().zip(self.supports()).all(|(&d, &[with, against])| {
            let along = dot(&exact(d), &exact(vertex));
            along <= rational(f64::from(with)) && -along <= rational(f64::from(against))
        })
    }
}

impl Checked for ObbSphere {
    fn fits() -> Vec<ObbSphereFit> {
        vec![ObbSphereFit::Refined, ObbSphereFit::Principal, ObbSphereFit::Aligned]
    }

    fn contains(&self, vertex: DVec3) -> bool {
        self.obb().contains(vertex) && within_sphere(&exact(vertex), self.center(), self.radius())
    }
}

impl Checked for KIos {
    fn fits() -> Vec<KIosFit> {
        let mut fits = vec![KIosFit::default()];
        let directions = [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ZERO, DVec3::new(f64::NAN, 0.0, 0.0), DVec3::Z];
        let all_axes = [KIosAxes::Oriented, KIosAxes::Aligned, KIosAxes::Fixed(directions.to_vec())];
        for method in [KIosMethod::SmallestEllipsoid, KIosMethod::ResizedEllipsoid, KIosMethod::PrincipalAxes] {
            for axes in &all_axes {
                for count in [KIosCount::ByRatio, KIosCount::One, KIosCount::Three, KIosCount::Five] {
                    for tightening in [KIosTightening::None, KIosTightening::Shift, KIosTightening::Closest] {
                        fits.push(KIosFit { method, axes: axes.clone(), count, tightening, ..KIosFit::default() });
                    }
                }
            }
        }
        // Constants that make no sense must not make a wrong volume either.
        for angle in [0.0, -1.0, 1e-9, 1.5, f64::NAN, f64::INFINITY] {
            fits.push(KIosFit { angle, largest_radius: 1.0 / angle, ratio: angle, ..KIosFit::default() });
            fits.push(KIosFit { angle, largest_radius: f64::MAX, count: KIosCount::Five, ..KIosFit::default() });
        }
        fits
    }

    fn contains(&self, vertex: DVec3) -> bool {
        self.spheres().all(|(center, radius)| within_sphere(&exact(vertex), center, radius))
    }
}

/// All invariants of one kind of volume.
fn check<A: Checked>(seed: u64) {
    let mut random = Random(seed);
    let fits = A::fits();
    for case in 0..(3 * fits.len()).max(100) {
        let triangles = triangle_set(&mut random);
        let options = &fits[case % fits.len()];
        let volume = A::fit(&triangles, options);
        let context = format!("{} case {case} {options:?} {volume:?}", A::NAME);
        let vertices: Vec<DVec3> = triangles.iter().flat_map(|t| t.0).collect();
        for &vertex in &vertices {
            assert!(volume.contains(vertex), "{vertex} is outside: {context}");
        }
        check_support(&volume, &vertices, &mut random, &context);
        let mut floats = Vec::new();
        volume.store(&mut floats);
        assert!(floats.iter().all(|x| x.is_finite()), "{context}");
        assert!(floats.len() == A::FLOATS && volume.floats_used() <= A::FLOATS, "{context}");
        assert!(A::restore(&floats) == Some(volume), "{context}");
        let farthest = vertices.iter().fold(0.0, |r: f64, v| r.max(v.distance(volume.center())));
        let size = volume.size();
        assert!(farthest <= size * (1.0 + 1e-6) && size <= 2.5 * farthest + 1e-6, "{farthest} {size}: {context}");
    }
}

/// No vertex lies beyond the support, along directions of any length.
fn check_support<A: Volume>(volume: &A, vertices: &[DVec3], random: &mut Random, context: &str) {
    let directions = [
        random.direction(),
        random.vector() * 8.0,
        random.direction() * 1e-162,
        random.direction() * 1e-300,
        random.direction() * 1e140,
        DVec3::X,
        DVec3::ZERO,
    ];
    let axes = volume.axes();
    for direction in directions.into_iter().chain(axes.iter().flat_map(|&axis| [axis, -axis])) {
        let support = rational(volume.support(direction));
        let largest = vertices.iter().fold(f64::NEG_INFINITY, |largest, v| largest.max(direction.dot(*v)));
        // The others are out of the question, and exact arithmetic is slow.
        let close = largest - 1e-12 * direction.abs().max_element();
        for &vertex in vertices.iter().filter(|v| direction.dot(**v) >= close) {
            assert!(dot(&exact(direction), &exact(vertex)) <= support, "{vertex} is beyond: {context}");
        }
    }
}

#[test]
fn spheres_contain_every_vertex_exactly_and_store_everything() {
    check::<Sphere>(21);
}

#[test]
fn aabbs_contain_every_vertex_exactly_and_store_everything() {
    check::<Aabb>(22);
}

#[test]
fn obbs_contain_every_vertex_exactly_and_store_everything() {
    check::<Obb>(23);
}

#[test]
fn rss_contain_every_vertex_exactly_and_store_everything() {
    check::<Rss>(24);
}

#[test]
fn kdops_contain_every_vertex_exactly_and_store_everything() {
    check::<Kdop16>(25);
    check::<Kdop18>(26);
    check::<Kdop24>(27);
}

#[test]
fn kios_contain_every_vertex_exactly_and_store_everything_however_they_are_fitted() {
    check::<KIos>(28);
    check::<ObbSphere>(29);
}

#[test]
fn stored_axes_stretch_no_vector_by_more_than_the_stated_factor() {
    let mut random = Random(31);
    for _ in 0..2000 {
        let axes = Obb::fit(&triangle_set(&mut random), &OrientedFit::default()).axis_matrix();
        // The largest eigenvalue of AᵀA is at most 1 plus the Frobenius norm of AᵀA − 1.
        let gram = axes.transpose() * axes - DMat3::IDENTITY;
        let frobenius = gram.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(1.0 + frobenius <= AXES_STRETCH * AXES_STRETCH, "{frobenius:e}");
    }
}

#[test]
fn no_volume_holds_numbers_larger_than_the_rounding_budget_of_bounds_allows() {
    fn largest<A: Checked>(triangles: &[Triangle], options: &A::Fit) -> f64 {
        let mut floats = Vec::new();
        A::fit(triangles, options).store(&mut floats);
        floats.iter().fold(0.0, |largest, &x| largest.max(f64::from(x.abs())))
    }
    let mut random = Random(32);
    let mut far = 0.0_f64;
    for options in KIos::fits() {
        for _ in 0..10 {
            let triangles = triangle_set(&mut random);
            far = far.max(largest::<KIos>(&triangles, &options));
            assert!(largest::<Obb>(&triangles, &OrientedFit::default()) < 2.0);
            assert!(largest::<Rss>(&triangles, &OrientedFit::default()) < 2.0);
            assert!(largest::<Kdop24>(&triangles, &()) < 3.1);
        }
    }
    assert!(far > 20.0 && far < 30.0, "{far}");
}

#[test]
fn a_single_point_makes_every_volume_a_point() {
    fn check<A: Checked>(point: &[Triangle]) {
        for options in A::fits() {
            let volume = A::fit(point, &options);
            assert_eq!(volume.size(), 0.0, "{volume:?}");
            assert_eq!(volume.center(), point[0].0[0], "{volume:?}");
        }
    }
    let point = [Triangle([DVec3::new(0.5, -0.25, 1.0); 3])];
    check::<Sphere>(&point);
    check::<Aabb>(&point);
    check::<Obb>(&point);
    check::<Rss>(&point);
    check::<Kdop16>(&point);
    check::<Kdop18>(&point);
    check::<Kdop24>(&point);
    check::<KIos>(&point);
    check::<ObbSphere>(&point);
}
