//! The charts of a run, as SVG and as PNG: lanes over time (`timeline`), pods over time (`pods`),
//! and the pods of each workload that are desired and up (`workloads`); and a chart of figures side
//! by side, with which a sweep shows its rows.
//!
//! They are laid out in points and drawn with plotters' primitives, so that both formats show the
//! same picture; a PNG has two pixels per point. Equal runs give equal bytes: the font is built in,
//! and nothing of the system is asked. What is finer than a point is drawn as wide as one, with the
//! worst of what it holds, so that nothing short is lost and no file grows with the number of
//! records.

mod axis;
mod chart;
mod drawing;
mod figures;
mod font;
mod frame;
mod labels;
mod node_lanes;
mod plane;
mod pods;
mod prelude;
mod states;
mod workloads;
mod zone_lanes;

pub(crate) use chart::MOST_NODE_LANES;
pub use chart::{Chart, draw};
pub(crate) use drawing::Drawing;
pub(crate) use figures::{Beside, Figures, Panel, Range, Unit, draw_figures};
pub(crate) use plane::{Line, Plane, draw_plane};
