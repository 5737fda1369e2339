//! Many configurations and edges over plain arrays, on as many threads as asked.

use super::motions::rows;
use super::{Which, asked, clearance_checker, which};
use crate::border::{Outcome, array, clearance_status, entry, out_array, product, threads};
use crate::pair::request;
use crate::types::clearance_distance_request;

/// Whether each of `count` configurations, rows of `dof` numbers, is collision-free; `threads` 0 is all
/// of the machine.
///
/// # Safety
/// `checker` is a handle; `configurations` has `count·dof` numbers, `is_free` has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_are_free(
    checker: *mut clearance_checker,
    configurations: *const f64,
    count: usize,
    dof: usize,
    threads: u32,
    is_free: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, numbers, is_free) = unsafe {
            let numbers = array(configurations, product(count, dof, "configurations")?, "configurations")?;
            (asked(checker)?, numbers, out_array(is_free, count, "is_free")?)
        };
        checker.checker.set_threads(self::threads(threads));
        is_free.set_all(checker.checker.are_free(&rows(numbers, count, dof)?)?);
        Ok(())
    })
}

/// The distances of the nearest two things in `count` configurations, rows of `dof` numbers, as
/// certified intervals; infinite where nothing is checked or near enough. `which` is a sum of
/// `CLEARANCE_SELF` and `CLEARANCE_SCENE`.
///
/// # Safety
/// `checker` is a handle; `configurations` has `count·dof` numbers; `request` can be read, or is NULL
/// for exact distances; `lower` and `upper` have `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_distances(
    checker: *mut clearance_checker,
    configurations: *const f64,
    count: usize,
    dof: usize,
    which: u32,
    request: *const clearance_distance_request,
    threads: u32,
    lower: *mut f64,
    upper: *mut f64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, numbers, request, lower, upper) = unsafe {
            let numbers = array(configurations, product(count, dof, "configurations")?, "configurations")?;
            let outs = (out_array(lower, count, "lower")?, out_array(upper, count, "upper")?);
            (asked(checker)?, numbers, self::request(request)?, outs.0, outs.1)
        };
        let (which, rows) = (self::which(which)?, rows(numbers, count, dof)?);
        checker.checker.set_threads(self::threads(threads));
        // Nobody reads normals and gradients here, which take most of the time where things touch.
        checker.checker.set_gradients(false);
        let found = checker.checker.stream().next(&rows, |checker, _, q| -> Outcome<[f64; 2]> {
            let found = match which {
                Which::Own => checker.self_distance_with(q, &request),
                Which::Scene => checker.scene_distance_with(q, &request),
                Which::All => checker.distance_with(q, &request),
            }?;
            // Beyond the request's limit nothing is found, and the limit is what is certain.
            let beyond = [request.max_d, f64::INFINITY];
            Ok(found.map_or(beyond, |found| [found.lower, found.upper]))
        });
        checker.checker.set_gradients(true);
        let found = found?;
        let found = found.into_iter().collect::<Outcome<Vec<[f64; 2]>>>()?;
        lower.set_all(found.iter().map(|[lower, _]| *lower));
        upper.set_all(found.iter().map(|[_, upper]| *upper));
        Ok(())
    })
}

/// Whether each of `count` straight motions, from rows of `dof` numbers to rows of `dof` numbers, is
/// proven free; `threads` 0 is all of the machine.
///
/// # Safety
/// `checker` is a handle; `from` and `to` have `count·dof` numbers, `is_free` has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_are_edges_free(
    checker: *mut clearance_checker,
    from: *const f64,
    to: *const f64,
    count: usize,
    dof: usize,
    threads: u32,
    is_free: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, from, to, is_free) = unsafe {
            let size = product(count, dof, "from")?;
            (asked(checker)?, array(from, size, "from")?, array(to, size, "to")?, out_array(is_free, count, "is_free")?)
        };
        let edges: Vec<_> = rows(from, count, dof)?.into_iter().zip(rows(to, count, dof)?).collect();
        checker.checker.set_threads(self::threads(threads));
        is_free.set_all(checker.checker.are_edges_free(&edges)?);
        Ok(())
    })
}
