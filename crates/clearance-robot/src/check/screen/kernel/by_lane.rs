//! Parts of a robot in a field: what spheres inside prove and guess, and configurations lane by lane,
//! with the spheres of one part in lanes.

use super::super::field::Field;
use super::super::forward::LANES;
use super::super::model::{Eight, ScreenPart};
use super::super::obstacles::Obstacle;
use super::{Kernel, lanes};
use clearance_engine::math::lanes::{F8, Lanes8, V8, prelude::*};

/// The centres of eight spheres of a body.
#[inline(always)]
fn placed<S: Lanes8>(simd: S, [x, y, z, origin]: &[V8<S>; 4], eight: &Eight) -> V8<S> {
    let center = V8::load(simd, &eight.center);
    origin.plus_scaled(*z, center.0[2]).plus_scaled(*y, center.0[1]).plus_scaled(*x, center.0[0])
}

impl<S: Lanes8> Kernel<'_, S> {
    /// The lanes in which a sphere inside of a part certainly holds a point of what has a field, and
    /// those in which one probably does.
    #[inline(always)]
    pub(super) fn inside_field(
        &mut self,
        slot: usize,
        part: &ScreenPart,
        obstacle: &Obstacle,
        field: &Field,
        inside: Option<f32>,
        open: u32,
    ) -> [u32; 2] {
        let simd = self.simd;
        let [mut found, mut likely] = [0, 0];
        for sphere in part.inner.clone() {
            let open = open & !found;
            if open == 0 {
                break;
            }
            let (place, radius) = (obstacle.own_place(simd, self.center(slot, sphere)), self.radius(sphere));
            let [may, probably] = field.may_be_within(simd, place, F8::splat(simd, radius));
            likely |= open & probably;
            let reach = radius + inside.unwrap_or(0.0);
            if inside.is_some() && reach > 0.0 && open & may != 0 {
                found |= open & lanes(field.squared_upper(simd, place).simd_lt(F8::splat(simd, reach * reach)));
            }
        }
        [found, likely]
    }

    /// The same lane by lane, with spheres in lanes: where lanes are far from each other, few are near
    /// the same thing.
    #[inline(always)]
    pub(super) fn inside_field_by_lane(
        &self,
        slot: usize,
        part: &ScreenPart,
        obstacle: &Obstacle,
        field: &Field,
        inside: Option<f32>,
        open: u32,
    ) -> [u32; 2] {
        let simd = self.simd;
        let [mut found, mut likely, mut left] = [0, 0, open];
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let frame = self.scratch.frames[slot][part.body].of_lane(simd, lane);
            for eight in &self.model.eights[part.inner_eights.clone()] {
                let radius: F8<S> = eight.radius.simd_into(simd);
                let place = obstacle.own_place(simd, placed(simd, &frame, eight));
                let [may, probably] = field.may_be_within(simd, place, radius);
                likely |= u32::from(probably & eight.used != 0) << lane;
                let Some(grown) = inside.filter(|_| may & eight.used != 0) else { continue };
                let reach = (radius + F8::splat(simd, grown)).max(F8::splat(simd, 0.0));
                let touching = field.squared_upper(simd, place).simd_lt(reach * reach);
                if lanes(touching) & eight.used != 0 {
                    found |= 1 << lane;
                    break;
                }
            }
        }
        [found, likely]
    }

    /// The lanes in which a part may touch an obstacle: lane by lane, with spheres in lanes.
    #[inline(always)]
    pub(super) fn open_by_lane(&self, slot: usize, number: usize, place: usize, open: u32) -> u32 {
        let (simd, part, obstacle) = (self.simd, &self.model.parts[number], &self.obstacles.list[place]);
        let grown = F8::splat(simd, self.obstacles.around(number, place));
        let mut found = 0;
        let mut left = open;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let frame = self.scratch.frames[slot][part.body].of_lane(simd, lane);
            let near = |eight: &Eight| {
                let reach: F8<S> = eight.radius.simd_into(simd);
                let center = placed(simd, &frame, eight);
                eight.used & !obstacle.apart(simd, center, reach + grown, eight.used)
            };
            found |= u32::from(self.any_near(part, near)) << lane;
        }
        found
    }

    /// Whether any of a part's finest spheres is near, by a function that says which are.
    #[inline(always)]
    fn any_near(&self, part: &ScreenPart, near: impl Fn(&Eight) -> u32) -> bool {
        let eights = &self.model.eights;
        for (i, eight) in eights[part.eights.clone()].iter().enumerate() {
            let mut groups = near(eight);
            while groups != 0 {
                let group = &part.groups[LANES * i + groups.trailing_zeros() as usize];
                groups &= groups - 1;
                for (j, eight) in eights[group.eights.clone()].iter().enumerate() {
                    let mut fine = near(eight);
                    while fine != 0 {
                        let fine_one = &group.fine[LANES * j + fine.trailing_zeros() as usize];
                        fine &= fine - 1;
                        if fine_one.below.len() == 1
                            || eights[fine_one.eights.clone()].iter().any(|eight| near(eight) != 0)
                        {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }
}
