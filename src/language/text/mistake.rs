//! What is wrong with the form of a text, in a person's words: a word that the language does not
//! have, a field that is missing, a value of another kind; and where it stands.

use super::problem::{Problem, Source, did_you_mean, spelt};
use crate::language::names::apart;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// What people call the types of the language whose names do not say it.
const THINGS: [(&str, &str); 19] = [
    ("Workload", "a kind of workload"),
    ("WorkloadGroup", "a workload"),
    ("PodDisruptionBudget", "a disruption budget"),
    ("Controllers", "a controller that can be switched off"),
    ("Entry", "a timeline entry"),
    ("Step", "a fault or action"),
    ("Quantity", "a figure"),
    ("Placement", "a placement of pods"),
    ("Effect", "a taint's effect"),
    ("Existing", "what becomes of pods that exist"),
    ("Flags", "`flags`"),
    ("Timing", "a timing"),
    ("ConditionKind", "a condition that Kubernetes itself sets"),
    ("Status", "a condition's status"),
    ("Resource", "a watched resource"),
    ("NodeStart", "a way to start"),
    ("PodStart", "a way to start"),
    ("Phase", "a pod's phase"),
    ("DrainFlags", "`drain`"),
];

/// What else people write as a claim: records, of which none is to be.
const RECORDS: &str = "Deleted Gone Created Bound Phase PodCondition TimerSet TimerCancelled EvictionFailed Tainted Untainted Condition Cordoned Uncordoned ZoneState MasterDisruption Event Pending";

/// A mistake; small where there is none.
#[derive(Debug)]
pub struct Mistake(Box<Inner>);

#[derive(Debug)]
struct Inner {
    what: What,
    /// What it is a field or variant of, as people call it.
    of: Option<String>,
    help: Option<String>,
    found: Option<Found>,
}

#[derive(Debug)]
enum What {
    Field {
        found: String,
        known: &'static [&'static str],
    },
    Variant {
        found: String,
        known: &'static [&'static str],
    },
    Missing(&'static str),
    Twice(String),
    /// Something is missing that has no name.
    Less(String),
    Said(String),
}

/// Where a mistake is.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Where the part begins that cannot be read.
    pub(crate) part: usize,
    /// What is underlined.
    pub(crate) shown: Range<usize>,
}

impl Mistake {
    fn new(what: What) -> Self {
        Self(Box::new(Inner { what, of: None, help: None, found: None }))
    }

    /// A mistake in words of its own.
    pub(crate) fn said(text: impl Into<String>) -> Self {
        Self::new(What::Said(text.into()))
    }

    /// The key of a map that stands twice.
    pub(crate) fn twice(key: &str, bytes: Range<usize>) -> Self {
        Self::new(What::Twice(key.to_owned())).at(bytes.start, bytes)
    }

    /// Something has too few parts; what it should have.
    pub(crate) fn less(text: &str) -> Self {
        Self::new(What::Less(text.to_owned()))
    }

    /// With a hint, if there is one.
    pub(crate) fn help(mut self, help: Option<String>) -> Self {
        self.0.help = help.or(self.0.help);
        self
    }

    /// With the part that begins at this byte and the bytes to show, unless it is known where it
    /// is.
    pub(crate) fn at(mut self, part: usize, shown: Range<usize>) -> Self {
        self.0.found.get_or_insert(Found { part, shown });
        self
    }

    /// Of a type of the language, unless it is known of what.
    pub(crate) fn of_type(mut self, name: &str) -> Self {
        self.0.of.get_or_insert_with(|| thing(name));
        self
    }

    /// Of a variant, unless it is known of what.
    pub(crate) fn of_variant(mut self, name: &str) -> Self {
        self.0.of.get_or_insert_with(|| format!("`{name}`"));
        self
    }

    /// Whether a word is not among the variants of an enumeration.
    pub(crate) fn is_variant(&self) -> bool {
        matches!(self.0.what, What::Variant { .. })
    }

    /// A field that is not known where it stands, and that is like none of those that are.
    pub(crate) fn stray(&self) -> Option<&str> {
        let What::Field { found, known } = &self.0.what else { return None };
        let like = did_you_mean(found, known.iter().map(|name| spelt(name)));
        (like.is_none() && self.instead().is_none()).then_some(found)
    }

    /// What to do about a word that stands for another.
    fn instead(&self) -> Option<&'static str> {
        static TABLE: OnceLock<Vec<(String, String, String)>> = OnceLock::new();
        let (What::Field { found, known } | What::Variant { found, known }) = &self.0.what else {
            return None;
        };
        let read = || ron::from_str(include_str!("instead.ron")).unwrap_or_default();
        let among = |all: &str| all.split(' ').all(|one| known.contains(&one));
        let is_one = |all: &str| all.split(' ').any(|one| one.eq_ignore_ascii_case(found));
        let mut rows = TABLE.get_or_init(read).iter();
        rows.find(|(these, words, _)| is_one(words) && among(these)).map(|(.., help)| &**help)
    }

    /// Whether a field stands twice.
    pub(crate) fn is_twice(&self) -> bool {
        matches!(self.0.what, What::Twice(_))
    }

    /// Whether something is missing.
    pub(crate) fn is_lack(&self) -> bool {
        matches!(self.0.what, What::Missing(_) | What::Less(_))
    }

    /// Where it is.
    pub(crate) fn found(&self) -> Option<&Found> {
        self.0.found.as_ref()
    }

    /// As a problem of the text that it stands in.
    pub(crate) fn problem(&self, source: &Source) -> Problem {
        match &self.0.found {
            Some(found) => {
                let written = source.text.get(found.shown.clone());
                self.words_for(written).at(source, found.shown.clone())
            }
            None => self.words(),
        }
    }

    /// As a problem without a place.
    pub(crate) fn words(&self) -> Problem {
        self.words_for(None)
    }

    /// As a problem without a place; a field is named as it was written, with its dashes.
    fn words_for(&self, written: Option<&str>) -> Problem {
        let inner = &self.0;
        let of = inner.of.as_deref();
        let problem = match &inner.what {
            What::Field { found, known } => {
                let of = of.map_or(String::new(), |of| format!(" of {of}"));
                let written = written.filter(|w| w.replace('-', "_") == *found);
                let name = written.map_or_else(|| spelt(found), str::to_owned);
                Problem::new(format!("`{name}` is not a field{of}"))
                    .meant(found, known.iter().map(|name| spelt(name)))
            }
            What::Variant { found, known } => {
                let of = of.unwrap_or("known here");
                let problem = Problem::new(format!("`{found}` is not {of}"));
                match of == "a claim" && RECORDS.split(' ').any(|kind| kind == found) {
                    true => {
                        problem.help(format!("write `{found}(count: 0, …)`, which stands alone"))
                    }
                    false => problem.meant(found, *known),
                }
            }
            What::Missing(field) => {
                let of = of.map_or("here".to_owned(), |of| format!("in {of}"));
                let help = (*field == "on").then(|| "every pod says where it is: `on: Node(\"a-03\")`, `on: Spread(Zone(\"b\"))`, `on: Each(All)`, `on: Unbound`".to_owned());
                Problem::new(format!("`{field}` is missing {of}")).maybe_help(help)
            }
            What::Twice(field) => Problem::new(format!("`{field}` stands here twice")),
            What::Less(text) | What::Said(text) => Problem::new(text.clone()),
        };
        problem.maybe_help(self.instead().map(str::to_owned)).maybe_help(inner.help.clone())
    }
}

/// What people call a type of the language: `NodeGroup` is a node group.
fn thing(name: &str) -> String {
    if let Some((_, thing)) = THINGS.iter().find(|(own, _)| *own == name) {
        return (*thing).to_owned();
    }
    if name.ends_with('s') {
        return format!("`{name}`");
    }
    let words = apart(name, ' ');
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {words}")
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words().fmt(f)
    }
}

impl std::error::Error for Mistake {}

impl serde::de::Error for Mistake {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::said(text.to_string())
    }

    fn invalid_type(found: serde::de::Unexpected<'_>, wanted: &dyn serde::de::Expected) -> Self {
        Self::invalid_value(found, wanted)
    }

    fn invalid_value(found: serde::de::Unexpected<'_>, wanted: &dyn serde::de::Expected) -> Self {
        use serde::de::Unexpected::{Seq, Unsigned};
        let wanted = wanted.to_string();
        let is_time = wanted.starts_with("a duration") || wanted.starts_with("a time");
        let help = match found {
            Unsigned(n) if is_time => Some(format!("write `\"{n}s\"` for seconds")),
            _ => None,
        };
        let found = if found == Seq { "a list".to_owned() } else { found.to_string() };
        Self::said(format!("expected {wanted}, found {found}")).help(help)
    }

    fn invalid_length(length: usize, wanted: &dyn serde::de::Expected) -> Self {
        let found = match length {
            0 => "zero elements".to_owned(),
            1 => "one element".to_owned(),
            n => format!("{n} elements"),
        };
        Self::less(&format!("expected {wanted} but found {found} instead"))
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        let found = found.to_owned();
        Self::new(What::Variant { found, known })
    }

    fn unknown_field(found: &str, known: &'static [&'static str]) -> Self {
        let found = found.to_owned();
        Self::new(What::Field { found, known })
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(What::Missing(field))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(What::Twice(field.to_owned()))
    }
}
