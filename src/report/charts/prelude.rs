//! What the charts are drawn with: a drawing and its colours, its frame, its axes and its texts.

pub(super) use super::axis::{CountScale, TimeScale, outline, spans};
pub(super) use super::drawing::{
    AVAILABLE, AVAILABLE_FILL, AWAITED, Anchor, DRAIN, Drawing, EVICTION, FAULT, FAULT_EDGE, FULL,
    GHOST, GRID, HELD, INK, INTERVAL, MASTER, MISSING, NO_EXECUTE, NO_SCHEDULE, NOT_READY, PAPER,
    PENDING, QUEUED, REPLACED, RULE, SAID, SLOW, STOPPED, TERMINATING, TIMER, TROUBLED, health,
};
pub(super) use super::font::{self, Ink};
pub(super) use super::frame::{
    Explained, FOOT, HEAD, LABEL, LANES_LEFT, Names, RIGHT, SMALL, STRONG, Swatch, WIDTH, grid,
    head, hollow, mark, risen, square, time_axis, zone_labels,
};
pub(super) use crate::report::Heading;
pub(super) use crate::report::prelude::*;
pub(super) use plotters::style::RGBColor;
