//! Groups of facts that differ alike.

use super::change::{Change, Group, Noise, distance};
use super::found::{NONE, Names, Seen};
use super::pairing::Paired;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How closely facts have to agree to be put into one group.
#[derive(Clone, Copy)]
struct Level {
    /// To the second, in how far apart they are.
    shift: bool,
    /// In their details.
    detail: bool,
    /// In what they belong to.
    of: bool,
}

const LEVELS: [Level; 3] = [
    Level { shift: true, detail: true, of: true },
    Level { shift: false, detail: false, of: true },
    Level { shift: false, detail: false, of: false },
];

/// Puts together what differs alike: as closely as leaves no more than `most` groups.
pub(super) fn group(pairs: Vec<Paired>, names: &Names, most: usize) -> Vec<Group> {
    let mut groups = Vec::new();
    for level in LEVELS {
        groups = at_level(&pairs, names, level);
        if groups.len() <= most {
            break;
        }
    }
    // Noise last. Otherwise what matters most first; what is in one run only before what is
    // shifted; then the longer shift, the larger group, the earlier one.
    groups.sort_by_key(|(rank, g)| {
        let moved = matches!(g.change, Change::Earlier | Change::Later | Change::Otherwise(..));
        let when = g.pairs.iter().flat_map(|p| p.a.iter().chain(&p.b)).map(|o| o.at).min();
        let shift = g.shift().map_or(0, |(_, most)| most.as_secs());
        (g.noise, *rank, moved, Reverse((shift, g.pairs.len())), when)
    });
    groups.into_iter().map(|(_, g)| g).collect()
}

/// What members of a group have in common: whether it is noise, what is said, how it differs, by
/// how many seconds, what they belong to, its details.
type Alike = (Option<Noise>, u32, u8, u64, u32, [u32; 2]);

/// The groups at a level, each with how much it matters.
fn at_level(pairs: &[Paired], names: &Names, level: Level) -> Vec<(u8, Group)> {
    let mut by_key: BTreeMap<Alike, Vec<&Paired>> = BTreeMap::new();
    for p in pairs {
        by_key.entry(alike(p, names, level)).or_default().push(p);
    }
    let text = |id: u32| names.texts.get(id as usize).cloned();
    by_key
        .into_iter()
        .map(|((noise, what, _, _, of, details), members)| {
            let (rank, words) = names.whats[what as usize];
            let change = match members[0].change(names) {
                Change::Otherwise(..) if !level.detail => {
                    Change::Otherwise(String::new(), String::new())
                }
                change => change,
            };
            let details = details.map(text);
            let pairs = members.iter().map(|p| p.named(names)).collect();
            (
                rank,
                Group {
                    what: names.texts[words as usize].clone(),
                    change,
                    of: text(of),
                    details,
                    noise,
                    pairs,
                },
            )
        })
        .collect()
}

/// What a fact has in common with others of its group.
fn alike(p: &Paired, names: &Names, level: Level) -> Alike {
    let (change, shift) = match (&p.a, &p.b) {
        (Some(_), None) => (0, 0),
        (None, _) => (1, 0),
        (Some(a), Some(b)) => {
            let seconds = (distance(a.at, b.at).as_millis() + 500) / 1_000;
            let change = if !p.shifted {
                4
            } else if a.at > b.at {
                2
            } else {
                3
            };
            (change, if level.shift { seconds } else { 0 })
        }
    };
    let detail = |s: &Option<Seen>| s.map_or(NONE, |s| if level.detail { s.detail } else { NONE });
    let of = if p.pod == NONE || !level.of { NONE } else { names.groups[p.pod as usize] };
    let details = [detail(&p.a), detail(&p.b)];
    (p.noise(names), p.what, change, shift, of, details)
}
