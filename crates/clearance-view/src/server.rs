//! A server for one page and one recording, for this machine alone.
//!
//! It listens on 127.0.0.1 at a port that the system chooses. A request is answered only if its path
//! begins with a random token, its `Host` is this address and its `Origin`, if there is one, is this
//! page: neither other users' guesses nor other pages in the same browser get the recording. Nothing
//! can be changed through it. With [`Server::with_live`] the page asks about configurations; a
//! [`Viewer`](crate::Viewer) sends it poses as server-sent events.

use crate::page::{PAGE, gzip};
use crate::viewer::Stream;
use crate::{Live, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The largest head of a request, and the most header lines in it.
const MAX_HEAD: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;
/// A browser that says nothing for so long is let go.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most connections at one time.
const MAX_CONNECTIONS: usize = 64;
/// The least time from one streamed pose to the next.
const STREAM_TIME: Duration = Duration::from_micros(16_000);
/// A page hears from the server at least so often, which shows whether it is still there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// Serves a recording on 127.0.0.1 until the program ends.
///
/// ```
/// let glb = clearance_view::Recording::new("nothing").glb()?;
/// let server = clearance_view::Server::bind(&glb)?;
/// assert!(server.address().starts_with("http://127.0.0.1:"));
/// # Ok::<(), clearance_view::Error>(())
/// ```
pub struct Server {
    listener: TcpListener,
    site: Site,
}

/// What is served.
struct Site {
    port: u16,
    token: String,
    page: Vec<u8>,
    recording: Vec<u8>,
    live: Option<Mutex<Live>>,
    stream: Option<Arc<Stream>>,
}

/// A status line and a body.
struct Answer<'a> {
    status: &'static str,
    kind: &'static str,
    body: Cow<'a, [u8]>,
    packed: bool,
}

impl Server {
    /// Takes a port and makes a token; nothing is answered before [`run`](Self::run).
    pub fn bind(glb: &[u8]) -> Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let port = listener.local_addr()?.port();
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::from)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let site = Site { port, token, page: gzip(PAGE.as_bytes()), recording: gzip(glb), live: None, stream: None };
        Ok(Self { listener, site })
    }

    /// The same with answers: the page asks while a slider or an object moves, and shows what
    /// [`Live::answer`] gives.
    pub fn with_live(mut self, live: Live) -> Self {
        self.site.live = Some(Mutex::new(live));
        self.marked()
    }

    /// The same with poses that a program sends.
    pub(crate) fn with_stream(mut self, stream: Arc<Stream>) -> Self {
        self.site.stream = Some(stream);
        self.marked()
    }

    /// The page knows by marks what it may ask for.
    fn marked(mut self) -> Self {
        let live = if self.site.live.is_some() { "data-live " } else { "" };
        let stream = if self.site.stream.is_some() { "data-stream " } else { "" };
        self.site.page = gzip(PAGE.replacen("<html ", &format!("<html {live}{stream}"), 1).as_bytes());
        self
    }

    pub(crate) fn port(&self) -> u16 {
        self.site.port
    }

    /// The address of the page, with its token.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.site.port, self.site.token)
    }

    /// Answers requests; ends with the program, or with an error of the listener.
    pub fn run(self) -> Result<()> {
        let (site, open) = (Arc::new(self.site), Arc::new(AtomicUsize::new(0)));
        for stream in self.listener.incoming() {
            let stream = stream?;
            if site.stream.as_ref().is_some_and(|shown| shown.has_ended()) {
                break;
            }
            // One too many is closed at once.
            if open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (site, open) = (site.clone(), open.clone());
            std::thread::spawn(move || {
                // A browser that went away is not an error of ours.
                let _ = site.serve(stream);
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
        Ok(())
    }
}

impl Site {
    /// Answers one request and closes the connection.
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (mut head, mut chunk, start) = (Vec::new(), [0; 2048], Instant::now());
        let answer = loop {
            if head.len() > MAX_HEAD || start.elapsed() > PATIENCE {
                break refused("431 Request Header Fields Too Large");
            }
            let count = stream.read(&mut chunk)?;
            if count == 0 {
                return Ok(());
            }
            head.extend_from_slice(&chunk[..count]);
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut request = httparse::Request::new(&mut headers);
            match request.parse(&head) {
                Ok(httparse::Status::Partial) => {}
                Ok(httparse::Status::Complete(_)) => {
                    let answer = self.answer(&request);
                    match &self.stream {
                        Some(shown) if answer.kind == EVENTS => return stream_poses(shown, stream),
                        _ => break answer,
                    }
                }
                Err(_) => break refused("400 Bad Request"),
            }
        };
        let packed = if answer.packed { "Content-Encoding: gzip\r\n" } else { "" };
        let frames = if self.stream.is_some() { NOTEBOOKS } else { "'none'" };
        write!(
            stream,
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{packed}Connection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
             Content-Security-Policy: frame-ancestors {frames}\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
            answer.status,
            answer.kind,
            answer.body.len()
        )?;
        stream.write_all(&answer.body)?;
        stream.shutdown(Shutdown::Write)?;
        // Closing with bytes unread would reset the connection before the answer is read.
        for _ in 0..MAX_HEAD / chunk.len() {
            if stream.read(&mut chunk)? == 0 {
                break;
            }
        }
        Ok(())
    }

    fn answer(&self, request: &httparse::Request<'_, '_>) -> Answer<'_> {
        let values = |name: &str| {
            let named = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            named.map(|header| header.value).collect::<Vec<_>>()
        };
        let here = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let hosts = values("host");
        let known_host = hosts.len() == 1 && here.iter().any(|host| hosts[0] == host.as_bytes());
        let origins = here.map(|host| format!("http://{host}"));
        let known_origin = values("origin").iter().all(|origin| origins.iter().any(|here| *origin == here.as_bytes()));
        let path = request.path.and_then(|path| path.strip_prefix('/'));
        let (token, file) = path.and_then(|path| path.split_once('/')).unwrap_or_default();
        if !(known_host && known_origin && same(token.as_bytes(), self.token.as_bytes())) {
            return refused("403 Forbidden");
        }
        if request.method != Some("GET") {
            return refused("405 Method Not Allowed");
        }
        let found = |kind, body, packed| Answer { status: "200 OK", kind, body, packed };
        if let (Some(live), Some(question)) = (&self.live, file.strip_prefix("answer?q=")) {
            let question = URL_SAFE_NO_PAD.decode(question).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let mut live = live.lock().unwrap_or_else(PoisonError::into_inner);
            return match question.map(|question| live.answer(&question)) {
                Some(Ok(json)) => found("application/json", Cow::Owned(json.into_bytes()), false),
                Some(Err(error)) => {
                    Answer { body: Cow::Owned(error.to_string().into_bytes()), ..refused("400 Bad Request") }
                }
                None => refused("400 Bad Request"),
            };
        }
        let packed = |kind, body| found(kind, Cow::Borrowed(body), true);
        match file {
            "" => packed("text/html; charset=utf-8", &self.page[..]),
            "stream" if self.stream.is_some() => found(EVENTS, Cow::Borrowed(&[]), false),
            "recording.glb" => packed("model/gltf-binary", &self.recording[..]),
            _ => refused("404 Not Found"),
        }
    }
}

/// Pages that may frame what a program shows: notebooks on this machine, which must know the token too.
const NOTEBOOKS: &str = "http://127.0.0.1:* http://localhost:* vscode-webview:";

/// What a stream of poses is.
const EVENTS: &str = "text/event-stream";

/// Sends every new state of what a program shows until the page or the program goes.
fn stream_poses(shown: &Stream, mut stream: TcpStream) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {EVENTS}\r\nCache-Control: no-store\r\nConnection: close\r\n\
         X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n"
    )?;
    // Small messages go at once.
    stream.set_nodelay(true)?;
    shown.watch(1);
    let mut seen = None;
    let mut send = || {
        while let Some(state) = shown.next(&mut seen, SIGN_OF_LIFE) {
            if state.is_empty() {
                stream.write_all(b":\n\n")?;
            } else {
                stream.write_all(format!("data: {state}\n\n").as_bytes())?;
            }
            std::thread::sleep(STREAM_TIME);
        }
        stream.write_all(b"event: end\ndata: the program has ended\n\n")
    };
    let sent = send();
    shown.watch(-1);
    sent
}

fn refused(status: &'static str) -> Answer<'static> {
    Answer { status, kind: "text/plain", body: Cow::Borrowed(status.as_bytes()), packed: false }
}

/// Whether two texts are the same, in a time that does not tell how much of them is.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
