//! The Point Cloud Library's PCD files, version 0.7 and before: text, binary, and binary compressed
//! by LZF.
//!
//! The fields `x`, `y` and `z`, of any type, are read; others are stepped over. An entry with a
//! coordinate that is not finite is the format's way to say that nothing was seen there: it is left
//! out and counted. `VIEWPOINT` is where the sensor was; the points are taken as they stand, as PCL
//! does. Compressed data is column by column. Numbers are little endian, as on all that write them.
//! Source: "The PCD (Point Cloud Data) file format", pointclouds.org; LZF: Marc Lehmann's liblzf.
//! Cost: one pass.

use super::{PointOptions, Points, too_many};
use crate::mesh::check_announced;
use crate::scan::{Bytes, Endian, Line, Lines, Word, Words, check_coordinate};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::math::DVec3;

/// No byte of LZF stands for more than this many: three say "264 bytes as before".
const LARGEST_RATIO: usize = 88;

/// One column, or several that share a name.
#[derive(Debug, Clone, Copy, Default)]
struct Field {
    size: usize,
    kind: u8,
    count: usize,
}

impl Field {
    fn bytes(&self) -> usize {
        self.size.saturating_mul(self.count)
    }
}

/// The sum of what the header says, which may be anything.
fn sum(fields: &[Field], of: impl Fn(&Field) -> usize) -> usize {
    fields.iter().fold(0, |sum, field| sum.saturating_add(of(field)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Data {
    Text,
    Binary,
    Compressed,
}

#[derive(Debug)]
struct Header {
    fields: Vec<Field>,
    /// Which fields are x, y and z.
    coordinates: [usize; 3],
    points: usize,
    data: Data,
    /// The line that says `DATA`.
    line: usize,
}

/// What the lines before `DATA` say, as they are met.
#[derive(Default)]
struct Lists<'a> {
    names: Vec<Word<'a>>,
    sizes: Vec<usize>,
    kinds: Vec<u8>,
    counts: Vec<usize>,
    width: Option<usize>,
    height: usize,
    points: Option<usize>,
}

pub(super) fn read(bytes: &[u8], options: &PointOptions) -> Result<Points> {
    let mut lines = Lines::new(bytes);
    let header = Header::parse(&mut lines)?;
    if header.data == Data::Text {
        return header.read_text(lines);
    }
    let mut rest = Bytes::new(bytes, bytes.len() - lines.rest().len());
    if header.data == Data::Binary {
        return header.read_binary(&mut rest);
    }
    header.read_compressed(&mut rest, options)
}

impl Header {
    fn parse(lines: &mut Lines<'_>) -> Result<Self> {
        let mut lists = Lists { height: 1, ..Lists::default() };
        for line in lines.by_ref() {
            let mut words = line.words();
            let Some(keyword) = words.next() else { continue };
            if let Some(data) = lists.take(keyword, words, line)? {
                return lists.finish(data, line.number);
            }
        }
        Err(Error::new(ErrorKind::Truncated, Place::Line(lines.number()), "the file ends before 'DATA'"))
    }

    fn row_bytes(&self) -> usize {
        sum(&self.fields, Field::bytes)
    }

    fn read_text(&self, lines: Lines<'_>) -> Result<Points> {
        let columns = sum(&self.fields, |field| field.count);
        check_announced(
            self.points,
            "points",
            2_usize.saturating_mul(columns),
            lines.rest().len(),
            Place::Line(self.line),
        )?;
        let wanted = self.coordinates.map(|i| sum(&self.fields[..i], |field| field.count));
        let mut points = Points::default();
        let mut rows = lines.filter(|line| !line.text.trim_ascii().is_empty());
        let mut last = self.line;
        for _ in 0..self.points {
            let line = rows.next().ok_or_else(|| {
                Error::new(
                    ErrorKind::Truncated,
                    Place::Line(last),
                    "the file ends after this line, where a point should follow",
                )
            })?;
            last = line.number;
            let mut words = Words::new(line.text, line.number);
            let mut point = [0.0; 3];
            for column in 0..columns {
                let word = words.next().ok_or_else(|| {
                    let reason = "the point has fewer values than the header announces";
                    Error::new(ErrorKind::Malformed, Place::Line(line.number), reason)
                })?;
                if let Some(axis) = wanted.iter().position(|&wanted| wanted == column) {
                    let parsed = std::str::from_utf8(word.text).ok().and_then(|text| text.parse().ok());
                    point[axis] = parsed.ok_or_else(|| word.error("is not a number"))?;
                }
            }
            words.expect_end("the last value of its point")?;
            points.take(point, Place::Line(line.number))?;
        }
        match rows.next() {
            None => Ok(points),
            Some(line) => {
                let reason = "a line follows the points that the header announces";
                Err(Error::new(ErrorKind::Malformed, Place::Line(line.number), reason))
            }
        }
    }

    fn read_binary(&self, bytes: &mut Bytes<'_>) -> Result<Points> {
        let row = self.row_bytes();
        check_announced(self.points, "points", row, bytes.rest().len(), bytes.place())?;
        let mut points = Points::default();
        let offsets = self.coordinates.map(|i| sum(&self.fields[..i], Field::bytes));
        for _ in 0..self.points {
            let place = bytes.place();
            let row = bytes.take(row, "a point")?;
            let value = |k: usize| self.value(k, &row[offsets[k]..]);
            points.take([value(0), value(1), value(2)], place)?;
        }
        bytes.expect_end("the points that the header announces")?;
        Ok(points)
    }

    fn read_compressed(&self, bytes: &mut Bytes<'_>, options: &PointOptions) -> Result<Points> {
        if self.points > options.max_points {
            return Err(too_many(self.points, options, Place::Line(self.line)));
        }
        let place = bytes.place();
        let mut size = |what| Ok(u32::from_le_bytes(bytes.array(Endian::Little, what)?) as usize);
        let (packed, unpacked) = (size("the compressed size")?, size("the uncompressed size")?);
        let columns_place = bytes.place();
        let packed = bytes.take(packed, "the compressed data")?;
        let expected = self.points.checked_mul(self.row_bytes());
        if expected != Some(unpacked) || unpacked > packed.len().saturating_mul(LARGEST_RATIO) {
            let reason = format!("{} points of {} bytes are not {unpacked} bytes", self.points, self.row_bytes());
            return Err(Error::new(ErrorKind::Malformed, place, reason));
        }
        let columns = unpack(packed, unpacked)
            .ok_or_else(|| Error::new(ErrorKind::Malformed, columns_place.clone(), "the compressed data is damaged"))?;
        let starts = self.coordinates.map(|i| sum(&self.fields[..i], Field::bytes).saturating_mul(self.points));
        let mut points = Points::default();
        for i in 0..self.points {
            let value = |k: usize| self.value(k, &columns[starts[k] + i * self.fields[self.coordinates[k]].bytes()..]);
            points.take([value(0), value(1), value(2)], columns_place.clone())?;
        }
        bytes.expect_end("the points that the header announces")?;
        Ok(points)
    }

    /// The number at the start of some bytes, by the type of a coordinate; there are as many as it
    /// takes.
    fn value(&self, coordinate: usize, bytes: &[u8]) -> f64 {
        let Field { size, kind, .. } = self.fields[self.coordinates[coordinate]];
        let mut raw = [0; 8];
        raw[..size].copy_from_slice(&bytes[..size]);
        let whole = u64::from_le_bytes(raw);
        match (kind, size) {
            (b'F', 4) => f64::from(f32::from_bits(whole as u32)),
            (b'F', _) => f64::from_bits(whole),
            (b'U', _) => whole as f64,
            // The sign is in the highest bit that was read.
            _ => ((whole << (64 - 8 * size)) as i64 >> (64 - 8 * size)) as f64,
        }
    }
}

impl<'a> Lists<'a> {
    /// Takes in a line; how the data is stored, if it says that.
    fn take(
        &mut self,
        keyword: Word<'a>,
        mut words: impl Iterator<Item = Word<'a>> + Clone,
        line: Line<'_>,
    ) -> Result<Option<Data>> {
        let mut one = |what: &str| {
            let missing =
                || Error::new(ErrorKind::Malformed, Place::Line(line.number), format!("the line ends before {what}"));
            words.next().ok_or_else(missing)
        };
        match keyword.text {
            b"VERSION" | b"VIEWPOINT" => {}
            b"FIELDS" | b"COLUMNS" => self.names = words.collect(),
            b"SIZE" => self.sizes = words.map(|word| word.integer("a size")).collect::<Result<_>>()?,
            b"TYPE" => self.kinds = words.map(|word| kind(word)).collect::<Result<_>>()?,
            b"COUNT" => self.counts = words.map(|word| word.integer("a count")).collect::<Result<_>>()?,
            b"WIDTH" => self.width = Some(one("the width")?.integer("a width")?),
            b"HEIGHT" => self.height = one("the height")?.integer("a height")?,
            b"POINTS" => self.points = Some(one("the number of points")?.integer("a number of points")?),
            b"DATA" => {
                let word = one("how the data is stored")?;
                return match word.text {
                    b"ascii" => Ok(Some(Data::Text)),
                    b"binary" => Ok(Some(Data::Binary)),
                    b"binary_compressed" => Ok(Some(Data::Compressed)),
                    _ => Err(word.error("is no way to store the data of a PCD file")),
                };
            }
            _ => return Err(keyword.error("is no keyword of a PCD header")),
        }
        Ok(None)
    }

    fn finish(self, data: Data, line: usize) -> Result<Header> {
        let fault = |reason: String| Error::new(ErrorKind::Malformed, Place::Line(line), reason);
        let count = self.names.len();
        let counts = if self.counts.is_empty() { vec![1; count] } else { self.counts };
        if self.sizes.len() != count || self.kinds.len() != count || counts.len() != count {
            let (sizes, kinds, counts) = (self.sizes.len(), self.kinds.len(), counts.len());
            return Err(fault(format!("{count} fields have {sizes} sizes, {kinds} types and {counts} counts")));
        }
        let entries = self.sizes.iter().zip(&self.kinds).zip(&counts);
        let fields: Vec<Field> = entries.map(|((&size, &kind), &count)| Field { size, kind, count }).collect();
        let mut coordinates = [0; 3];
        for (coordinate, name) in coordinates.iter_mut().zip(["x", "y", "z"]) {
            let found = self.names.iter().position(|word| word.text == name.as_bytes());
            *coordinate = found.ok_or_else(|| fault(format!("there is no field '{name}'")))?;
            let Field { size, kind, count } = fields[*coordinate];
            let known = if kind == b'F' { [4, 8].contains(&size) } else { [1, 2, 4, 8].contains(&size) };
            if !known || count != 1 {
                let kind = char::from(kind);
                return Err(fault(format!(
                    "the field '{name}' is {count} times {kind} of {size} bytes, which is not read"
                )));
            }
        }
        let area = self.width.and_then(|width| width.checked_mul(self.height));
        let points =
            self.points.or(area).ok_or_else(|| fault("the header says not how many points there are".to_owned()))?;
        Ok(Header { fields, coordinates, points, data, line })
    }
}

fn kind(word: Word<'_>) -> Result<u8> {
    match word.text {
        [kind @ (b'F' | b'I' | b'U')] => Ok(*kind),
        _ => Err(word.error("is no type of a field: F, I or U")),
    }
}

impl Points {
    /// Takes in an entry, unless nothing was seen there.
    fn take(&mut self, point: [f64; 3], place: Place) -> Result<()> {
        if point.iter().any(|x| !x.is_finite()) {
            self.skipped += 1;
            return Ok(());
        }
        for x in point {
            check_coordinate(x, place.clone(), "a coordinate")?;
        }
        self.points.push(DVec3::from_array(point));
        Ok(())
    }
}

/// The bytes that LZF data stands for; `None` if they are not as many as `size` says.
fn unpack(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(size);
    let mut packed = packed.iter().copied();
    while let Some(control) = packed.next() {
        let control = usize::from(control);
        if control < 32 {
            for _ in 0..=control {
                out.push(packed.next()?);
            }
        } else {
            let long = if control >> 5 == 7 { usize::from(packed.next()?) } else { 0 };
            let back = (control & 31) << 8 | usize::from(packed.next()?);
            let start = out.len().checked_sub(back + 1)?;
            // A run may repeat what it has just written.
            for i in start..start + (control >> 5) + long + 2 {
                out.push(*out.get(i)?);
            }
        }
        if out.len() > size {
            return None;
        }
    }
    (out.len() == size).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Points> {
        super::read(bytes, &PointOptions::default())
    }

    const HEADER: &str = "# .PCD v.7\nVERSION .7\nFIELDS rgb x y z n\nSIZE 4 4 8 2 4\nTYPE U F F I F\nCOUNT 1 1 1 1 2\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA ";
    const ROWS: &str = "7 0.5 -2 3 0 0\n7 nan 5 6 nan 0\n7 7.5 8 -9 0 0\n";

    fn fields(x: f32, y: f64, z: i16) -> [Vec<u8>; 5] {
        let normals = [0.0_f32, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        [7_u32.to_le_bytes().into(), x.to_le_bytes().into(), y.to_le_bytes().into(), z.to_le_bytes().into(), normals]
    }

    fn rows() -> [[Vec<u8>; 5]; 3] {
        [fields(0.5, -2.0, 3), fields(f32::NAN, 5.0, 6), fields(7.5, 8.0, -9)]
    }

    fn binary() -> Vec<u8> {
        let mut bytes = format!("{HEADER}binary\n").into_bytes();
        bytes.extend(rows().concat().concat());
        bytes
    }

    /// Literal runs only, but for the zeros at the end, which are one run that repeats itself.
    fn compressed() -> Vec<u8> {
        let columns: Vec<u8> = (0..5).flat_map(|field| rows().map(|row| row[field].clone()).concat()).collect();
        let (head, zeros) = columns.split_at(columns.len() - 23);
        let mut packed = Vec::new();
        for run in head.chunks(32) {
            packed.push(run.len() as u8 - 1);
            packed.extend(run);
        }
        assert_eq!(zeros, [0; 23]);
        packed.extend([0xe0, 23 - 9, 0]);
        let mut bytes = format!("{HEADER}binary_compressed\n").into_bytes();
        bytes.extend((packed.len() as u32).to_le_bytes());
        bytes.extend((columns.len() as u32).to_le_bytes());
        bytes.extend(packed);
        bytes
    }

    #[test]
    fn text_binary_and_compressed_give_the_same_points_and_nan_is_left_out() {
        let expected = Points { points: vec![DVec3::new(0.5, -2.0, 3.0), DVec3::new(7.5, 8.0, -9.0)], skipped: 1 };
        assert_eq!(read(format!("{HEADER}ascii\n{ROWS}").as_bytes()).unwrap(), expected);
        assert_eq!(read(&binary()).unwrap(), expected);
        assert_eq!(read(&compressed()).unwrap(), expected);
    }

    #[test]
    fn counts_beyond_all_bounds_are_no_reason_to_panic() {
        let head = "FIELDS a b x y z\nSIZE 4 4 4 4 4\nTYPE F F F F F\nCOUNT 18446744073709551615 2 1 1 1\nWIDTH 0\nHEIGHT 1\nPOINTS 0\nDATA ";
        for data in ["ascii\n", "binary\n", "binary_compressed\n\0\0\0\0\0\0\0\0"] {
            let read = read(format!("{head}{data}").as_bytes());
            assert!(read.is_err() || read.is_ok_and(|points| points.points.is_empty()), "{data}");
        }
    }

    #[test]
    fn a_truncated_file_is_an_error_at_every_length() {
        for whole in [binary(), compressed()] {
            for length in 0..whole.len() {
                assert!(read(&whole[..length]).is_err(), "{length}");
            }
            assert!(read(&[&whole[..], b"x"].concat()).is_err());
        }
    }

    #[test]
    fn damaged_compressed_data_is_an_error() {
        assert_eq!(unpack(&[0, 9, 32, 0], 4), Some(vec![9; 4]));
        assert_eq!(unpack(&[32, 0], 3), None, "nothing to repeat yet");
        assert_eq!(unpack(&[0, 9, 32, 1], 4), None, "before the start");
        assert_eq!(unpack(&[3, 9], 4), None, "a run that the data ends in");
        assert_eq!(unpack(&[0, 9, 32, 0], 3), None, "more than announced");
        let mut bytes = compressed();
        let at = format!("{HEADER}binary_compressed\n").len() + 4;
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(read(&bytes).unwrap_err().place(), &Place::Byte(at - 4));
    }

    #[test]
    fn errors_name_the_line() {
        use ErrorKind::*;
        for (from, to, kind, line) in [
            ("FIELDS rgb x", "FIELDS rgb u", Malformed, 11),
            ("SIZE 4 4 8", "SIZE 4 8", Malformed, 11),
            ("SIZE 4 4 8", "SIZE 4 2 8", Malformed, 11),
            ("TYPE U F", "TYPE U Q", Malformed, 5),
            ("COUNT 1 1", "COUNT 1 2", Malformed, 11),
            ("POINTS 3", "POINTS many", Malformed, 10),
            ("7 7.5 8 -9 0 0\n", "", Truncated, 11),
            ("nan 0\n7 7.5 8 -9 0 0\n", "nan 0.00000000000000000000\n", Truncated, 13),
            ("POINTS 3", "POINTS 4000000000", Truncated, 11),
            ("POINTS 3", "POINTS 2", Malformed, 14),
            ("VERSION", "FORMAT", Malformed, 2),
            ("DATA ascii", "DATA zipped", Malformed, 11),
            ("DATA ascii\n", "", Malformed, 11),
            ("7 0.5 -2", "7 x -2", Malformed, 12),
            ("7 0.5 -2", "7 1e101 -2", NotFinite, 12),
            ("7 0.5 -2 3 0 0", "7 0.5 -2 3 0", Malformed, 12),
            ("7 0.5 -2 3 0 0", "7 0.5 -2 3 0 0 0", Malformed, 12),
        ] {
            let error = read(format!("{HEADER}ascii\n{ROWS}").replacen(from, to, 1).as_bytes()).unwrap_err();
            assert_eq!((error.kind(), error.place()), (kind, &Place::Line(line)), "{to}: {error}");
        }
    }
}
