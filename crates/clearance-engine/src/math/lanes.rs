//! SIMD lanes: eight `f32` or four `f64` over any instruction set, chosen at run time. This is the
//! only home of SIMD.
//!
//! A kernel is written once, generic over a token `S: Lanes8` that proves which instructions the
//! processor has (crate `fearless_simd`). It runs inside of [`vectorized`], whose target features
//! apply exactly as far as inlining does. So every function between there and an intrinsic is
//! `#[inline(always)]`. `array::map` and the like are not, and cost a factor of three.
//!
//! `mul_add` is fused where the processor can: results differ between levels in the last bits, and
//! no proof relies on them. Where a tolerance leaves a choice, a level may find another pair that
//! is as near up to `f32`'s rounding.

use fearless_simd::prelude::*;
use fearless_simd::{Fallback, Level, f32x8, f64x4, mask32x8};
use std::ops::{Add, Sub};

pub use fearless_simd::{Simd, prelude};

/// Eight `f32`.
pub type F8<S> = f32x8<S>;
/// Four `f64`.
pub type F4<S> = f64x4<S>;
/// Eight booleans.
pub type M8<S> = mask32x8<S>;

/// The instruction set that kernels may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SimdLevel {
    /// The best that this processor has.
    #[default]
    Best,
    /// One lane after the other, the reference for tests (feature `scalar-twin`; without it the
    /// baseline).
    Scalar,
    /// The instructions of every processor of this architecture: SSE2, NEON, or WebAssembly's 128
    /// bits.
    Baseline,
    /// AVX2 and FMA, or the best below it.
    Avx2,
    /// AVX-512 of Ice Lake and later, or the best below it.
    Avx512,
}

impl SimdLevel {
    /// The levels that differ on this processor.
    ///
    /// ```
    /// use clearance_engine::math::SimdLevel;
    /// assert!(SimdLevel::available().contains(&SimdLevel::Scalar));
    /// ```
    pub fn available() -> Vec<SimdLevel> {
        let all = [Self::Scalar, Self::Baseline, Self::Avx2, Self::Avx512];
        all.into_iter().filter(|level| level.is_here()).collect()
    }

    /// Whether this processor has the instructions.
    fn is_here(self) -> bool {
        match self {
            Self::Best | Self::Scalar | Self::Baseline => true,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => Level::new().as_avx2().is_some() || Level::new().as_avx512().is_some(),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => Level::new().as_avx512().is_some(),
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }
}

/// A SIMD kernel: a computation written once for all instruction sets.
pub trait Vectorized {
    /// The result of the computation.
    type Output;
    /// Runs the computation; must be `#[inline(always)]`.
    fn run<S: Lanes8>(self, simd: S) -> Self::Output;
}

/// The level of this processor. Detecting it takes 30 instructions, which is much beside a search
/// of 30 ns.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
static BEST: std::sync::OnceLock<Level> = std::sync::OnceLock::new();

/// Runs `computation` with the instructions of `level`, or the best below it that the processor
/// has.
#[inline(always)]
pub fn vectorized<C: Vectorized>(level: SimdLevel, computation: C) -> C::Output {
    #[inline(always)]
    fn with<S: Lanes8, C: Vectorized>(simd: S, computation: C) -> C::Output {
        simd.vectorize(
            #[inline(always)]
            || computation.run(simd),
        )
    }
    #[cfg(feature = "scalar-twin")]
    if level == SimdLevel::Scalar {
        return with(Fallback::new(), computation);
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        let best = *BEST.get_or_init(Level::new);
        if matches!(level, SimdLevel::Best | SimdLevel::Avx512)
            && let Some(avx512) = best.as_avx512()
        {
            return with(avx512, computation);
        }
        if !matches!(level, SimdLevel::Scalar | SimdLevel::Baseline)
            && let Some(avx2) = best.as_avx2()
        {
            return with(avx2, computation);
        }
        if let Some(sse2) = best.as_sse2() {
            return with(sse2, computation);
        }
        unreachable!("every x86 processor that this crate is built for has SSE2")
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(neon) = Level::new().as_neon() {
        return with(neon, computation);
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    if let Some(wasm) = Level::new().as_wasm_simd128() {
        return with(wasm, computation);
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    {
        let _ = level;
        with(Fallback::new(), computation)
    }
}

/// Runs an expression with a token for the instructions that the crate is compiled for, without
/// detecting the processor.
macro_rules! with_baseline {
    ($simd:pat => $computation:expr) => {
        fearless_simd::dispatch!(fearless_simd::Level::baseline(), $simd => $computation)
    };
}
pub(crate) use with_baseline;

/// Lane operations that the kernels need beyond [`Simd`].
pub trait Lanes8: Simd {
    /// Permutes nine vectors: lane k of each result is lane `picks[k]` of the argument.
    fn pick9(self, vectors: [F8<Self>; 9], picks: [u8; 8]) -> [F8<Self>; 9];

    /// Runs a step of a kernel. The scalar level makes it a function of its own: inlined, the
    /// eightfold code of whole kernels takes the compiler four minutes.
    #[inline(always)]
    fn step<R>(self, step: impl FnOnce() -> R) -> R {
        step()
    }
}

/// Permutes lanes through memory, for instruction sets without a permutation by variable indices.
macro_rules! pick_through_memory {
    ($($token:ty $(, $step:item)?);*) => {
        $(impl Lanes8 for $token {
            #[inline(always)]
            fn pick9(self, vectors: [F8<Self>; 9], picks: [u8; 8]) -> [F8<Self>; 9] {
                let mut picked = vectors;
                for vector in &mut picked {
                    let lanes: [f32; 8] = (*vector).into();
                    let mut chosen = [0.0; 8];
                    for k in 0..8 {
                        chosen[k] = lanes[(picks[k] & 7) as usize];
                    }
                    *vector = chosen.simd_into(self);
                }
                picked
            }

            $($step)?
        })*
    };
}

pick_through_memory!(
    Fallback,
    #[inline(never)]
    fn step<R>(self, step: impl FnOnce() -> R) -> R {
        step()
    }
);
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pick_through_memory!(fearless_simd::x86::Sse2);
#[cfg(target_arch = "aarch64")]
pick_through_memory!(fearless_simd::aarch64::Neon);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pick_through_memory!(fearless_simd::wasm32::WasmSimd128);

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    use super::*;
    #[cfg(target_arch = "x86")]
    use core::arch::x86::*;
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::*;
    use fearless_simd::kernel;
    use fearless_simd::x86::{Avx2, Avx512};

    kernel!(
        #[inline(always)]
        fn pick9_avx2(token: Avx2, vectors: [f32x8<Avx2>; 9], picks: [u8; 8]) -> [f32x8<Avx2>; 9] {
            let indices = _mm256_cvtepu8_epi32(_mm_set_epi64x(0, i64::from_le_bytes(picks)));
            let mut picked = vectors;
            for vector in &mut picked {
                *vector = _mm256_permutevar8x32_ps((*vector).into(), indices).simd_into(token);
            }
            picked
        }
    );
    kernel!(
        #[inline(always)]
        fn pick9_avx512(token: Avx512, vectors: [f32x8<Avx512>; 9], picks: [u8; 8]) -> [f32x8<Avx512>; 9] {
            let indices = _mm256_cvtepu8_epi32(_mm_set_epi64x(0, i64::from_le_bytes(picks)));
            let mut picked = vectors;
            for vector in &mut picked {
                *vector = _mm256_permutevar8x32_ps((*vector).into(), indices).simd_into(token);
            }
            picked
        }
    );

    impl Lanes8 for Avx2 {
        #[inline(always)]
        fn pick9(self, vectors: [F8<Self>; 9], picks: [u8; 8]) -> [F8<Self>; 9] {
            pick9_avx2(self, vectors, picks)
        }
    }

    impl Lanes8 for Avx512 {
        #[inline(always)]
        fn pick9(self, vectors: [F8<Self>; 9], picks: [u8; 8]) -> [F8<Self>; 9] {
            pick9_avx512(self, vectors, picks)
        }
    }
}

/// Asks for the memory of a value that will be needed soon; where the processor cannot, nothing
/// happens.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(64) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: every x86-64 processor has the instruction, which changes nothing; the address is
        // within the value.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Eight vectors of three coordinates.
#[derive(Clone, Copy)]
pub struct V8<S: Simd>(pub [F8<S>; 3]);

impl<S: Lanes8> V8<S> {
    /// The same vector in all lanes.
    #[inline(always)]
    pub fn splat(simd: S, vector: [f32; 3]) -> Self {
        Self([F8::splat(simd, vector[0]), F8::splat(simd, vector[1]), F8::splat(simd, vector[2])])
    }

    /// Loads coordinates stored lane by lane.
    #[inline(always)]
    pub fn load(simd: S, lanes: &[[f32; 8]; 3]) -> Self {
        Self([lanes[0].simd_into(simd), lanes[1].simd_into(simd), lanes[2].simd_into(simd)])
    }

    /// Dot products.
    #[inline(always)]
    pub fn dot(self, other: Self) -> F8<S> {
        let [x, y, z] = self.0;
        let [a, b, c] = other.0;
        x.simd.step(
            #[inline(always)]
            || z.mul_add(c, y.mul_add(b, x * a)),
        )
    }

    /// Cross products.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let [x, y, z] = self.0;
        let [a, b, c] = other.0;
        x.simd.step(
            #[inline(always)]
            || Self([y.mul_sub(c, z * b), z.mul_sub(a, x * c), x.mul_sub(b, y * a)]),
        )
    }

    /// `self + direction·factor`.
    #[inline(always)]
    pub fn plus_scaled(self, direction: Self, factor: F8<S>) -> Self {
        let [x, y, z] = self.0;
        let [a, b, c] = direction.0;
        x.simd.step(
            #[inline(always)]
            || Self([a.mul_add(factor, x), b.mul_add(factor, y), c.mul_add(factor, z)]),
        )
    }

    /// The vectors times one factor per lane.
    #[inline(always)]
    pub fn scaled(self, factor: F8<S>) -> Self {
        let [x, y, z] = self.0;
        x.simd.step(
            #[inline(always)]
            || Self([x * factor, y * factor, z * factor]),
        )
    }

    /// The absolute values of the coordinates.
    #[inline(always)]
    pub fn abs(self) -> Self {
        let [x, y, z] = self.0;
        Self([x.abs(), y.abs(), z.abs()])
    }

    /// Selects per lane: `self` where the mask is set, `other` elsewhere.
    #[inline(always)]
    pub fn or(self, mask: M8<S>, other: Self) -> Self {
        let [x, y, z] = self.0;
        let [a, b, c] = other.0;
        x.simd.step(
            #[inline(always)]
            || Self([mask.select(x, a), mask.select(y, b), mask.select(z, c)]),
        )
    }
}

impl<S: Lanes8> Add for V8<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let [x, y, z] = self.0;
        let [a, b, c] = other.0;
        x.simd.step(
            #[inline(always)]
            || Self([x + a, y + b, z + c]),
        )
    }
}

impl<S: Lanes8> Sub for V8<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let [x, y, z] = self.0;
        let [a, b, c] = other.0;
        x.simd.step(
            #[inline(always)]
            || Self([x - a, y - b, z - c]),
        )
    }
}

/// The set bits of every byte, in ascending order: entry m lists the lanes of mask m, padded with
/// zeros.
static SET_LANES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// Lists the lanes that are set in the low eight bits of `mask`, ascending, padded with zeros.
#[inline(always)]
pub fn set_lanes(mask: u64) -> [u8; 8] {
    SET_LANES[(mask & 0xff) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Picks;

    impl Vectorized for Picks {
        type Output = ();

        #[inline(always)]
        fn run<S: Lanes8>(self, simd: S) {
            let vector: F8<S> = [0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].simd_into(simd);
            let picked = simd.pick9([vector; 9], [7, 0, 3, 3, 1, 6, 5, 2]);
            for vector in picked {
                assert_eq!(<[f32; 8]>::from(vector), [7.0, 0.0, 3.0, 3.0, 1.0, 6.0, 5.0, 2.0]);
            }
        }
    }

    #[test]
    fn every_level_picks_the_same_lanes() {
        for level in SimdLevel::available() {
            vectorized(level, Picks);
        }
    }

    #[test]
    fn set_lanes_lists_the_bits_of_a_mask() {
        assert_eq!(set_lanes(0b1010_0110), [1, 2, 5, 7, 0, 0, 0, 0]);
        assert_eq!(set_lanes(0), [0; 8]);
        assert_eq!(set_lanes(255), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
