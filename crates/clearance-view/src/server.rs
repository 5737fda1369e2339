//! A server for one page and one recording, for this machine alone.
//!
//! It listens on 127.0.0.1 at a port that the system chooses. A request is answered only if its path
//! begins with a random token, its `Host` is this address and its `Origin`, if there is one, is this
//! page: neither other users' guesses nor other pages in the same browser get the recording. Nothing
//! can be changed through it; with [`Server::with_answers`] the page asks about configurations.

use crate::Result;
use crate::page::{PAGE, gzip};
use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The largest head of a request, and the most header lines in it.
const MAX_HEAD: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;
/// A browser that says nothing for so long is let go.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most connections at one time.
const MAX_CONNECTIONS: usize = 64;

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

/// What is said about a configuration, as JSON; nothing if it makes no sense.
type Answers = dyn Fn(&[f64]) -> Option<String> + Send + Sync;

/// What is served.
struct Site {
    port: u16,
    token: String,
    page: Vec<u8>,
    recording: Vec<u8>,
    answers: Option<Box<Answers>>,
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
        let site = Site { port, token, page: gzip(PAGE.as_bytes()), recording: gzip(glb), answers: None };
        Ok(Self { listener, site })
    }

    /// The same with answers about configurations of the first robot: the page asks while a joint's
    /// slider moves, and shows what [`Observer::answer`](crate::Observer::answer) gives.
    pub fn with_answers(self, answers: impl Fn(&[f64]) -> Option<String> + Send + Sync + 'static) -> Self {
        // The page knows by this mark that it may ask.
        let page = gzip(PAGE.replacen("<html ", "<html data-live ", 1).as_bytes());
        Self { site: Site { page, answers: Some(Box::new(answers)), ..self.site }, ..self }
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
                Ok(httparse::Status::Complete(_)) => break self.answer(&request),
                Err(_) => break refused("400 Bad Request"),
            }
        };
        let packed = if answer.packed { "Content-Encoding: gzip\r\n" } else { "" };
        write!(
            stream,
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{packed}Connection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
             Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
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
        if let (Some(answers), Some(numbers)) = (&self.answers, file.strip_prefix("answer?q=")) {
            let row: Option<Vec<f64>> = numbers.split(',').map(|number| number.parse().ok()).collect();
            return match row.and_then(|row| answers(&row)) {
                Some(json) => found("application/json", Cow::Owned(json.into_bytes()), false),
                None => refused("400 Bad Request"),
            };
        }
        let packed = |kind, body| found(kind, Cow::Borrowed(body), true);
        match file {
            "" => packed("text/html; charset=utf-8", &self.page[..]),
            "recording.glb" => packed("model/gltf-binary", &self.recording[..]),
            _ => refused("404 Not Found"),
        }
    }
}

fn refused(status: &'static str) -> Answer<'static> {
    Answer { status, kind: "text/plain", body: Cow::Borrowed(status.as_bytes()), packed: false }
}

/// Whether two texts are the same, in a time that does not tell how much of them is.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
