//! NodeResourcesBalancedAllocation (`plugins/noderesources/balanced_allocation.go`): nodes on which
//! CPU and memory are used evenly are liked better.

use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::Balance;

/// The score of a node with the pod on it.
pub fn score(shape: &Shape, node: &NodeInfo, how: Balance) -> i64 {
    let capacity = (node.allocatable.cpu, node.allocatable.memory);
    let (wanted, used) = (&shape.requests, &node.requested);
    // Sums wrap, as Go's int64 do.
    let with = (used.cpu.wrapping_add(wanted.cpu), used.memory.wrapping_add(wanted.memory));
    match how {
        Balance::WithDefaults => {
            let with = (
                node.non_zero.0.wrapping_add(shape.non_zero.0),
                node.non_zero.1.wrapping_add(shape.non_zero.1),
            );
            let fraction = |r: i64, c: i64| if c == 0 { 1.0 } else { r as f64 / c as f64 };
            let (cpu, memory) = (fraction(with.0, capacity.0), fraction(with.1, capacity.1));
            if cpu >= 1.0 || memory >= 1.0 {
                0
            } else {
                ((1.0 - (cpu - memory).abs()) * MAX_NODE_SCORE as f64) as i64
            }
        }
        Balance::SkipsBestEffort | Balance::Improvement
            if wanted.cpu == 0 && wanted.memory == 0 =>
        {
            0
        }
        Balance::Plain | Balance::SkipsBestEffort => balance(with, capacity),
        Balance::Improvement => {
            let without = balance((used.cpu, used.memory), capacity);
            let half = MAX_NODE_SCORE / 2;
            half + (half + balance(with, capacity) - without) / 2
        }
    }
}

/// `balancedResourceScorer`: half the difference of the two fractions, taken from one.
fn balance(requested: (i64, i64), capacity: (i64, i64)) -> i64 {
    let fraction = |r: i64, c: i64| (r as f64 / c as f64).min(1.0);
    let deviation = if capacity.0 == 0 || capacity.1 == 0 {
        0.0
    } else {
        ((fraction(requested.0, capacity.0) - fraction(requested.1, capacity.1)) / 2.0).abs()
    };
    ((1.0 - deviation) * MAX_NODE_SCORE as f64) as i64
}
