//! The kitchen's colours.

use crate::picture::Color;

pub(super) const WHITE: Color = [240, 240, 236];
pub(super) const CREAM: Color = [232, 222, 200];
pub(super) const WALL: Color = [236, 229, 212];
pub(super) const FRONT: Color = [126, 158, 148];
pub(super) const WOOD: Color = [190, 142, 92];
pub(super) const DARK_WOOD: Color = [112, 74, 46];
pub(super) const STONE: Color = [92, 88, 86];
pub(super) const TILE: Color = [214, 200, 184];
pub(super) const GROUT: Color = [120, 112, 104];
pub(super) const STEEL: Color = [176, 182, 188];
pub(super) const DARK: Color = [44, 44, 48];
pub(super) const GLASS: Color = [176, 210, 220];
pub(super) const SKY: Color = [164, 204, 236];
pub(super) const RED: Color = [192, 52, 44];
pub(super) const BLUE: Color = [60, 96, 160];
pub(super) const GREEN: Color = [72, 128, 72];
pub(super) const LEAF: Color = [66, 140, 62];
pub(super) const YELLOW: Color = [238, 200, 52];
pub(super) const ORANGE: Color = [236, 136, 36];
pub(super) const CRUST: Color = [186, 126, 66];
pub(super) const TERRACOTTA: Color = [186, 98, 66];
pub(super) const COPPER: Color = [196, 110, 70];
pub(super) const BULB: Color = [255, 240, 190];
