//! What fitting promises beyond containment, which holds for every kind of volume
//! ([`crate::volume::properties`]).

use super::*;
use crate::math::DMat3;
use crate::volume::samples::{self, Random};

/// A patch of a sphere's surface around its north pole, or of a plane for `height` 0.
fn patch(height: f64) -> Vec<Triangle> {
    let vertex = |i: i32, j: i32| {
        let (x, y) = (f64::from(i) / 5.0, f64::from(j) / 8.0);
        DVec3::new(x, y, height * (1.0 - x * x - y * y))
    };
    let cells = (-4..4).flat_map(|i| (-4..4).map(move |j| (i, j)));
    let halves = |(i, j)| {
        [
            Triangle([vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)]),
            Triangle([vertex(i + 1, j + 1), vertex(i + 1, j), vertex(i, j + 1)]),
        ]
    };
    cells.flat_map(halves).collect()
}

/// One to thirty turned triangles in a bar, on a cap of a sphere or in a block, near their
/// neighbours or far flung: sets that leave the first guess room to tighten.
fn curved_or_thick(kind: usize, random: &mut Random) -> Vec<Triangle> {
    let vertex = |random: &mut Random| match kind {
        0 => DVec3::new(1.0, 0.3, 0.05) * random.vector(),
        1 => (random.direction() + DVec3::Z * 3.0).normalize(),
        _ => DVec3::new(1.0, 0.8, 0.3) * random.vector(),
    };
    let (frame, size) = (random.rotation(), random.magnitude(-3.0, -0.3));
    let (near, count) = (random.below(2) == 0, 1 + random.below(30));
    let mut triangle = |_| {
        let first = vertex(random);
        let point = |_| if near { first + 0.2 * (vertex(random) - first) } else { vertex(random) };
        Triangle([0; 3].map(point).map(|v| frame * v * size))
    };
    (0..count).map(&mut triangle).collect()
}

fn cuboid(half: DVec3) -> Vec<Triangle> {
    samples::cuboid(half, DMat3::IDENTITY, DVec3::ZERO)
}

#[test]
fn the_number_of_spheres_follows_the_ratio_of_the_dimensions() {
    let count = |x, y, z, options: &KIosFit| KIos::fit(&cuboid(DVec3::new(x, y, z)), options).count();
    let options = KIosFit::default();
    assert_eq!(count(0.5, 0.5, 0.5, &options), 1);
    assert_eq!(count(0.5, 0.4, 0.1, &options), 3);
    assert_eq!(count(0.5, 0.2, 0.1, &options), 5);
    assert_eq!(count(0.1, 0.5, 0.0, &options), 5);
    // At equality (exact along the coordinate axes) the fewer.
    let aligned = KIosFit { axes: KIosAxes::Aligned, ratio: 2.0, ..options.clone() };
    assert_eq!(count(0.5, 0.25, 0.25, &aligned), 1);
    assert_eq!(count(0.5, 0.25, 0.125, &aligned), 3);
    assert_eq!(count(0.5, 0.2, 0.1, &KIosFit { ratio: 10.0, ..options.clone() }), 1);
    for (forced, expected) in [(KIosCount::One, 1), (KIosCount::Three, 3), (KIosCount::Five, 5)] {
        let volume = KIos::fit(&cuboid(DVec3::splat(0.5)), &KIosFit { count: forced, ..options.clone() });
        assert_eq!(volume.count(), expected);
        assert_eq!(volume.floats_used(), [4, 11, 17][expected / 2]);
        assert_eq!(volume.spheres().count(), expected);
    }
}

#[test]
fn the_radius_of_method_two_is_that_of_the_paper_on_a_box() {
    let half = DVec3::new(0.5, 0.4, 0.1);
    let volume = KIos::fit(&cuboid(half), &KIosFit { tightening: KIosTightening::None, ..KIosFit::default() });
    let expected = (half.length_squared() - half.z * half.z).sqrt() / 0.5;
    let (centers, radii): (Vec<DVec3>, Vec<f64>) = volume.spheres().unzip();
    assert!((radii[0] - half.length()).abs() < 1e-6 && (radii[1] - expected).abs() < 1e-6, "{radii:?}");
    let depth = expected * (3.0_f64.sqrt() / 2.0) - half.z;
    assert!((centers[1].length() - depth).abs() < 1e-6 && (centers[1] + centers[2]).length() < 1e-6, "{centers:?}");
    assert!(centers[1].x.abs() + centers[1].y.abs() < 1e-6);
}

#[test]
fn the_spheres_of_method_one_touch_the_ellipsoid_also_where_their_radius_is_cut_short() {
    // The smallest ellipsoid of a box has √3 times its half lengths.
    let half = DVec3::new(0.4, 0.35, 0.2);
    let [a, _, c] = (half * 3.0_f64.sqrt()).to_array();
    for (cut, radius) in [(28.0, a * a / c), (1.7, 1.7 * half.length())] {
        let options = KIosFit {
            method: KIosMethod::ResizedEllipsoid,
            axes: KIosAxes::Aligned,
            count: KIosCount::Three,
            tightening: KIosTightening::None,
            largest_radius: cut,
            ..KIosFit::default()
        };
        let body = KIos::fit(&cuboid(half), &options);
        let below = body.spheres().map(|(center, _)| center).find(|center| center.z < -1e-3).unwrap();
        let reach = (0..2000).fold(0.0_f64, |reach, i| {
            let angle = f64::from(i) * 1e-3 * std::f64::consts::PI;
            reach.max(DVec3::new(a * angle.cos(), 0.0, c * angle.sin()).distance(below))
        });
        assert!((reach - radius).abs() < 1e-5, "cut {cut}: the ellipse reaches {reach}, the radius is {radius}");
    }
}

#[test]
fn tightening_moves_the_spheres_towards_the_contents() {
    let mut random = Random(5);
    let kinds = [KIosTightening::None, KIosTightening::Shift, KIosTightening::Closest];
    let mut widths = [0.0; 3];
    for case in 0..400 {
        let set = curved_or_thick(case % 3, &mut random);
        let fits = kinds
            .map(|tightening| KIos::fit(&set, &KIosFit { tightening, count: KIosCount::Three, ..KIosFit::default() }));
        let (axis, size) = (fits[0].axes()[0], fits[0].size());
        let width = fits.map(|fit| (fit.support(axis) + fit.support(-axis)) / size);
        // The same spheres, only shifted: each step can only gain, up to the rounding of the stored
        // centres.
        let rounding = 4e-7 / size;
        assert!(width[1] <= width[0] + rounding && width[2] <= width[1] + rounding, "case {case}: {width:?}");
        widths = [0, 1, 2].map(|i| widths[i] + width[i] / 400.0);
    }
    assert!(widths[1] < 0.95 * widths[0] && widths[2] < 0.99 * widths[1], "{widths:?}");
}

#[test]
fn a_flat_patch_gets_flat_caps_by_every_method() {
    for method in [KIosMethod::SmallestEllipsoid, KIosMethod::ResizedEllipsoid, KIosMethod::PrincipalAxes] {
        for largest_radius in [3.0, f64::INFINITY] {
            let volume = KIos::fit(&patch(0.0), &KIosFit { method, largest_radius, ..KIosFit::default() });
            let radii: Vec<f64> = volume.spheres().map(|(_, radius)| radius).collect();
            let (smallest, largest) = (radii[0], radii[radii.len() - 1]);
            assert!(largest > 1.9 * smallest && largest <= LARGEST_RADIUS * (1.0 + 1e-6), "{method:?}: {radii:?}");
            // The sagitta of a circle of radius r₀ on a sphere of radius R.
            let sagitta = largest - (largest * largest - smallest * smallest).sqrt();
            assert!((volume.support(DVec3::Z) - sagitta).abs() < 0.02 * smallest, "{method:?}");
        }
    }
    // Two caps of 0.27 radii each, and its own height of 0.1; the sphere alone is 2 radii high.
    let curved = KIos::fit(&patch(0.1), &KIosFit::default());
    let height = curved.support(DVec3::Z) + curved.support(DVec3::NEG_Z);
    assert!(height < 0.65 * curved.size(), "{height} of {}", curved.size());
}

#[test]
fn given_axes_are_the_ones_used() {
    let set = cuboid(DVec3::new(0.5, 0.2, 0.1));
    let turned: Vec<Triangle> =
        set.iter().map(|t| t.map(|v| DVec3::new(v.x, 0.8 * v.y - 0.6 * v.z, 0.6 * v.y + 0.8 * v.z))).collect();
    let axes_of =
        |axes: KIosAxes| KIos::fit(&turned, &KIosFit { axes, count: KIosCount::Five, ..KIosFit::default() }).axes();
    let is_parallel = |x: DVec3, y: DVec3| x.cross(y).length() < 1e-5;
    let oriented = axes_of(KIosAxes::Oriented);
    assert!(
        is_parallel(oriented[0], DVec3::new(0.0, -0.6, 0.8)) && is_parallel(oriented[1], DVec3::new(0.0, 0.8, 0.6))
    );
    let aligned = axes_of(KIosAxes::Aligned);
    assert!(aligned.iter().all(|axis| is_parallel(*axis, DVec3::Y) || is_parallel(*axis, DVec3::Z)), "{aligned:?}");
    let given = [DVec3::X, DVec3::new(0.0, 1.0, -1.0), DVec3::new(0.0, 2.0, 2.0)];
    let fixed = axes_of(KIosAxes::Fixed(given.to_vec()));
    assert!(is_parallel(fixed[0], given[1]) && is_parallel(fixed[1], given[2]), "{fixed:?}");
}
