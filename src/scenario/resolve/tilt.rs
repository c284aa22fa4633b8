//! Importance sampling of outages: which are drawn more often than they come, and the weights that make
//! up for it. Nothing of Kubernetes.

/// Which outages are drawn one at a time more often than they come (importance sampling). A weight makes
/// up for it, so that means stay what they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tilt {
    /// By object the part of the draws that it has; nothing where all have the same.
    pub(crate) objects: Vec<f64>,
    /// Lengths from the shortest to the longest in spans: which part of the outages each has, and which
    /// part of the draws. Nothing where outages are drawn as long as they are.
    pub(crate) lengths: Vec<[f64; 2]>,
}

impl Tilt {
    /// The object that a number between zero and one falls to, with its weight.
    pub(super) fn object(&self, unit: f64, objects: usize) -> (usize, f64) {
        let mut left = unit;
        for (i, part) in self.objects.iter().enumerate() {
            if left < *part {
                return (i, 1.0 / objects as f64 / part);
            }
            left -= part;
        }
        let i = (unit * objects as f64) as usize;
        (i.min(objects.saturating_sub(1)), 1.0)
    }

    /// What a number between zero and one, which says how long an outage lasts, becomes; with its weight.
    pub(super) fn length(&self, unit: f64) -> (f64, f64) {
        let (mut left, mut before) = (unit, 0.0);
        for [part, drawn] in &self.lengths {
            if left < *drawn {
                return (before + part * left / drawn, part / drawn);
            }
            (left, before) = (left - drawn, before + part);
        }
        (unit, 1.0)
    }
}
