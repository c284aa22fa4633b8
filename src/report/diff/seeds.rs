//! The difference of two sides over many seeds as text.

use super::printer::{ROWS, header, notes};
use super::words::{PENDING, colour, detail, how, why};
use crate::analysis::diff::{FEWEST, OverSeeds, Pattern, Settings, Way};
use crate::analysis::words::{of_several, ranges};
use crate::language::few;
use crate::report::Source;
use crate::report::results::*;

/// One of the two sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeedSide<'a> {
    /// What was run.
    pub(crate) plan: &'a Plan,
    /// Where it came from; its seed is the first one.
    pub(crate) source: &'a Source,
}

/// Both, how they are set otherwise, and what differs.
pub(super) type OfSeeds<'a> = ([SeedSide<'a>; 2], &'a Settings, &'a OverSeeds);

/// Rows of what is chance; the rest is counted.
const CHANCE: usize = 12;
/// At most this many names are listed of what has one cause.
const NAMES: usize = 3;

/// The lines on both sides.
pub(super) fn headers(sides: [SeedSide<'_>; 2], d: &OverSeeds) -> [String; 2] {
    let first = sides[0].source.seed;
    let last = first.saturating_add(d.seeds.saturating_sub(1));
    sides.map(|s| header(s.plan, s.source, &format!("seeds {first} to {last}")))
}

/// Writes the difference for people.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, (sides, settings, d): OfSeeds<'_>) -> io::Result<()> {
    p.of_sentences();
    p.sides(headers(sides, d), &notes(sides.map(|s| s.plan), &d.late))?;
    let all = grouped(d.seeds);
    if d.same == d.seeds {
        let same = format!("Both sides came to the same in each of {all} seeds.");
        writeln!(p.out, "{}\n", p.painted(&same, GREEN))?;
        p.causes(settings)?;
        return p.switches(settings);
    }
    p.causes(settings)?;
    if d.seeds < FEWEST {
        p.folded(&too_few(d.seeds), 0, YELLOW)?;
        writeln!(p.out)?;
    }
    if d.same > 0 {
        writeln!(p.out, "Both sides came to the same in {} of {all} seeds.\n", grouped(d.same))?;
    }
    p.costs_over_seeds(d)?;
    if d.nearly_all.is_empty() {
        writeln!(p.out, "{}\n", p.painted("Nothing differs in nearly all seeds.", BOLD))?;
    }
    p.patterns("What differs in nearly all seeds", &d.nearly_all, d.seeds, ROWS)?;
    if d.seeds >= FEWEST {
        let compared = grouped(d.compared as u64);
        let said = format!(
            "By the sign test of equal seeds, at 5 % after Benjamini-Hochberg: {compared} things were compared."
        );
        p.folded(&said, 0, DIM)?;
        writeln!(p.out)?;
    }
    p.patterns("What is chance, or differs in fewer seeds", &d.chance, d.seeds, CHANCE)?;
    p.noise(&d.noise)?;
    p.switches(settings)
}

impl Printer<'_> {
    fn patterns(&mut self, head: &str, all: &[Pattern], seeds: u64, most: usize) -> io::Result<()> {
        if all.is_empty() {
            return Ok(());
        }
        self.title(head)?;
        let lines = together(all);
        let shown = &lines[..lines.len().min(most)];
        let width = shown.iter().map(|of| often(of, seeds).chars().count()).max().unwrap_or(0);
        for of in shown {
            write!(self.out, "  {:>width$}  ", often(of, seeds))?;
            let text = if let [one] = of[..] { said(one) } else { said_together(of) };
            self.folded(&text, width + 4, colour(of[0].kind.way, &of[0].kind.what))?;
        }
        if lines.len() > most {
            let more = grouped((lines.len() - most) as u64);
            writeln!(self.out, "  {more} more of these; -o json has all")?;
        }
        writeln!(self.out)
    }
}

/// What a person should know who compares over so few seeds.
pub(super) fn too_few(seeds: u64) -> String {
    format!(
        "With {} seeds nothing can be told from chance: what is chance may well look as if it always differed. Give --seeds {FEWEST} or more, better 20.",
        grouped(seeds)
    )
}

/// `18 of 20`, `18 to 20 of 20`
pub(super) fn often(of: &[&Pattern], seeds: u64) -> String {
    let least = of.iter().map(|p| p.seeds.0).min().unwrap_or_default();
    let most = of.iter().map(|p| p.seeds.1).max().unwrap_or_default();
    format!("{} of {}", span((least, most)), grouped(seeds))
}

/// Patterns that are the same of others: of many workloads, or of many nodes, one cause has made
/// them. Few of a kind stay apart.
fn together<'p>(list: &'p [Pattern]) -> Vec<Vec<&'p Pattern>> {
    let key = |p: &Pattern| (p.kind.what.clone(), p.kind.way, p.kind.of_pods);
    let mut lines: Vec<Vec<&Pattern>> = Vec::new();
    for p in list {
        match lines.iter_mut().find(|l| key(l[0]) == key(p)) {
            Some(line) => line.push(p),
            None => lines.push(vec![p]),
        }
    }
    let alone = |line: Vec<&'p Pattern>| line.into_iter().map(|p| vec![p]).collect();
    lines.into_iter().flat_map(|l| if l.len() > NAMES { vec![l] } else { alone(l) }).collect()
}

/// `40 to 44 pods of 12 workloads evicted: 9s to 10.5s later in B (Deployment default/web, … )`
fn said_together(of: &[&Pattern]) -> String {
    let thing = if of[0].kind.of_pods { "pod" } else { "node" };
    let objects = of.iter().map(|p| p.tally.objects);
    let objects = objects.fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1));
    let name = |p: &&Pattern| match &p.kind.of {
        Some(of) => of.clone(),
        None => p.objects.first().cloned().unwrap_or_default(),
    };
    let names: BTreeSet<String> = of.iter().map(name).filter(|n| !n.is_empty()).collect();
    let shifts = of.iter().filter_map(|p| p.tally.shift);
    let shift = shifts.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let subject = format!("{} {thing}s", span(objects));
    let how = how(of[0].kind.way, shift);
    format!("{subject} {}: {how} ({})", of_several(&of[0].kind.what), few(NAMES, names))
}

/// `3`, `3 to 5`
fn span((least, most): (u64, u64)) -> String {
    if least == most { grouped(least) } else { format!("{} to {}", grouped(least), grouped(most)) }
}

/// `10 pods of Deployment default/web evicted: 4m earlier in B`
pub(super) fn said(p: &Pattern) -> String {
    let thing = if p.kind.of_pods { "pod" } else { "node" };
    let names = &p.objects;
    let of = match &p.kind.of {
        Some(of) if p.kind.of_pods => format!(" of {of}"),
        Some(of) => format!(" {of}"),
        None => String::new(),
    };
    // One that shares its name with no other needs no number.
    let counted_as = match p.tally.objects {
        (1, 1) if !p.kind.of_pods && !of.ends_with('…') => thing.to_owned(),
        (1, 1) => format!("1 {thing}"),
        objects => format!("{} {thing}s", span(objects)),
    };
    let few = names.len() as u64;
    let subject = match &p.kind.of {
        // What has no object belongs to nothing.
        None if names.is_empty() => String::new(),
        // Always these and no others.
        _ if few == 1 && p.tally.objects == (1, 1) => names[0].clone(),
        Some(_) if p.tally.objects == (few, few) && p.kind.of_pods => {
            format!("{counted_as}{of} ({})", ranges(names))
        }
        _ if p.tally.objects == (few, few) => ranges(names),
        _ if names.is_empty() => format!("{counted_as}{of}"),
        _ => format!("{counted_as}{of}, nearly always among them {},", ranges(names)),
    };
    let details = p.details();
    let beside = match p.kind.way {
        _ if p.kind.what == PENDING => why(&details),
        Way::Otherwise => String::new(),
        _ => detail(&details),
    };
    let how = match (p.kind.way, &details) {
        (Way::Otherwise, [Some(a), Some(b)]) => format!("{a} in A, {b} in B"),
        (way, _) => how(way, p.tally.shift),
    };
    let space = if subject.is_empty() { "" } else { " " };
    let what = match p.tally.objects {
        (1, 1) => p.kind.what.clone(),
        _ => of_several(&p.kind.what),
    };
    format!("{subject}{space}{what}{beside}: {how}")
}
