//! What is wrong with a scenario, and where: a message, the text it is about, and a hint.

use crate::api::spelling;
use crate::api::workload::{is_called, told_apart};
use crate::files::{acts, line, shown};
use crate::language::numbers::few;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text that a problem points into: a scenario file, or a `--set`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// What people call it: the path as given, `stdin`, `--set`.
    pub(crate) name: Arc<str>,
    /// All of it.
    pub text: Arc<String>,
}

impl Source {
    /// A source under the name that people will see.
    pub(crate) fn new(name: &str, text: String) -> Self {
        Self { name: name.into(), text: Arc::new(text) }
    }

    /// Line and column of a byte, both from 1, columns in characters.
    pub fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(byte)];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (
            before.bytes().filter(|&b| b == b'\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct Problem {
    /// What is wrong, in one sentence.
    pub message: String,
    /// A hint how to put it right, often "did you mean …".
    pub help: Option<String>,
    pub(crate) place: Option<(Source, Range<usize>)>,
}

impl Problem {
    /// A problem without a place in a text.
    pub fn new(message: impl ToString) -> Self {
        Self { message: message.to_string(), help: None, place: None }
    }

    /// With the bytes of a text that it is about.
    #[must_use]
    pub(crate) fn at(mut self, source: &Source, bytes: Range<usize>) -> Self {
        self.place = Some((source.clone(), bytes));
        self
    }

    /// With a hint.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With a hint, if there is one.
    #[must_use]
    pub(crate) fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// With what it is about before its message.
    #[must_use]
    pub(crate) fn about(mut self, what: &str) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// With the hint which of these is meant, or else which there are.
    #[must_use]
    pub(crate) fn meant(
        self,
        word: &str,
        candidates: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        self.maybe_help(did_you_mean_or_list(word, candidates))
    }

    /// With this hint where it has none yet.
    #[must_use]
    pub fn or_help(mut self, help: &str) -> Self {
        self.help.get_or_insert_with(|| help.to_owned());
        self
    }

    /// Line and column where it begins, from 1, if it has a place.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|(source, bytes)| source.line_and_column(bytes.start))
    }

    /// The name of the source that it has a place in.
    pub fn source(&self) -> Option<&str> {
        self.place.as_ref().map(|(source, _)| &*source.name)
    }

    /// With another name for its source.
    #[must_use]
    pub(crate) fn source_named(mut self, name: &str) -> Self {
        if let Some((source, _)) = &mut self.place {
            source.name = name.into();
        }
        self
    }

    /// Whether the lines that would be drawn are few and short enough for a reader; a file may be
    /// one line of megabytes.
    pub(crate) fn is_drawable(&self) -> bool {
        const LINES: usize = 40;
        const LENGTH: usize = 400;
        let Some((source, bytes)) = &self.place else { return true };
        let text = source.text.as_bytes();
        let start = bytes.start.min(text.len());
        let end = bytes.end.min(text.len()).max(start);
        // The rest of the lines on both sides; a byte too many is enough to know.
        let is_near = |b: &&u8| **b != b'\n';
        let from = start - text[..start].iter().rev().take(LENGTH + 1).take_while(is_near).count();
        let to = end + text[end..].iter().take(LENGTH + 1).take_while(is_near).count();
        let mut lines = text[from..to].split(|b| *b == b'\n');
        lines.by_ref().take(LINES).all(|line| line.len() <= LENGTH) && lines.next().is_none()
    }

    /// The same with texts that only show something. In the source each character that does more
    /// becomes one that stands for it, so that columns stay what they are. `clean` is the last
    /// source in which none does: many problems share one, which may be long.
    pub(crate) fn harmless(&self, clean: &mut Option<Arc<String>>) -> Self {
        let pictured = |text: &str| -> String {
            let picture = |c: char| match c {
                c if !acts(c) => c,
                '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
                '\x7f' => '\u{2421}',
                _ => '\u{fffd}',
            };
            text.chars().map(picture).collect()
        };
        let place = self.place.as_ref().map(|(source, bytes)| {
            if !clean.as_ref().is_some_and(|c| Arc::ptr_eq(c, &source.text))
                && !source.text.contains(acts)
            {
                *clean = Some(source.text.clone());
            }
            if clean.as_ref().is_some_and(|c| Arc::ptr_eq(c, &source.text)) {
                return (source.clone(), bytes.clone());
            }
            let at =
                |byte: usize| pictured(&source.text[..source.text.floor_char_boundary(byte)]).len();
            (
                Source { name: source.name.clone(), text: Arc::new(pictured(&source.text)) },
                at(bytes.start)..at(bytes.end),
            )
        });
        let place = place
            .map(|(source, bytes)| (Source { name: line(&source.name).into(), ..source }, bytes));
        Self {
            message: shown(&self.message).into_owned(),
            help: self.help.as_deref().map(|h| shown(h).into_owned()),
            place,
        }
    }

    /// The bytes of the source that it is about.
    pub fn bytes(&self) -> Option<Range<usize>> {
        self.place.as_ref().map(|(_, bytes)| bytes.clone())
    }

    /// The text it is about, if it has a place.
    pub fn text(&self) -> Option<&str> {
        self.place.as_ref().and_then(|(source, bytes)| source.text.get(bytes.clone()))
    }
}

/// `zone.ron:3:7: the message`, followed by the hint on a line of its own.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((source, bytes)) = &self.place {
            let (line, column) = source.line_and_column(bytes.start);
            write!(f, "{}:{line}:{column}: ", source.name)?;
        }
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "\n  help: {help}"))
    }
}

/// All that is wrong with a scenario, in the order in which it stands in the file. Never empty.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// A single problem.
    pub fn one(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

/// Every problem on lines of its own.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        f.write_str(&all.join("\n"))
    }
}

/// How many words a misspelt one is compared with.
const CANDIDATES_MAX: usize = 10_000;

/// "did you mean `x`?", if something is near enough. Single letters are near to each other.
pub(crate) fn did_you_mean(
    word: &str,
    candidates: impl IntoIterator<Item = impl AsRef<str>>,
) -> Option<String> {
    word.chars().nth(1)?;
    let candidates: Vec<_> = candidates.into_iter().take(CANDIDATES_MAX).collect();
    spelling::nearest(word, candidates.iter().map(AsRef::as_ref))
        .map(|c| format!("did you mean `{c}`?"))
}

/// The near one, or else all of them: "did you mean `x`?" or "one of `x`, `y`".
pub(crate) fn did_you_mean_or_list(
    word: &str,
    candidates: impl IntoIterator<Item = impl AsRef<str>>,
) -> Option<String> {
    let all: Vec<_> = candidates.into_iter().collect();
    // No type of the language has more words; other lists are cut.
    const SHOWN: usize = 64;
    let listed = || few(SHOWN, all.iter().map(|word| format!("`{}`", word.as_ref())));
    did_you_mean(word, &all).or_else(|| (!all.is_empty()).then(|| format!("one of {}", listed())))
}

/// That a name is one of several, and how each of these is called: "`web` names 2 workloads: `a/web`, `b/web`".
pub(crate) fn names_several(
    name: &str,
    what: &str,
    each: impl ExactSizeIterator<Item = String>,
) -> Problem {
    let count = each.len();
    let all = few(8, each.map(|called| format!("`{called}`")));
    Problem::new(format!("`{name}` names {count} {what}s: {all}"))
}

/// A name that fits several, each with a name that says which.
pub(crate) fn ambiguous<'n>(
    text: &str,
    what: &str,
    names: impl ExactSizeIterator<Item = &'n str> + Clone,
) -> Problem {
    let apart = |full| told_apart(full, names.clone());
    let problem = names_several(text, what, names.clone().map(apart));
    problem.help("say which, with what stands before its name")
}

/// What a person calls so, of things with names `Kind/namespace/name`; of several of one name the first.
pub(crate) fn one_of<'n, T>(
    text: &str,
    what: &str,
    all: impl Iterator<Item = (&'n str, T)>,
) -> Result<Option<T>, Problem> {
    let mut found = BTreeMap::new();
    for (full, one) in all.filter(|(full, _)| is_called(full, text)) {
        found.entry(full).or_insert(one);
    }
    match found.len() {
        0 | 1 => Ok(found.into_values().next()),
        _ => Err(ambiguous(text, what, found.keys().copied())),
    }
}

/// A field's name as people write it: those of components have dashes, `kube-apiserver`.
pub(super) fn spelt(name: &str) -> String {
    if name.starts_with("kube_") { name.replace('_', "-") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The language has 46 faults and actions: whoever looks for one of them has to see it.
    #[test]
    fn all_words_of_a_type_are_listed() {
        let words: Vec<String> = (0..46).map(|i| format!("Word{i:02}")).collect();
        let said = did_you_mean_or_list("other", &words).expect("there are some");
        assert!(said.ends_with("`Word44`, `Word45`"), "{said}");
        let many: Vec<String> = (0..66).map(|i| format!("Word{i:02}")).collect();
        let said = did_you_mean_or_list("other", &many).expect("there are some");
        assert!(said.ends_with("`Word63` and 2 more"), "{said}");
    }

    #[test]
    fn columns_count_characters() {
        let source = Source::new("f", "ä: b\nüx".to_owned());
        assert_eq!(source.line_and_column(0), (1, 1));
        assert_eq!(source.line_and_column("ä: ".len()), (1, 4));
        assert_eq!(source.line_and_column("ä: b\nü".len()), (2, 2));
        assert_eq!(source.line_and_column(10_000), (2, 3), "past the end is the end");
    }
}
