//! When entries of the timeline begin: `10m`, `cut b + 50s`, `end of cut b + 5s`.

use super::prelude::*;

/// When an entry happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrences {
    /// When it begins for the first time.
    pub(super) first: Time,
    /// How long after each beginning it begins again.
    every: Dur,
    /// How often in all.
    pub(super) times: u32,
    /// How long each lasts, if it ends.
    pub(super) lasts: Option<Dur>,
}

impl Occurrences {
    /// The beginning of the occurrence of that number, from 0.
    pub(super) fn begin(&self, n: u32) -> Time {
        self.first.saturating_add(self.every.saturating_mul(u64::from(n)))
    }

    /// The end of the last one, if it ends.
    fn last_end(&self) -> Option<Time> {
        self.lasts.map(|d| self.begin(self.times - 1).saturating_add(d))
    }
}

/// One entry's time as it was read.
struct Spoken<'a> {
    /// The entry that it is relative to, and whether to its end; to the start of the run if none.
    entry: Option<(&'a str, bool)>,
    offset_ns: i64,
}

impl Spoken<'_> {
    /// The time, by when the entry happens that it is relative to.
    fn time(&self, entry: Option<Occurrences>) -> Result<Time, Nothing> {
        let base = match self.entry.zip(entry) {
            None => Time::ZERO,
            Some(((_, false), entry)) => entry.first,
            Some(((name, true), entry)) => {
                entry.last_end().ok_or_else(|| Problem::new(format!("`{name}` has no end")))?
            }
        };
        let nanos = i128::from(base.as_nanos()) + i128::from(self.offset_ns);
        u64::try_from(nanos)
            .map(Time::from_nanos)
            .map_err(|_| Some(Problem::new("this is before the start of the run")))
    }
}

/// How many entries may refer to each other in a chain.
const CHAIN_MAX: usize = 1000;

pub(super) struct Resolver<'a> {
    entries: &'a [Entry],
    names: BTreeMap<&'a str, usize>,
    /// The entries that the file has.
    written: &'a [Entry],
    /// What is known of each without its time: as if it happened at the start.
    shapes: Vec<Option<Occurrences>>,
    found: Vec<Option<Option<Occurrences>>>,
    incomplete: bool,
    complaints: &'a Complaints,
}

/// When each entry happens. `lasts` says how long an entry lasts, if it ends. `incomplete`: entries
/// are missing for mistakes of their own, so that an unknown name is no mistake. The file may have `written` more of them.
pub(super) fn resolve<'a>(
    (entries, written): (&'a [Entry], &'a [Entry]),
    lasts: &[Option<Dur>],
    incomplete: bool,
    complaints: &'a Complaints,
) -> Resolver<'a> {
    let mut names = BTreeMap::new();
    for (i, entry) in entries.iter().enumerate() {
        let Some(name) = entry.name.as_deref() else { continue };
        let place = complaints.at(at!["timeline", i, "name"]);
        if name.trim().is_empty() || name.trim() != name {
            place.say("a name is not empty and has no blanks around it");
        } else if duration::parse(name).is_ok() {
            place.say("a name that reads as a duration could not be referred to");
        } else if names.insert(name, i).is_some() {
            place.say(format!("two entries are named `{name}`"));
        }
    }
    let shapes =
        entries.iter().enumerate().map(|(i, e)| repeated(i, e, lasts[i], complaints)).collect();
    let found = vec![None; entries.len()];
    let mut resolver = Resolver { entries, names, written, shapes, found, incomplete, complaints };
    for i in 0..entries.len() {
        resolver.entry(i, &mut Vec::new());
    }
    resolver
}

fn repeated(
    i: usize,
    entry: &Entry,
    lasts: Option<Dur>,
    complaints: &Complaints,
) -> Option<Occurrences> {
    let first = Time::ZERO;
    let place = |field: &str| complaints.at(at!["timeline", i, field]);
    let every = entry.every.as_ref().map(|text| place("every").take(values::positive(text)));
    match (every, entry.times) {
        (None, None) => Some(Occurrences { first, every: Dur::ZERO, times: 1, lasts }),
        (Some(_), None) => {
            let problem = Problem::new("`every` needs `times`: how often in all");
            place("every").refuse(problem.help("`times: 3`"))
        }
        (None, Some(_)) => {
            let problem = Problem::new("`times` needs `every`: how long after each beginning");
            place("times").refuse(problem.help("`every: \"5m\"`"))
        }
        (Some(_), Some(0)) => place("times").deny("an entry happens at least once"),
        (Some(every), Some(times)) => {
            let every = every?;
            if lasts.is_some_and(|lasts| lasts > every) {
                return place("every").deny("this entry would begin again before it has ended");
            }
            Some(Occurrences { first, every, times, lasts })
        }
    }
}

impl<'a> Resolver<'a> {
    /// When the entry of that number happens; nothing if a complaint is about it.
    pub(super) fn of(&self, i: usize) -> Option<Occurrences> {
        self.found[i].flatten()
    }

    /// A time of the run, absolute or relative to an entry; nothing if a complaint is about that
    /// entry.
    pub(super) fn moment(&self, text: &str) -> Result<Time, Nothing> {
        let spoken = self.read(text)?;
        let entry = spoken.entry.map(|(name, _)| self.of(self.names[name]).ok_or(None));
        spoken.time(entry.transpose()?)
    }

    /// When an entry happens; `waiting` are the entries whose time depends on it.
    fn entry(&mut self, i: usize, waiting: &mut Vec<usize>) -> Option<Occurrences> {
        if let Some(found) = self.found[i] {
            return found;
        }
        let place = self.complaints.at(at!["timeline", i, "at"]);
        if waiting.contains(&i) || waiting.len() >= CHAIN_MAX {
            return place.deny("the time of this entry depends on itself");
        }
        waiting.push(i);
        let first = self.first(i, waiting);
        waiting.pop();
        let first = place.take(first);
        let found = first.zip(self.shapes[i]).map(|(first, shape)| Occurrences { first, ..shape });
        self.found[i] = Some(found);
        found
    }

    fn first(&mut self, i: usize, waiting: &mut Vec<usize>) -> Result<Time, Nothing> {
        let spoken = self.read(&self.entries[i].at)?;
        let entry = |(name, _)| self.entry(self.names[name], waiting).ok_or(None);
        spoken.time(spoken.entry.map(entry).transpose()?)
    }

    /// Reads a time. A name may contain anything: the longest known one that the text begins with
    /// counts.
    fn read<'t>(&self, text: &'t str) -> Result<Spoken<'a>, Nothing>
    where
        'a: 't,
    {
        let text = text.trim();
        let absolute = values::signed(text);
        if let Ok(offset_ns) = absolute {
            return Ok(Spoken { entry: None, offset_ns });
        }
        if let Some((name, rest)) = self.begins(text) {
            let offset_ns = offset(rest).map_err(Some)?;
            return Ok(Spoken { entry: Some((name, false)), offset_ns });
        }
        if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
            let hint = text.split_once("..").map(|(from, to)| {
                format!("this is one time; expectations take two: `between: ({from:?}, {to:?})`")
            });
            return absolute
                .map(|offset_ns| Spoken { entry: None, offset_ns })
                .map_err(|problem| Some(problem.maybe_help(hint)));
        }
        for (prefix, end) in [("end of ", true), ("begin of ", false), ("start of ", false)] {
            if let Some(rest) = text.strip_prefix(prefix) {
                let (name, rest) =
                    self.begins(rest.trim_start()).ok_or_else(|| self.unknown(rest))?;
                let offset_ns = offset(rest).map_err(Some)?;
                return Ok(Spoken { entry: Some((name, end)), offset_ns });
            }
        }
        Err(self.unknown(text))
    }

    fn begins<'t>(&self, text: &'t str) -> Option<(&'a str, &'t str)> {
        longest_name(self.names.keys().copied(), text)
    }

    fn unknown(&self, text: &str) -> Nothing {
        if self.incomplete {
            return None;
        }
        // The one setting that takes entries away.
        let written = self.written.iter().filter_map(|entry| entry.name.as_deref());
        if let Some((name, _)) = longest_name(written, text.trim()) {
            let text =
                format!("the entry `{name}` is not there: the setting `timeline=[]` took it away");
            return Some(
                Problem::new(text).help("leave out that setting, or here what names the entry"),
            );
        }
        let name = text.rsplit_once(['+', '-']).map_or(text, |(name, _)| name).trim();
        let problem = Problem::new(format!("there is no entry named `{name}`"));
        let help = did_you_mean(name, self.names.keys().copied());
        Some(problem.maybe_help(help).or_help("a time is a duration from the start, \"10m\", or relative to a named entry, \"cut b + 50s\""))
    }
}

/// The longest of these names that the text begins with, and what follows it.
fn longest_name<'n, 't>(
    names: impl Iterator<Item = &'n str>,
    text: &'t str,
) -> Option<(&'n str, &'t str)> {
    let ends_there =
        |rest: &str| rest.trim_start().is_empty() || rest.trim_start().starts_with(['+', '-']);
    let fitting = names
        .filter_map(|name| Some((name, text.strip_prefix(name).filter(|rest| ends_there(rest))?)));
    fitting.max_by_key(|(name, _)| name.len())
}

/// ` + 50s`, ` - 5s`, or nothing.
fn offset(rest: &str) -> Result<i64, Problem> {
    let rest = rest.trim();
    match rest.chars().next() {
        None => Ok(0),
        Some(sign) => {
            let ns = values::signed(rest[1..].trim())?;
            if ns < 0 {
                return Err(Problem::new(format!("`{rest}` has two signs")));
            }
            Ok(if sign == '-' { -ns } else { ns })
        }
    }
}
