//! What stands between C and Rust: status codes, the message of the thread, handles, arrays, texts.
//!
//! Nothing here trusts more than C can promise. A handle begins with a number that tells its kind,
//! and one that is written to is locked by an atomic flag for each call, so that a program that uses
//! it from two threads at once gets `CLEARANCE_STATUS_BUSY` and no data race.

use clearance::{Error, ErrorKind, Threads};
use std::cell::{RefCell, UnsafeCell};
use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

/// What became of a call. Where it is not `CLEARANCE_STATUS_OK`, `clearance_last_error` has the
/// message, and nothing was written through the call's pointers.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_status {
    /// It is done.
    Ok = 0,
    /// A file could not be opened, read or written.
    Io = 1,
    /// A file contradicts its format, or is of no known format.
    Format = 2,
    /// A number, or how many there are, is not allowed there.
    Value = 3,
    /// Triangles or points do not make what was asked for.
    Geometry = 4,
    /// A name refers to nothing, or is used twice.
    Name = 5,
    /// No test exists for this pair, or a file asks for what is not supported.
    Unsupported = 6,
    /// A file holds more than is allowed.
    TooLarge = 7,
    /// A saved proof belongs to something else.
    Stale = 8,
    /// A pointer that must not be NULL is, or is not aligned.
    Pointer = 9,
    /// A handle is of another kind, or was freed.
    Handle = 10,
    /// The handle is in use by another call; each thread needs a clone.
    Busy = 11,
    /// A text is not UTF-8.
    Text = 12,
    /// The program was compiled for another version of the binary interface.
    Abi = 13,
    /// The library failed within: a bug. Handles that were written to can only be freed.
    Internal = 14,
}

/// Why a call fails.
pub(crate) struct Failure {
    status: clearance_status,
    message: String,
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    #[cold]
    pub(crate) fn new(status: clearance_status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    #[cold]
    pub(crate) fn value(message: impl Into<String>) -> Self {
        Self::new(clearance_status::Value, message)
    }
}

impl From<Error> for Failure {
    #[cold]
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            ErrorKind::Io => clearance_status::Io,
            ErrorKind::Format => clearance_status::Format,
            ErrorKind::Geometry => clearance_status::Geometry,
            ErrorKind::Name => clearance_status::Name,
            ErrorKind::Unsupported => clearance_status::Unsupported,
            ErrorKind::TooLarge => clearance_status::TooLarge,
            ErrorKind::Stale => clearance_status::Stale,
            // `Value`, and what a later version of the facade may add.
            _ => clearance_status::Value,
        };
        Self::new(status, error.to_string())
    }
}

macro_rules! through_the_facade {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            #[cold]
            fn from(error: $error) -> Self {
                Error::from(error).into()
            }
        }
    )*};
}

through_the_facade!(clearance::engine::Error, clearance::io::Error, clearance::robot::Error, clearance::scene::Error);

impl From<std::io::Error> for Failure {
    #[cold]
    fn from(error: std::io::Error) -> Self {
        Error::from(error).into()
    }
}

thread_local! {
    /// The message of the thread's last error.
    static MESSAGE: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// The message of the last call of this thread that failed; "" if none has. It lives until the next
/// one fails, or the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn clearance_last_error() -> *const c_char {
    // Destructors of a thread that ends may come after its message.
    MESSAGE.try_with(|message| message.borrow().as_deref().map(CStr::as_ptr)).ok().flatten().unwrap_or(c"".as_ptr())
}

/// THE way in: runs a call, catches its panics and keeps its message.
#[inline(always)]
pub(crate) fn entry(call: impl FnOnce() -> Outcome) -> clearance_status {
    // Handles that a panic leaves half changed are marked by their `Lock`, and refused from then on.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => clearance_status::Ok,
        Ok(Err(failure)) => keep(failure),
        Err(payload) => {
            let known = payload.downcast_ref::<String>().map(String::as_str);
            let reason = known.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned();
            // Its destructor might panic in turn.
            std::mem::forget(payload);
            keep(Failure::new(clearance_status::Internal, format!("the library failed: {reason}; please report it")))
        }
    }
}

#[cold]
fn keep(failure: Failure) -> clearance_status {
    let _ = MESSAGE.try_with(|message| *message.borrow_mut() = Some(text_of(&failure.message)));
    failure.status
}

/// A text for C; zeros within become spaces.
pub(crate) fn text_of(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().map(|byte| if byte == 0 { b' ' } else { byte }).collect();
    CString::new(bytes).unwrap_or_default()
}

/// A kind of handle: what C sees of it is an incomplete type.
pub(crate) trait Kind {
    /// What it holds.
    type Value;
    /// What its handles begin with: eight letters.
    const TAG: u64;
    /// For messages.
    const NAME: &'static str;
}

/// Kinds whose values no call writes, so that any number of threads may read one.
pub(crate) trait Shared: Kind<Value: Sync> {}

/// Kinds whose values one call at a time may use. No kind is both.
pub(crate) trait Exclusive: Kind {}

/// Declares a kind of handle: what it is called, what it holds, eight letters, and how it is used.
macro_rules! handle_kind {
    ($name:ident, $value:ty, $tag:literal, $used:ident) => {
        impl crate::border::Kind for $name {
            type Value = $value;
            const TAG: u64 = u64::from_le_bytes(*$tag);
            const NAME: &'static str = stringify!($name);
        }

        impl crate::border::$used for $name {}
    };
}

/// What a handle points at.
#[repr(C)]
struct Boxed<T> {
    tag: u64,
    state: AtomicU8,
    value: UnsafeCell<T>,
}

const IDLE: u8 = 0;
const BUSY: u8 = 1;
/// A call failed within, and may have left the value half changed.
const BROKEN: u8 = 2;

/// A new handle, which the caller owns.
pub(crate) fn handle<K: Kind>(value: K::Value) -> *mut K {
    let boxed = Boxed { tag: K::TAG, state: AtomicU8::new(IDLE), value: UnsafeCell::new(value) };
    Box::into_raw(Box::new(boxed)).cast()
}

/// The box of a handle.
///
/// # Safety
/// `pointer` is NULL, or points at 8 readable bytes that nobody writes: those of any live handle do.
/// Where they are the kind's tag, it came from [`handle`] of this kind and lives for `'a`.
#[inline(always)]
unsafe fn boxed<'a, K: Kind>(pointer: *const K) -> Outcome<&'a Boxed<K::Value>> {
    let place = pointer.cast::<Boxed<K::Value>>();
    if place.is_null() || !place.is_aligned() {
        return Err(no_pointer(K::NAME, place.is_null()));
    }
    // SAFETY: `Boxed` is `repr(C)`, so that the tag is at its address, where 8 bytes are readable;
    // it is aligned as `Boxed` is, which is at least as a `u64`.
    if unsafe { place.cast::<u64>().read() } != K::TAG {
        return Err(wrong_kind(K::NAME));
    }
    // SAFETY: it came from `handle` of this kind and lives for `'a`. All that is written while it is
    // shared is behind the atomic and the cell.
    Ok(unsafe { &*place })
}

#[cold]
fn no_pointer(what: &str, null: bool) -> Failure {
    let why = if null { "NULL" } else { "not aligned" };
    Failure::new(clearance_status::Pointer, format!("the pointer '{what}' is {why}"))
}

#[cold]
fn wrong_kind(what: &str) -> Failure {
    Failure::new(clearance_status::Handle, format!("the handle is no {what}, or was freed"))
}

/// A value that no call writes: geometries, motions, robots. Any number of threads may read it.
///
/// # Safety
/// As the functions of the header demand: NULL, or a live handle of any kind that is not freed
/// before the call ends.
#[inline(always)]
pub(crate) unsafe fn shared<'a, K: Shared>(pointer: *const K) -> Outcome<&'a K::Value> {
    // SAFETY: the caller's promise is this function's.
    let boxed = unsafe { boxed(pointer) }?;
    // SAFETY: nobody ever writes values of kinds that are shared: `lock` is for the others.
    Ok(unsafe { &*boxed.value.get() })
}

/// A value that one call at a time may use.
pub(crate) struct Lock<'a, T> {
    boxed: &'a Boxed<T>,
}

/// Locks a value that calls write.
///
/// # Safety
/// As [`shared`].
#[inline(always)]
pub(crate) unsafe fn lock<'a, K: Exclusive>(pointer: *const K) -> Outcome<Lock<'a, K::Value>> {
    // SAFETY: the caller's promise is this function's.
    let boxed = unsafe { boxed(pointer) }?;
    match boxed.state.compare_exchange(IDLE, BUSY, Ordering::Acquire, Ordering::Relaxed) {
        Ok(_) => Ok(Lock { boxed }),
        Err(state) => Err(unusable(K::NAME, state)),
    }
}

#[cold]
fn unusable(what: &str, state: u8) -> Failure {
    if state == BROKEN {
        let message = format!("an earlier call failed within this {what}; free it");
        return Failure::new(clearance_status::Internal, message);
    }
    Failure::new(clearance_status::Busy, format!("the {what} is in use by another call; clone it for each thread"))
}

impl<T> Deref for Lock<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the flag is set, so that this lock is the only way to the value, and references
        // from it end before it does.
        unsafe { &*self.boxed.value.get() }
    }
}

impl<T> DerefMut for Lock<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above; `self` is borrowed for as long as the reference lives.
        unsafe { &mut *self.boxed.value.get() }
    }
}

impl<T> Drop for Lock<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        let state = if std::thread::panicking() { BROKEN } else { IDLE };
        self.boxed.state.store(state, Ordering::Release);
    }
}

/// Frees a handle; NULL is nothing to free.
///
/// # Safety
/// As [`shared`], and no other call uses it any more.
pub(crate) unsafe fn free<K: Kind>(pointer: *mut K) -> clearance_status {
    entry(|| {
        if pointer.is_null() {
            return Ok(());
        }
        // SAFETY: the caller's promise is this function's.
        let known = unsafe { boxed(pointer.cast_const()) }?;
        // A broken value may be dropped, one in use may not.
        if known.state.load(Ordering::Acquire) == BUSY {
            return Err(unusable(K::NAME, BUSY));
        }
        let place = pointer.cast::<Boxed<K::Value>>();
        // SAFETY: the tag is that of this kind, so that it came from `Box::into_raw` in `handle`; no
        // call uses it, and the caller forgets it. The tag is cleared first, so that most uses after
        // the end are told apart.
        unsafe {
            (&raw mut (*place).tag).write_volatile(0);
            drop(Box::from_raw(place));
        }
        Ok(())
    })
}

/// Where a result goes.
#[derive(Clone, Copy)]
pub(crate) struct Out<'a, T> {
    place: NonNull<T>,
    lifetime: PhantomData<&'a mut T>,
}

impl<T> Out<'_, T> {
    /// Writes the result.
    #[inline(always)]
    pub(crate) fn set(self, value: T) {
        // SAFETY: `out` was promised that it may be written until the call ends, and an `Out` lives no
        // longer; it is aligned and not NULL. What was there is not dropped: it is C's.
        unsafe { self.place.write(value) }
    }
}

/// A pointer that a result is written through.
///
/// # Safety
/// NULL, or writable as a `T` until the call ends.
#[inline(always)]
pub(crate) unsafe fn out<'a, T>(pointer: *mut T, what: &str) -> Outcome<Out<'a, T>> {
    match NonNull::new(pointer) {
        Some(place) if pointer.is_aligned() => Ok(Out { place, lifetime: PhantomData }),
        _ => Err(no_pointer(what, pointer.is_null())),
    }
}

/// As [`out`]; NULL is for results that nobody wants.
///
/// # Safety
/// As [`out`].
#[inline(always)]
pub(crate) unsafe fn maybe_out<'a, T>(pointer: *mut T, what: &str) -> Outcome<Option<Out<'a, T>>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise is this function's.
    unsafe { out(pointer, what) }.map(Some)
}

/// Types of which any bits are a value, so that arrays of C can be read as they are.
///
/// # Safety
/// Every pattern of bits is a value of the type, and it has no padding.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: all bits are numbers.
unsafe impl Plain for f64 {}
// SAFETY: all bits are numbers.
unsafe impl Plain for f32 {}
// SAFETY: all bits are numbers.
unsafe impl Plain for u32 {}
// SAFETY: an array of such numbers has no padding.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// A struct that is read through a pointer.
///
/// # Safety
/// NULL, or readable as a `T`.
#[inline(always)]
pub(crate) unsafe fn read<T: Plain>(pointer: *const T, what: &str) -> Outcome<T> {
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(no_pointer(what, pointer.is_null()));
    }
    // SAFETY: it is readable and aligned, and any bits are a `T`.
    Ok(unsafe { pointer.read() })
}

/// Three numbers.
///
/// # Safety
/// NULL, or 3 readable numbers.
#[inline(always)]
pub(crate) unsafe fn vector(pointer: *const f64, what: &str) -> Outcome<[f64; 3]> {
    // SAFETY: as this function demands; arrays are aligned as their elements.
    unsafe { read(pointer.cast::<[f64; 3]>(), what) }
}

/// How many elements of a type there can be in memory.
fn check_count<T>(count: usize, what: &str) -> Outcome {
    if count.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize) {
        return Ok(());
    }
    Err(Failure::value(format!("the array '{what}' of {count} elements is larger than the memory")))
}

/// An array that is read.
///
/// # Safety
/// NULL, or `count` readable elements that nobody writes until the call ends.
#[inline(always)]
pub(crate) unsafe fn array<'a, T: Plain>(pointer: *const T, count: usize, what: &str) -> Outcome<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(no_pointer(what, pointer.is_null()));
    }
    check_count::<T>(count, what)?;
    // SAFETY: not NULL, aligned, no longer than `isize::MAX` bytes; the caller promised the rest, and
    // any bits are a `T`.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// An array that results are written to.
pub(crate) struct OutArray<'a, T> {
    place: NonNull<T>,
    count: usize,
    lifetime: PhantomData<&'a mut T>,
}

impl<T> OutArray<'_, T> {
    /// Writes results from the beginning; those that find no room are left out.
    pub(crate) fn set_all(self, values: impl IntoIterator<Item = T>) {
        for (i, value) in values.into_iter().take(self.count).enumerate() {
            // SAFETY: `i < count`, and `out_array` was promised that so many may be written.
            unsafe { self.place.add(i).write(value) }
        }
    }
}

/// An array that results are written to.
///
/// # Safety
/// NULL, or `count` writable elements until the call ends.
#[inline(always)]
pub(crate) unsafe fn out_array<'a, T>(pointer: *mut T, count: usize, what: &str) -> Outcome<OutArray<'a, T>> {
    if count == 0 {
        return Ok(OutArray { place: NonNull::dangling(), count, lifetime: PhantomData });
    }
    check_count::<T>(count, what)?;
    match NonNull::new(pointer) {
        Some(place) if pointer.is_aligned() => Ok(OutArray { place, count, lifetime: PhantomData }),
        _ => Err(no_pointer(what, pointer.is_null())),
    }
}

/// As [`out_array`]; NULL is for results that nobody wants.
///
/// # Safety
/// As [`out_array`].
#[inline(always)]
pub(crate) unsafe fn maybe_out_array<'a, T>(
    pointer: *mut T,
    count: usize,
    what: &str,
) -> Outcome<Option<OutArray<'a, T>>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise is this function's.
    unsafe { out_array(pointer, count, what) }.map(Some)
}

/// A text.
///
/// # Safety
/// NULL, or readable up to a zero, and nobody writes it until the call ends.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Outcome<&'a str> {
    if pointer.is_null() {
        return Err(no_pointer(what, true));
    }
    // SAFETY: the caller promised a zero at its end.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    bytes.to_str().map_err(|_| Failure::new(clearance_status::Text, format!("the text '{what}' is not UTF-8")))
}

/// As [`text`]; NULL is no text.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn maybe_text<'a>(pointer: *const c_char, what: &str) -> Outcome<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise is this function's.
    unsafe { text(pointer, what) }.map(Some)
}

/// A path: any bytes where the system allows that.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn path(pointer: *const c_char, what: &str) -> Outcome<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        if pointer.is_null() {
            return Err(no_pointer(what, true));
        }
        // SAFETY: the caller promised a zero at its end.
        let bytes = unsafe { CStr::from_ptr(pointer) };
        Ok(std::ffi::OsStr::from_bytes(bytes.to_bytes()).into())
    }
    #[cfg(not(unix))]
    // SAFETY: the caller's promise is this function's.
    Ok(unsafe { text(pointer, what) }?.into())
}

/// Texts.
///
/// # Safety
/// `pointer` is NULL or has `count` readable pointers, each as in [`text`].
pub(crate) unsafe fn texts<'a>(pointer: *const *const c_char, count: usize, what: &str) -> Outcome<Vec<&'a str>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(no_pointer(what, pointer.is_null()));
    }
    check_count::<*const c_char>(count, what)?;
    // SAFETY: not NULL, aligned, not too long; the caller promised the rest, and any bits are a
    // pointer.
    let pointers = unsafe { std::slice::from_raw_parts(pointer, count) };
    // SAFETY: each is a text, as the caller promised.
    pointers.iter().map(|&pointer| unsafe { text(pointer, what) }).collect()
}

/// A number of threads: 0 is all of the machine.
pub(crate) fn threads(count: u32) -> Threads {
    match count {
        0 => Threads::All,
        1 => Threads::One,
        count => Threads::Count(count as usize),
    }
}

/// A product of sizes.
pub(crate) fn product(a: usize, b: usize, what: &str) -> Outcome<usize> {
    a.checked_mul(b).ok_or_else(|| Failure::value(format!("the array '{what}' is larger than the memory")))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter;
    handle_kind!(Counter, u64, b"counter_", Exclusive);

    struct Other;
    handle_kind!(Other, u64, b"other___", Shared);

    fn message() -> String {
        // SAFETY: it ends in a zero, and no call of this thread comes between.
        unsafe { CStr::from_ptr(clearance_last_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_panic_becomes_a_status_and_breaks_what_it_held() {
        let counter = handle::<Counter>(1);
        let status = entry(|| {
            // SAFETY: `counter` is a live handle.
            let mut counter = unsafe { lock(counter) }?;
            *counter = 2;
            panic!("half {}", "way");
        });
        assert_eq!(status, clearance_status::Internal);
        assert_eq!(message(), "the library failed: half way; please report it");
        // SAFETY: `counter` is a live handle.
        let again = entry(|| unsafe { lock(counter) }.map(drop));
        assert_eq!(again, clearance_status::Internal);
        assert!(message().contains("free it"), "{}", message());
        // SAFETY: `counter` is a live handle that nobody uses.
        assert_eq!(unsafe { free(counter) }, clearance_status::Ok);
    }

    #[test]
    fn a_handle_serves_one_call_at_a_time() {
        let counter = handle::<Counter>(0);
        let place = counter as usize;
        let status = entry(|| {
            // SAFETY: `counter` is a live handle.
            let held = unsafe { lock(counter) }?;
            // SAFETY: `counter` is a live handle.
            assert_eq!(entry(|| unsafe { lock(counter) }.map(drop)), clearance_status::Busy);
            // SAFETY: `counter` is a live handle; it is in use, and therefore not freed.
            assert_eq!(unsafe { free(counter) }, clearance_status::Busy);
            drop(held);
            Ok(())
        });
        assert_eq!(status, clearance_status::Ok);
        // Every increment is of a call that had the handle alone.
        let add = move || {
            let mut done = 0;
            for _ in 0..20_000 {
                let status = entry(|| {
                    // SAFETY: the handle lives until both threads have ended.
                    *unsafe { lock(place as *const Counter) }? += 1;
                    Ok(())
                });
                done += u64::from(status == clearance_status::Ok);
            }
            done
        };
        let threads = [std::thread::spawn(add), std::thread::spawn(add)];
        let done: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        // SAFETY: `counter` is a live handle.
        assert_eq!(*unsafe { lock(counter) }.ok().unwrap(), done);
        // SAFETY: `counter` is a live handle that nobody uses.
        assert_eq!(unsafe { free(counter) }, clearance_status::Ok);
    }

    #[test]
    fn handles_of_another_kind_are_told_apart() {
        let counter = handle::<Counter>(0);
        // SAFETY: `counter` is a live handle, of another kind.
        assert_eq!(entry(|| unsafe { shared(counter.cast::<Other>()) }.map(drop)), clearance_status::Handle);
        // SAFETY: likewise.
        assert_eq!(unsafe { free(counter.cast::<Other>()) }, clearance_status::Handle);
        // SAFETY: an address that is not aligned is not read.
        let odd = entry(|| unsafe { lock(counter.wrapping_byte_add(1)) }.map(drop));
        assert_eq!(odd, clearance_status::Pointer);
        // SAFETY: `counter` is a live handle that nobody uses.
        assert_eq!(unsafe { free(counter) }, clearance_status::Ok);
    }

    #[test]
    fn messages_belong_to_threads() {
        let fails = || entry(|| Err(Failure::value("mine")));
        fails();
        std::thread::spawn(|| assert_eq!(message(), "")).join().unwrap();
        assert_eq!(message(), "mine");
        entry(|| Err(Failure::value("with a \0 within")));
        assert_eq!(message(), "with a   within");
    }
}
