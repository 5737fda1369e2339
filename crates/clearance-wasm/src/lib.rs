//! The engine as a WebAssembly module: a page holds it and asks what the local server would answer.
//!
//! `web/engine` builds it, `clearance view --html F --live` puts it into a page, `web/src/engine.ts`
//! calls it. Bytes go through linear memory: the page takes room with [`take`], writes a model, calls
//! [`load`], writes a question, calls [`answer`]. Both return where the result begins; its first byte
//! says whether it is an answer or an error, four more its length, and UTF-8 text follows. The page
//! gives all room back with [`give`]. The module imports nothing.

use clearance_view::Live;
use std::cell::RefCell;

thread_local! {
    /// The robot that is asked about; a page holds one, and a module has one thread.
    static LIVE: RefCell<Option<Live>> = const { RefCell::new(None) };
}

/// Bytes before the text: whether it is an error, and its length.
const HEAD: usize = 5;

/// Room for `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn take(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Gives room back.
///
/// # Safety
/// It must be what [`take`] returned for this very length, or a result of [`load`] or [`answer`] with
/// its head; nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn give(start: *mut u8, length: usize) {
    // SAFETY: the caller says that these bytes are a boxed slice of this length, which is how `take` and
    // `text` made them, and that this is its last use.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, length)) });
}

/// Takes the model that `Live::save` wrote.
///
/// # Safety
/// `start` must be `length` bytes from [`take`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn load(start: *const u8, length: usize) -> *mut u8 {
    // SAFETY: the caller says that these bytes are there; nothing changes them meanwhile, since a module
    // has one thread.
    let bytes = unsafe { std::slice::from_raw_parts(start, length) };
    text(Live::load(bytes).map_err(|error| error.to_string()).map(|live| {
        LIVE.set(Some(live));
        String::new()
    }))
}

/// Answers a question in JSON.
///
/// # Safety
/// `start` must be `length` bytes from [`take`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(start: *const u8, length: usize) -> *mut u8 {
    // SAFETY: as for `load`.
    let bytes = unsafe { std::slice::from_raw_parts(start, length) };
    text(ask(bytes))
}

fn ask(bytes: &[u8]) -> Result<String, String> {
    let question = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    LIVE.with_borrow_mut(|live| match live {
        Some(live) => live.answer(question).map_err(|error| error.to_string()),
        None => Err("no model was loaded".to_owned()),
    })
}

/// A result in memory of its own, which the page gives back.
fn text(result: Result<String, String>) -> *mut u8 {
    let (failed, text) = match &result {
        Ok(text) => (0, text),
        Err(text) => (1, text),
    };
    let mut bytes = Vec::with_capacity(HEAD + text.len());
    bytes.push(failed);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls a function of the module as a page does.
    fn call(function: unsafe extern "C" fn(*const u8, usize) -> *mut u8, bytes: &[u8]) -> Result<String, String> {
        let room = take(bytes.len());
        // SAFETY: `take` gave room for so many bytes; the result has a head, then as many bytes as that
        // says, and both are given back once.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, bytes.len());
            let result = function(room, bytes.len());
            give(room, bytes.len());
            let head = std::slice::from_raw_parts(result, HEAD);
            let (failed, length) = (head[0] == 1, u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize);
            let text = std::slice::from_raw_parts(result.add(HEAD), length).to_vec();
            give(result, HEAD + length);
            let text = String::from_utf8(text).unwrap();
            if failed { Err(text) } else { Ok(text) }
        }
    }

    #[test]
    fn errors_are_texts() {
        assert_eq!(call(answer, b"{}").unwrap_err(), "no model was loaded");
        assert!(call(load, b"").unwrap_err().contains("damaged"));
        assert!(call(load, b"\xff\xff\xff\xff").unwrap_err().contains("damaged"));
        assert!(call(answer, b"\xff").is_err());
    }
}
