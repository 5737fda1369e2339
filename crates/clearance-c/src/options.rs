//! What is checked, and how near is too near.

use crate::border::{array, clearance_status, entry, free, handle, lock, out, product, text, texts};
use clearance::CheckOptions;
use std::ffi::c_char;

/// Paddings, margins and pairs of a checker, which copies them. Names are those of links, attached
/// objects and objects of the scene.
pub struct clearance_options {
    _private: (),
}

handle_kind!(clearance_options, CheckOptions, b"options_", Exclusive);

/// Options that change nothing.
///
/// # Safety
/// `options` can be written. The caller frees `*options`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_new(options: *mut *mut clearance_options) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let options = unsafe { out(options, "options") }?;
        options.set(handle(CheckOptions::default()));
        Ok(())
    })
}

/// Frees options; NULL is nothing to free.
///
/// # Safety
/// `options` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_free(options: *mut clearance_options) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(options) }
}

/// How much larger every link is meant to be, in metres.
///
/// # Safety
/// `options` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_set_padding(
    options: *mut clearance_options,
    padding: f64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        unsafe { lock(options) }?.padding = padding;
        Ok(())
    })
}

/// How much larger one link or attached object is meant to be, in the place of the padding of all.
///
/// # Safety
/// `options` is a handle, `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_set_link_padding(
    options: *mut clearance_options,
    name: *const c_char,
    padding: f64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut options, name) = unsafe { (lock(options)?, text(name, "name")?) };
        options.paddings.insert(name.to_owned(), padding);
        Ok(())
    })
}

/// The distance below which any pair counts as colliding.
///
/// # Safety
/// `options` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_set_margin(
    options: *mut clearance_options,
    margin: f64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        unsafe { lock(options) }?.margin = margin;
        Ok(())
    })
}

/// The margins of all pairs of some names, in the place of that of all: a symmetric matrix row by row,
/// in which NaN leaves a pair as it is. The diagonal has no effect.
///
/// # Safety
/// `options` is a handle; `names` has `count` texts, `matrix` has `count·count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_set_margins(
    options: *mut clearance_options,
    names: *const *const c_char,
    matrix: *const f64,
    count: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut options, names, matrix) = unsafe {
            let matrix = array(matrix, product(count, count, "matrix")?, "matrix")?;
            (lock(options)?, texts(names, count, "names")?, matrix)
        };
        Ok(options.set_margins(&names, matrix)?)
    })
}

/// Lets two things touch.
///
/// # Safety
/// `options` is a handle, `a` and `b` are texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_allow(
    options: *mut clearance_options,
    a: *const c_char,
    b: *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut options, a, b) = unsafe { (lock(options)?, text(a, "a")?, text(b, "b")?) };
        options.allowed.push([a.to_owned(), b.to_owned()]);
        Ok(())
    })
}

/// Leaves a pair of links out, as an SRDF file does.
///
/// # Safety
/// `options` is a handle, `a` and `b` are texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_disable(
    options: *mut clearance_options,
    a: *const c_char,
    b: *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut options, a, b) = unsafe { (lock(options)?, text(a, "a")?, text(b, "b")?) };
        options.disabled.insert(a, b);
        Ok(())
    })
}

/// Looks at pairs of these links alone; a `links` of NULL looks at all again.
///
/// # Safety
/// `options` is a handle; `links` has `count` texts, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_options_only(
    options: *mut clearance_options,
    links: *const *const c_char,
    count: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut options, names) =
            unsafe { (lock(options)?, if links.is_null() { Vec::new() } else { texts(links, count, "links")? }) };
        options.only = (!links.is_null()).then(|| names.into_iter().map(str::to_owned).collect());
        Ok(())
    })
}
