//! What nearly every file that writes a result names: what the files of this layer name, and what
//! texts and tables are made of.

pub(super) use super::prelude::*;
pub(super) use super::tables::{Cell, Column, Field, Kind, Rows, cells, columns, distinct, object};
pub(super) use super::text::{BOLD, DIM, GREEN, PLAIN, Printer, RED, YELLOW, joined};
pub(super) use crate::files::line;
