//! Names that are long, in eighty columns.

use super::*;
use crate::report::Style;

/// A node's name of 41 characters beside a zone's of 40 does not fit into eighty columns.
#[test]
fn long_names_of_zones_and_nodes_stand_below_each_other() {
    let mut out = Vec::new();
    let style = Style { colour: false, width: 80 };
    let mut p = Printer::new(&mut out, style);
    let node = "ip-10-1-0-0.eu-central-1.compute.internal";
    p.item("40 nodes of eu-central-1/eu-central-1a", node).unwrap();
    p.item("a", node).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines.iter().all(|l| l.len() <= 80), "{text}");
    assert_eq!(lines[1].find(node), lines[2].find(node), "{text}");
}
