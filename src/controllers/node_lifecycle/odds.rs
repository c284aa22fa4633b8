//! How a start goes, where that is chance.

/// Beyond this many nodes nothing was measured, and the odds stay as they are there.
const MEASURED_NODES: usize = 1000;

/// Of a thousand starts, in how many the first round of the NoExecute loop comes amid the first
/// pass, given those of a small cluster. With several workers it is over more often before the pass
/// has queued the first node, the more nodes the pass lists before: half as often with 600. One
/// worker takes the longer for its queue the more nodes there are: 300 of a thousand more with 600.
/// Measured on upstream's controller in real time (`extra/recorder/odds`), with 5 to 1000 nodes.
pub(super) fn odds_amid_pass(of_small: u32, workers: usize, nodes: usize) -> u32 {
    let nodes = nodes.min(MEASURED_NODES) as u32;
    match workers {
        1 => of_small + nodes / 2,
        _ => of_small * 600 / (600 + nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::odds_amid_pass;

    /// Starts that tainted a node of those that were made in real time, each with its 95 % interval
    /// (Wilson) in thousandths.
    #[test]
    fn the_odds_of_a_start_lie_in_the_intervals_of_what_was_measured() {
        for (of_small, workers, nodes, interval) in [
            (940, 8, 5, 865..=956),   // 1.34: 129 of 140
            (940, 8, 24, 874..=961),  // 130 of 140
            (940, 8, 300, 532..=691), // 86 of 140
            (650, 8, 5, 520..=799),   // 1.37: 27 of 40
            (650, 8, 24, 398..=693),  // 22 of 40
            (60, 1, 5, 18..=213),     // 1.23: 2 of 30
            (60, 1, 24, 35..=256),    // 3 of 30
            (60, 1, 300, 118..=409),  // 7 of 30
            (60, 1, 1000, 392..=726), // 17 of 30
        ] {
            let odds = odds_amid_pass(of_small, workers, nodes);
            assert!(interval.contains(&odds), "{nodes} nodes: {odds}");
        }
    }
}
