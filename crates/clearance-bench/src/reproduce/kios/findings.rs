//! What the paper found, and whether it is found here.

use super::{ALIGNED, AS_PRINTED, FIVE, FIXED, LOOSE, Measured, ONE, RULE, SMALLEST, Sample, THREE, angle_name, is};
use crate::engines::Query::{self, Collide, Distance};
use crate::reproduce::{Finding, Verdict};

/// Times closer than this are called equal.
const NOISE: f64 = 1.05;

/// One sentence per finding.
pub(super) fn all(measured: &Measured) -> Vec<Finding> {
    let table = Samples(&measured.table);
    vec![
        more_tests(&table),
        faster(&table),
        cheaper_test(&table),
        memory(&table),
        tighter_with_more_spheres(&table),
        quadratic_cost(&table),
        rule_for_k(&table),
        oriented_best(&table),
        smaller_memory_of_fixed_directions(&table),
        method_one_is_expensive(&table),
        shifting_tightens(&table),
        best_angle(&Samples(&measured.angles)),
        shape_of_the_angle(&Samples(&measured.angles)),
        best_ratio(&Samples(&measured.ratios)),
        robots(),
    ]
}

/// Samples to be looked up.
struct Samples<'m>(&'m [Sample]);

impl Samples<'_> {
    /// A number of the sample of a volume; not a number if there is none.
    fn get(&self, scene: &str, query: Query, volume: &str, number: impl Fn(&Sample) -> f64) -> f64 {
        let found = self.0.iter().find(|sample| sample.volume == volume && is(sample, scene, query));
        found.map_or(f64::NAN, number)
    }

    fn us(&self, scene: &str, query: Query, volume: &str) -> f64 {
        self.get(scene, query, volume, |sample| sample.us)
    }

    fn tests(&self, scene: &str, query: Query, volume: &str) -> f64 {
        self.get(scene, query, volume, |sample| sample.volume_tests)
    }

    fn ns(&self, scene: &str, query: Query, volume: &str) -> f64 {
        self.get(scene, query, volume, |sample| sample.volume_ns)
    }

    /// How much slower than the best value of a sweep distance is, over both scenes: the geometric
    /// mean.
    fn slowness(&self, volume: &str) -> f64 {
        let relative = |scene: &str| {
            let others = self.0.iter().filter(|sample| is(sample, scene, Distance));
            self.us(scene, Distance, volume) / others.map(|sample| sample.us).fold(f64::INFINITY, f64::min)
        };
        (relative("falling") * relative("spinning")).sqrt()
    }

    /// Whether the value called `printed` is the fastest of a sweep over both scenes, up to noise,
    /// and how it compares.
    fn compare_values(&self, printed: &str) -> (bool, String) {
        let names = self.0.iter().filter(|sample| is(sample, "falling", Distance)).map(|sample| &*sample.volume);
        let others = names.filter(|name| *name != printed);
        let best = others.min_by(|x, y| self.slowness(x).total_cmp(&self.slowness(y))).unwrap_or_default();
        let (ours, theirs) = (self.slowness(printed), self.slowness(best));
        let percent = |slowness: f64| (slowness - 1.0) * 100.0;
        let here = format!(
            "distance takes {:.1} % more than each scene's best with {printed}, {:.1} % with {best}, the fastest other value.",
            percent(ours),
            percent(theirs)
        );
        (ours < NOISE * theirs, here)
    }
}

fn more_tests(t: &Samples<'_>) -> Finding {
    let ratio = |query| t.tests("falling", query, AS_PRINTED) / t.tests("falling", query, "rss");
    let (collide, distance) = (ratio(Collide), ratio(Distance));
    Finding::tried(
        "k-IOS takes more volume tests than swept spheres: on falling 798 to 568 (1.40×) for collide, 1896 to 1194 (1.59×) \
         for distance.",
        collide > 1.0 && distance > 1.0,
        format!("as printed it takes {collide:.2}× the tests of rss for collide and {distance:.2}× for distance."),
    )
}

fn faster(t: &Samples<'_>) -> Finding {
    let gain = |query, rival| t.us("falling", query, rival) / t.us("falling", query, AS_PRINTED);
    let (collide, distance) = (gain(Collide, "rss"), gain(Distance, "rss"));
    Finding::tried(
        "It is faster all the same: 2.0 times for collide (0.135 to 0.269 ms), as fast for distance (0.494 to 0.495 ms).",
        collide > 1.0 && distance * NOISE > 1.0,
        format!(
            "as printed it is {collide:.2} times as fast as rss for collide ({:.2} times obb) and {distance:.2} times for \
             distance ({:.2} times obb).",
            gain(Collide, "obb"),
            gain(Distance, "obb")
        ),
    )
}

fn cheaper_test(t: &Samples<'_>) -> Finding {
    let ns = |query, volume| t.ns("falling", query, volume);
    Finding::tried(
        "Tests of spheres in SIMD are faster than those of swept spheres (0.17 to 0.47 µs of collide a test, 0.26 to 0.41 of \
         distance).",
        ns(Collide, RULE) < ns(Collide, "rss") && ns(Distance, RULE) < ns(Distance, "rss"),
        format!(
            "a test takes {:.0} to rss's {:.0} ns for collide and {:.0} to {:.0} ns for distance, the kernels alone.",
            ns(Collide, RULE),
            ns(Collide, "rss"),
            ns(Distance, RULE),
            ns(Distance, "rss")
        ),
    )
}

fn memory(t: &Samples<'_>) -> Finding {
    let floats = |scene| (t.get(scene, Distance, RULE, |s| s.floats.0), t.get(scene, Distance, RULE, |s| s.floats.1));
    let ((a, b), (c, d)) = (floats("falling"), floats("spinning"));
    let all = [a, b, c, d];
    Finding::tried(
        "A volume takes 9.8 and 9.9 floats on the falling bodies, 9.8 and 9.6 on the spinning ones.",
        all.iter().all(|floats| (9.0..=10.5).contains(floats)),
        format!(
            "{a:.1} and {b:.1}, {c:.1} and {d:.1} by the same rule, with 4, 11 or 17 floats for 1, 3 or 5 spheres."
        ),
    )
}

fn tighter_with_more_spheres(t: &Samples<'_>) -> Finding {
    let tests = [ONE, THREE, FIVE].map(|volume| t.tests("falling", Distance, volume));
    Finding::tried(
        "More spheres bound more tightly.",
        tests[0] > tests[1] && tests[1] > tests[2],
        format!(
            "falling distance takes {:.0}, {:.0} and {:.0} tests with k = 1, 3 and 5.",
            tests[0], tests[1], tests[2]
        ),
    )
}

fn quadratic_cost(t: &Samples<'_>) -> Finding {
    let ns = [ONE, THREE, FIVE].map(|volume| t.ns("falling", Distance, volume));
    Finding::tried(
        "The cost of a test grows with the square of the number of spheres.",
        ns[1] > 4.0 * ns[0] && ns[2] > 2.0 * ns[1],
        format!(
            "{:.0}, {:.0} and {:.0} ns with k = 1, 3 and 5: the lanes hold four larger spheres, used or not.",
            ns[0], ns[1], ns[2]
        ),
    )
}

fn rule_for_k(t: &Samples<'_>) -> Finding {
    let fixed = |scene| [ONE, THREE, FIVE].map(|volume| t.us(scene, Distance, volume));
    let best = |scene| fixed(scene).into_iter().fold(f64::INFINITY, f64::min);
    let rule = |scene| t.us(scene, Distance, RULE);
    let holds = ["falling", "spinning"].iter().all(|scene| rule(scene) < best(scene) * NOISE);
    Finding::tried(
        "Choosing 1, 3 or 5 spheres by the proportions pays: as fast as any fixed number.",
        holds,
        format!(
            "distance takes {:.0} µs by the rule and {:.0} µs with the best k on falling, {:.0} and {:.0} µs on spinning.",
            rule("falling"),
            best("falling"),
            rule("spinning"),
            best("spinning")
        ),
    )
}

fn oriented_best(t: &Samples<'_>) -> Finding {
    let us = |scene, volume| t.us(scene, Distance, volume);
    let best = |scene| us(scene, RULE) < us(scene, ALIGNED) * NOISE && us(scene, RULE) < us(scene, FIXED) * NOISE;
    Finding::tried(
        "Oriented k-IOS is more efficient for distance than axis-aligned or fixed directions.",
        best("falling") && best("spinning"),
        format!(
            "{:.0}, {:.0} and {:.0} µs on falling, {:.0}, {:.0} and {:.0} µs on spinning.",
            us("falling", RULE),
            us("falling", ALIGNED),
            us("falling", FIXED),
            us("spinning", RULE),
            us("spinning", ALIGNED),
            us("spinning", FIXED)
        ),
    )
}

fn smaller_memory_of_fixed_directions(t: &Samples<'_>) -> Finding {
    let floats = |volume| t.get("falling", Distance, volume, |sample| sample.floats.0);
    Finding {
        claim: "Fixed directions can save memory, as the larger spheres' centres follow from their distance alone.",
        verdict: Verdict::Untested,
        here: format!(
            "the engine stores all centres whatever the directions: {:.1} floats oriented, {:.1} aligned, {:.1} fixed.",
            floats(RULE),
            floats(ALIGNED),
            floats(FIXED)
        ),
    }
}

fn method_one_is_expensive(t: &Samples<'_>) -> Finding {
    let build = |volume| t.get("falling", Distance, volume, |sample| sample.build_ms);
    let tests = |scene| t.tests(scene, Distance, SMALLEST) / t.tests(scene, Distance, RULE);
    Finding::tried(
        "Method I's smallest ellipsoid is expensive to find; Method II is simpler.",
        build(SMALLEST) > 1.5 * build(RULE),
        format!(
            "building takes {:.0} ms with Method I and {:.0} ms with Method II; Method I then takes {:.2}× the tests on \
             falling and {:.2}× on spinning.",
            build(SMALLEST),
            build(RULE),
            tests("falling"),
            tests("spinning")
        ),
    )
}

fn shifting_tightens(t: &Samples<'_>) -> Finding {
    let tests = |volume| t.tests("falling", Distance, volume);
    Finding::tried(
        "Moving the larger spheres towards the vertices tightens the volume.",
        tests(AS_PRINTED) < tests(LOOSE),
        format!(
            "falling distance takes {:.0} tests without, {:.0} with the paper's shift and {:.0} with the spheres as close as \
             they can be.",
            tests(LOOSE),
            tests(AS_PRINTED),
            tests(RULE)
        ),
    )
}

fn best_angle(t: &Samples<'_>) -> Finding {
    let (holds, here) = t.compare_values(&angle_name(6.0));
    Finding::tried("π/6 is the best angle for Method II.", holds, here)
}

fn shape_of_the_angle(t: &Samples<'_>) -> Finding {
    let tests = |divisor: f64| t.tests("falling", Distance, &angle_name(divisor));
    let (small, printed, large) = (tests(24.0), tests(6.0), tests(3.0));
    Finding::tried(
        "A smaller angle costs more tests, as bounds between larger spheres are more conservative; a larger one bounds \
         loosely.",
        small > printed && large > printed,
        format!("falling distance takes {small:.0} tests with π/24, {printed:.0} with π/6 and {large:.0} with π/3."),
    )
}

fn best_ratio(t: &Samples<'_>) -> Finding {
    let (holds, here) = t.compare_values("1.5");
    Finding::tried("1.5 is the best ratio for the number of spheres.", holds, here)
}

fn robots() -> Finding {
    Finding {
        claim: "Up to 4.0 times as fast as PQP between two arms, up to 2.8 times between two small humanoids.",
        verdict: Verdict::Untested,
        here: "`clearance reproduce humanoid` measures pairs of robots, generated ones.".to_owned(),
    }
}
