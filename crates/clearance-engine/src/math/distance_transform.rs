//! The squared Euclidean distance transform, a line at a time, in whole numbers (Meijster, Roerdink
//! and Hesselink, *A general algorithm for computing distance transforms in linear time*, 2000).
//!
//! Lines along one axis after the other make the transform of a grid: what a line starts from is
//! what the lines before it left.

/// The memory of [`transform`](Self::transform), for many lines.
///
/// ```
/// use clearance_engine::math::DistanceTransform;
/// let mut found = vec![];
/// let far = 100;
/// DistanceTransform::default().transform(&[far, far, 0, far, 1], far, |at, square, site| found.push((at, square, site)));
/// found.sort();
/// assert_eq!(found, [(0, 4, 2), (1, 1, 2), (2, 0, 2), (3, 1, 2), (4, 1, 4)]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct DistanceTransform {
    /// Where the parabolas of the lower envelope stand, and from where on each is the lowest.
    at: Vec<(usize, i64)>,
}

impl DistanceTransform {
    /// Calls `each` with every place of the line, the least of `heights[site] + (place − site)²`, at
    /// most `far`, and a site where it is taken. Calls nothing if no height is below `far`.
    pub fn transform(&mut self, heights: &[u32], far: u32, mut each: impl FnMut(usize, u32, usize)) {
        if heights.iter().all(|&value| value >= far) {
            return;
        }
        self.at.clear();
        let value = |u: usize| i64::from(heights[u]);
        let height = |u: usize, q: i64| (q - u as i64) * (q - u as i64) + value(u);
        for u in 0..heights.len() {
            while let Some(&(last, from)) = self.at.last()
                && height(last, from) > height(u, from)
            {
                self.at.pop();
            }
            match self.at.last() {
                None => self.at.push((u, 0)),
                Some(&(last, _)) => {
                    let (i, j) = (last as i64, u as i64);
                    let from = 1 + (j * j - i * i + value(u) - value(last)).div_euclid(2 * (j - i));
                    if from < heights.len() as i64 {
                        self.at.push((u, from));
                    }
                }
            }
        }
        let mut parabola = self.at.len() - 1;
        for q in (0..heights.len()).rev() {
            let (u, from) = self.at[parabola];
            each(q, height(u, q as i64).min(i64::from(far)) as u32, u);
            if q as i64 == from && parabola > 0 {
                parabola -= 1;
            }
        }
    }
}
