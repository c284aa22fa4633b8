//! Which nodes rest, so that passes leave them out, and which passes they missed.

use super::ids::Ids;
use super::zone_states::ZoneConditions;
use crate::controllers::prelude::*;

/// Passes that were skipped: the first one's time, the period, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Skipped {
    pub(super) first: Time,
    pub(super) period: Dur,
    pub(super) count: u64,
}

impl Skipped {
    /// Whether `next` comes right after these, on the same grid.
    fn goes_on_with(&self, next: &Skipped) -> bool {
        self.period == next.period && self.first + self.period * self.count == next.first
    }

    /// Those from number `from` on up to number `to`; none if there are none.
    pub(super) fn part(&self, from: u64, to: u64) -> Option<Skipped> {
        let count = to.min(self.count).saturating_sub(from);
        (count > 0).then(|| Skipped { first: self.first + self.period * from, count, ..*self })
    }
}

/// How a node rests.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    pub(super) zone: TextId,
    pub(super) ready: bool,
    pub(super) excluded: bool,
    /// How many passes its health record knows of.
    pub(super) as_of: u64,
}

/// The nodes of a zone that rest.
#[derive(Clone, Copy, Default)]
struct Resting {
    nodes: u32,
    counted: ZoneConditions,
}

/// Passes on a grid, and how many there were before.
struct Stretch {
    before: u64,
    passes: Skipped,
}

/// Which nodes of the cache rest, and the passes that they missed.
#[derive(Default)]
pub(super) struct Roster {
    awake: Ids,
    /// Silent nodes that are Unknown and wait for their taint: each pass queues them again and does
    /// nothing else.
    pub(super) waiting: Ids,
    rests: Vec<Option<Rest>>,
    zones: BTreeMap<TextId, Resting>,
    stretches: Vec<Stretch>,
    pub(super) passes: u64,
    /// A node came or went since the last pass.
    members_changed: bool,
}

impl Roster {
    /// A node is in the cache from now on, or no more.
    pub(super) fn member(&mut self, id: NodeId, is: bool) {
        self.members_changed = true;
        self.take(id, u64::MAX);
        if is {
            self.awake.insert(id);
        } else {
            self.awake.remove(id);
        }
    }

    /// Whether a node came or went since this was asked last.
    pub(super) fn take_members_changed(&mut self) -> bool {
        std::mem::take(&mut self.members_changed)
    }

    /// Nodes in the cache.
    pub(super) fn len(&self) -> usize {
        self.awake.len() + self.zones.values().map(|z| z.nodes as usize).sum::<usize>()
    }

    /// How many nodes of the cache come before this one, by id.
    pub(super) fn place(&self, id: NodeId) -> usize {
        let resting = self.rests.iter().take(id.index()).flatten().count();
        resting + self.awake.iter().take_while(|other| *other < id).count()
    }

    /// The nodes that do not rest, by id.
    pub(super) fn awake(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.awake.iter()
    }

    /// The nodes that rest.
    pub(super) fn resting(&self) -> Vec<NodeId> {
        let ids = (0..).map(NodeId).zip(&self.rests);
        ids.filter(|(_, rest)| rest.is_some()).map(|(id, _)| id).collect()
    }

    /// The zones of nodes that rest.
    pub(super) fn zones(&self) -> impl Iterator<Item = TextId> + '_ {
        self.zones.iter().filter(|(_, z)| z.nodes > 0).map(|(zone, _)| *zone)
    }

    /// The conditions of the nodes that rest, by zone; zones without counted nodes are left out.
    pub(super) fn counted(&self) -> impl Iterator<Item = (TextId, ZoneConditions)> + '_ {
        self.zones.iter().map(|(zone, z)| (*zone, z.counted)).filter(|(_, c)| c.size() > 0)
    }

    /// Notes passes that begin to go over the nodes, and returns how many there were before.
    pub(super) fn note_passes(&mut self, passes: Skipped) -> u64 {
        let before = self.passes;
        self.passes += passes.count;
        match self.stretches.last_mut() {
            Some(last) if last.passes.goes_on_with(&passes) => last.passes.count += passes.count,
            _ => self.stretches.push(Stretch { before, passes }),
        }
        before
    }

    /// The passes from number `from` on up to number `to`.
    pub(super) fn passes_between(&self, from: u64, to: u64) -> Vec<Skipped> {
        let first = self.stretches.partition_point(|s| s.before + s.passes.count <= from);
        let of =
            |s: &Stretch| s.passes.part(from.saturating_sub(s.before), to.saturating_sub(s.before));
        self.stretches[first..].iter().map_while(of).collect()
    }

    /// When the pass before the one of that number was.
    pub(super) fn time_before(&self, pass: u64) -> Option<Time> {
        let number = pass.checked_sub(1)?;
        let stretch = self.stretches.partition_point(|s| s.before <= number);
        let stretch = &self.stretches[stretch.checked_sub(1)?];
        let passes = stretch.passes;
        Some(passes.first + passes.period * (number - stretch.before))
    }

    /// The number of the first pass that was not before then.
    pub(super) fn first_pass_from(&self, t: Time) -> u64 {
        let ends =
            |s: &Stretch| s.passes.first + s.passes.period * s.passes.count.saturating_sub(1);
        let stretch = self.stretches.partition_point(|s| ends(s) < t);
        self.stretches.get(stretch).map_or(self.passes, |s| {
            let into = t.since(s.passes.first).as_nanos();
            s.before + into.div_ceil(s.passes.period.as_nanos().max(1))
        })
    }

    /// Lets a node rest.
    pub(super) fn rest(&mut self, id: NodeId, rest: Rest) {
        self.awake.remove(id);
        *slot(&mut self.rests, id.index()) = Some(rest);
        self.zones.entry(rest.zone).or_default().add(&rest, 1);
    }

    /// Has a node rest no more, if it has rested since before that pass.
    pub(super) fn take(&mut self, id: NodeId, before: u64) -> Option<Rest> {
        self.waiting.remove(id);
        let rest = self.rests.get_mut(id.index())?;
        let rest = rest.take_if(|r| r.as_of <= before)?;
        self.zones.entry(rest.zone).or_default().add(&rest, -1);
        self.awake.insert(id);
        Some(rest)
    }
}

impl Resting {
    fn add(&mut self, rest: &Rest, n: i32) {
        self.nodes = self.nodes.wrapping_add_signed(n);
        if !rest.excluded {
            let count =
                if rest.ready { &mut self.counted.ready } else { &mut self.counted.not_ready };
            *count = count.wrapping_add_signed(n);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(first: u64, count: u64) -> Skipped {
        Skipped { first: Time::from_secs(first), period: Dur::from_secs(5), count }
    }

    #[test]
    fn passes_on_one_grid_are_one_stretch() {
        let mut roster = Roster::default();
        // Passes at 5, 10, 15, 20; the next one is late, at 27, and 32 is on its grid.
        assert_eq!(roster.note_passes(passes(5, 1)), 0);
        assert_eq!(roster.note_passes(passes(10, 3)), 1);
        assert_eq!(roster.note_passes(passes(27, 1)), 4);
        assert_eq!(roster.note_passes(passes(32, 1)), 5);
        assert_eq!(roster.stretches.len(), 2);
        assert_eq!(roster.passes_between(2, 6), [passes(15, 2), passes(27, 2)]);
        assert_eq!(roster.passes_between(1, 3), [passes(10, 2)]);
        assert_eq!(roster.passes_between(5, 6), [passes(32, 1)]);
        assert_eq!(roster.passes_between(6, 6), []);
        let times = [1, 2, 4, 5, 6].map(|pass| roster.time_before(pass).map(|t| t.as_secs()));
        assert_eq!(times, [5, 10, 20, 27, 32].map(Some));
        let first = [0, 5, 6, 10, 21, 28, 33].map(|t| roster.first_pass_from(Time::from_secs(t)));
        assert_eq!(first, [0, 0, 1, 1, 4, 5, 6]);
    }

    #[test]
    fn what_rests_is_counted_until_it_is_roused() {
        let (mut roster, zone) = (Roster::default(), TextId(7));
        let counts = |r: &Roster| (r.counted().collect::<Vec<_>>(), r.zones().count(), r.len());
        for id in 0..3 {
            roster.member(NodeId(id), true);
        }
        let rest = Rest { zone, ready: true, excluded: false, as_of: 4 };
        roster.rest(NodeId(0), rest);
        roster.rest(NodeId(2), Rest { excluded: true, ..rest });
        assert_eq!(
            counts(&roster),
            (vec![(zone, ZoneConditions { ready: 1, not_ready: 0 })], 1, 3)
        );
        assert_eq!(
            (roster.awake().collect::<Vec<_>>(), roster.place(NodeId(2))),
            (vec![NodeId(1)], 2)
        );
        assert!(roster.take(NodeId(0), 3).is_none(), "it rests since the fourth pass");
        assert!(roster.take(NodeId(0), 4).is_some());
        assert_eq!(counts(&roster), (vec![], 1, 3));
        roster.member(NodeId(2), false);
        assert_eq!(counts(&roster), (vec![], 0, 2));
    }
}
