//! Pictures of meshes without a graphics card: a z-buffer, one sun with shadows, and a PNG.
//!
//! [`DepthEye`] is the same z-buffer as a depth camera.
//!
//! What is drawn is collected first and painted by [`Picture::encode`], because shadows need
//! everything. Each pixel is the mean of 2 × 2 samples. Cost: one thread; 115,000 triangles on 1200
//! × 900 pixels take one to two seconds.

mod depth;
mod light;
mod raster;

use clearance_engine::math::DVec3;
use clearance_engine::query::Contacts;
use clearance_engine::{Pose, TriMesh};
pub use depth::DepthEye;
pub use light::vertex_normals;
use light::{Face, Sun};
use raster::Raster;
use std::io;
use std::path::Path;

/// Red, green and blue as they stand in a PNG (sRGB).
pub type Color = [u8; 3];

/// Samples along each side of a pixel.
const SUPERSAMPLING: usize = 2;

/// The part of the width and of the height that an inset has.
const INSET: [usize; 2] = [9, 25];
/// The width of the frame around an inset, in pixels.
const FRAME: usize = 3;

/// Where the picture is taken from; up is +z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// The place of the camera.
    pub eye: DVec3,
    /// The point in the middle of the picture; neither at `eye` nor straight above or below it.
    pub target: DVec3,
    /// The angle between the upper and the lower edge, in radians.
    pub field_of_view: f64,
}

impl Camera {
    /// A camera at `eye` that looks at `target`, with 40° between the upper and the lower edge.
    pub fn looking(eye: DVec3, target: DVec3) -> Self {
        Self { eye, target, field_of_view: 40_f64.to_radians() }
    }
}

/// A straight line that is drawn over everything.
#[derive(Debug, Clone, Copy)]
struct Line {
    ends: [DVec3; 2],
    color: Color,
    width: f64,
}

/// A picture in the making.
///
/// ```
/// use clearance_engine::{Pose, TriMesh, math::DVec3};
/// use clearance_scene::picture::{Camera, Picture};
/// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::Y, DVec3::Z], vec![[0, 1, 2]])?;
/// let mut picture = Picture::new(64, 48, Camera::looking(DVec3::new(3.0, 0.5, 0.5), DVec3::ZERO));
/// picture.draw_mesh(&mesh, &Pose::IDENTITY, [200, 80, 40]);
/// picture.draw_line(DVec3::ZERO, DVec3::Z, [255, 0, 0], 2.0);
/// let png = picture.encode()?;
/// assert_eq!(&png[1..4], b"PNG");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Picture {
    width: usize,
    height: usize,
    camera: Camera,
    faces: Vec<Face>,
    lines: Vec<Line>,
    /// What a close-up in the lower right corner shows.
    inset: Option<Camera>,
}

impl Picture {
    /// An empty picture of `width` × `height` pixels.
    pub fn new(width: u32, height: u32, camera: Camera) -> Self {
        let (width, height) = (width as usize, height as usize);
        Self { width, height, camera, faces: Vec::new(), lines: Vec::new(), inset: None }
    }

    /// Draws a mesh in one colour.
    pub fn draw_mesh(&mut self, mesh: &TriMesh, world_from_mesh: &Pose, color: Color) {
        self.draw_painted(mesh, world_from_mesh, |_| color);
    }

    /// Draws a mesh whose triangle `i` has the colour `colors[i]`; triangles beyond the colours
    /// take the last one. Without any colour nothing is drawn.
    pub fn draw_colored(&mut self, mesh: &TriMesh, world_from_mesh: &Pose, colors: &[Color]) {
        let Some(&last) = colors.last() else { return };
        self.draw_painted(mesh, world_from_mesh, |triangle| colors.get(triangle).copied().unwrap_or(last));
    }

    /// Draws a line over everything, `width` pixels wide.
    pub fn draw_line(&mut self, from: DVec3, to: DVec3, color: Color, width: f64) {
        self.lines.push(Line { ends: [from, to], color, width });
    }

    /// Draws contacts as [`Pair::contacts`](clearance_engine::dispatch::Pair::contacts) finds them:
    /// where surfaces cross, the curve along which they do. Points are in the frame of the first
    /// geometry, which is the world here.
    pub fn draw_contacts(&mut self, contacts: &Contacts, color: Color) {
        for contact in &contacts.contacts {
            for (i, &from) in contact.points.iter().enumerate() {
                self.draw_line(from, contact.points[(i + 1) % contact.points.len()], color, 3.0);
            }
        }
    }

    /// Shows the same things from another camera in the lower right corner: a close-up.
    pub fn set_inset(&mut self, camera: Camera) {
        self.inset = Some(camera);
    }

    /// The picture as a PNG.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels())?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes the picture to a PNG file.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        std::fs::write(path, self.encode()?)
    }

    fn draw_painted(&mut self, mesh: &TriMesh, world_from_mesh: &Pose, color: impl Fn(usize) -> Color) {
        let normals = light::vertex_normals(mesh);
        for (i, normals) in normals.into_iter().enumerate() {
            let vertices = mesh.triangle(i as u32).transformed(world_from_mesh).0;
            let normals = normals.map(|normal| world_from_mesh.transform_vector(normal));
            self.faces.push(Face { vertices, normals, color: light::linear(color(i)) });
        }
    }

    /// Rows of red, green and blue, from the upper left vertex.
    fn pixels(&self) -> Vec<u8> {
        let mut raster = Raster::new(self.width * SUPERSAMPLING, self.height * SUPERSAMPLING, &self.camera);
        for (i, face) in self.faces.iter().enumerate() {
            raster.cover(i as u32, &face.vertices);
        }
        let sun = Sun::new(&self.faces);
        let mut samples: Vec<[f32; 3]> = raster
            .samples()
            .map(|sample| match sample {
                Some((face, weights)) => light::shade(&self.faces[face as usize], weights, &sun, self.camera.eye),
                None => light::BACKGROUND,
            })
            .collect();
        for line in &self.lines {
            let color = light::linear(line.color);
            raster.along_line(line.ends, line.width * SUPERSAMPLING as f64, |sample| samples[sample] = color);
        }
        let mut bytes = self.averaged(&samples);
        if let Some(camera) = self.inset {
            let (width, height) = (self.width * INSET[0] / INSET[1], self.height * INSET[0] / INSET[1]);
            let close_up = Self { width, height, camera, inset: None, ..self.clone() };
            self.paste(&close_up, &mut bytes);
        }
        bytes
    }

    /// Puts another picture into the lower right corner, in a white frame.
    fn paste(&self, other: &Self, bytes: &mut [u8]) {
        let pixels = other.pixels();
        let [left, top] = [self.width - other.width - 2 * FRAME, self.height - other.height - 2 * FRAME];
        for y in 0..other.height + 2 * FRAME {
            for x in 0..other.width + 2 * FRAME {
                let inside = [x.wrapping_sub(FRAME), y.wrapping_sub(FRAME)];
                let at = 3 * ((top + y) * self.width + left + x);
                let color = if inside[0] < other.width && inside[1] < other.height {
                    let from = 3 * (inside[1] * other.width + inside[0]);
                    [pixels[from], pixels[from + 1], pixels[from + 2]]
                } else {
                    [255; 3]
                };
                bytes[at..at + 3].copy_from_slice(&color);
            }
        }
    }

    /// The means of the samples of each pixel, as bytes.
    fn averaged(&self, samples: &[[f32; 3]]) -> Vec<u8> {
        let row = self.width * SUPERSAMPLING;
        let mut bytes = Vec::with_capacity(3 * self.width * self.height);
        for (y, x) in (0..self.height).flat_map(|y| (0..self.width).map(move |x| (y, x))) {
            let offsets = (0..SUPERSAMPLING).flat_map(|dy| (0..SUPERSAMPLING).map(move |dx| dy * row + dx));
            let mut sum = [0.0; 3];
            for offset in offsets {
                let sample = samples[(y * row + x) * SUPERSAMPLING + offset];
                (0..3).for_each(|k| sum[k] += sample[k]);
            }
            bytes.extend(sum.map(|channel| light::byte(channel / (SUPERSAMPLING * SUPERSAMPLING) as f32)));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: f64, size: f64) -> TriMesh {
        let vertex = |y: f64, z: f64| DVec3::new(x, y * size, z * size);
        let vertices = vec![vertex(-1.0, -1.0), vertex(1.0, -1.0), vertex(1.0, 1.0), vertex(-1.0, 1.0)];
        TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    fn pixel(picture: &Picture, x: usize, y: usize) -> [u8; 3] {
        let bytes = picture.pixels();
        let start = 3 * (y * picture.width + x);
        [bytes[start], bytes[start + 1], bytes[start + 2]]
    }

    fn looking_along_x() -> Picture {
        Picture::new(40, 30, Camera::looking(DVec3::new(-2.0, 0.0, 0.0), DVec3::ZERO))
    }

    #[test]
    fn the_nearer_of_two_squares_is_seen_whatever_is_drawn_first() {
        for order in [[0, 1], [1, 0]] {
            let mut picture = looking_along_x();
            for i in order {
                let (x, color) = [(0.0, [200, 0, 0]), (1.0, [0, 200, 0])][i];
                picture.draw_mesh(&square(x, 0.3), &Pose::IDENTITY, color);
            }
            let [red, green, _] = pixel(&picture, 20, 15);
            assert!(red > 50 && green < 20, "{red} {green}");
        }
    }

    #[test]
    fn a_square_that_reaches_behind_the_camera_is_cut_and_covers_the_lower_half_only() {
        let mut picture = looking_along_x();
        let far = 50.0;
        let vertices = [(-far, -far), (far, -far), (far, far), (-far, far)].map(|(x, y)| DVec3::new(x, y, -0.5));
        let floor = TriMesh::new(vertices.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        picture.draw_mesh(&floor, &Pose::IDENTITY, [0, 0, 200]);
        let sky = pixel(&looking_along_x(), 20, 2);
        assert_eq!(pixel(&picture, 20, 2), sky);
        assert_ne!(pixel(&picture, 20, 28), sky);
    }

    #[test]
    fn left_is_left_and_up_is_up() {
        let mut picture = looking_along_x();
        let place = Pose::from_translation(DVec3::new(0.0, 0.5, 0.4)).unwrap();
        picture.draw_mesh(&square(0.0, 0.1), &place, [200, 0, 0]);
        let (pixels, sky) = (picture.pixels(), looking_along_x().pixels());
        let differs = |i: &usize| pixels[3 * i..3 * i + 3] != sky[3 * i..3 * i + 3];
        let hit: Vec<_> = (0..40 * 30).filter(differs).map(|i| (i % 40, i / 40)).collect();
        assert!(!hit.is_empty() && hit.iter().all(|&(x, y)| x < 20 && y < 15), "{hit:?}");
    }

    #[test]
    fn a_line_is_drawn_over_what_is_before_it() {
        let mut picture = looking_along_x();
        picture.draw_mesh(&square(0.0, 1.0), &Pose::IDENTITY, [0, 0, 0]);
        picture.draw_line(DVec3::new(1.0, -1.0, 0.0), DVec3::new(1.0, 1.0, 0.0), [255, 255, 0], 2.0);
        assert_eq!(pixel(&picture, 20, 15), [255, 255, 0]);
    }
}
