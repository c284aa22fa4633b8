//! What the charts are drawn with: a drawing and its colours, its frame, its axes and its texts.

pub(super) use super::axis::{CountScale, TimeScale, outline, spans};
pub(super) use super::drawing::*;
pub(super) use super::font::{self, Ink};
pub(super) use super::frame::*;
pub(super) use crate::report::Heading;
pub(super) use crate::report::prelude::*;
pub(super) use plotters::style::RGBColor;
