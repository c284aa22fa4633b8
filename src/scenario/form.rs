//! Mistakes of form: what `ron` cannot read.
//!
//! `ron` stops at the first mistake. To name all of them, the text of the field or element that
//! holds the mistake is blanked out and the rest is read again; positions stay as they are.

use super::damage::Damage;
use super::explain::{explain, number_meant};
use crate::language::Scenario;
use crate::language::text::place::{Place, Step};
use crate::language::text::ron_options::options;
use crate::language::text::syntax::{Part, Tree};
use crate::language::text::undashed::undashed;
use crate::language::{Problem, Source};
use ron::error::SpannedError;
use std::collections::BTreeSet;
use std::ops::Range;

/// How many mistakes of form are named before reading stops.
const MISTAKES_MAX: usize = 50;

/// How many bytes are read again to find further mistakes.
const REREAD_BYTES_MAX: usize = 64 << 20;

/// The result of reading a text.
pub(super) struct Read {
    /// What could be read without the mistakes, if anything could.
    pub(super) spec: Option<Scenario>,
    /// The text that it was read from: the source with the mistakes blanked out.
    pub(super) left: String,
    /// Every mistake of form.
    pub(super) problems: Vec<Problem>,
    /// What is lost.
    pub(super) damage: Damage,
}

/// Reads the text, and names every mistake of form.
pub(super) fn read_text(source: &Source) -> Read {
    let mut text = undashed(&source.text);
    let mut problems = Vec::new();
    let mut damage = Damage::default();
    // Structs that lost a field to a mistake, by where they begin: that they now lack it is no
    // mistake of its own.
    let mut damaged = BTreeSet::new();
    loop {
        let error = match options().from_str::<Scenario>(&text) {
            Ok(spec) => {
                problems.extend(doubled_keys(source));
                return Read {
                    spec: Some(spec),
                    left: text,
                    problems,
                    damage,
                };
            }
            Err(error) => error,
        };
        let found = bytes_of(&text, &error);
        let tree = Tree::read(&text);
        let owner = tree.as_ref().and_then(|t| owner(t, &found, &error));
        let follows = matches!(&error.code, ron::Error::MissingStructField { .. })
            && owner.as_ref().is_some_and(|o| damaged.contains(&o.holder));
        if !follows {
            let shown = owner
                .as_ref()
                .and_then(|o| o.shown.clone())
                .unwrap_or_else(|| found.clone());
            let problem = explain(&error);
            let help = match (&error.code, owner.as_ref().and_then(|o| o.place.last())) {
                (ron::Error::ExpectedInteger, Some(Step::Key(field))) => {
                    text.get(shown.clone()).and_then(|t| number_meant(field, t))
                }
                _ => None,
            };
            problems.push(problem.maybe_help(help).at(source, shown));
        }
        // A mistake of syntax, or one that is in the whole file: nothing else can be said.
        let again =
            problems.len() < MISTAKES_MAX && (problems.len() * text.len()) < REREAD_BYTES_MAX;
        let Some(owner) = owner.filter(|o| !o.blank.is_empty() && again) else {
            break;
        };
        damage.add(&owner.place);
        damaged.insert(owner.outer);
        let mut end = owner.blank.end;
        let after = text[end..].trim_start();
        if after.starts_with(',') {
            end = text.len() - after.len() + 1;
        }
        let blank: String = text[owner.blank.start..end]
            .chars()
            .map(|c| if c == '\n' { '\n' } else { ' ' })
            .collect();
        // Characters of several bytes become one space each, so spaces are added to keep every
        // later position.
        let lost = end - owner.blank.start - blank.len();
        text.replace_range(owner.blank.start..end, &(blank + &" ".repeat(lost)));
    }
    problems.sort_by_key(|p| p.bytes().map_or(0, |b| b.start));
    Read {
        spec: None,
        left: text,
        problems,
        damage,
    }
}

/// What a mistake belongs to.
struct Owner {
    /// The place of the part that is blanked out.
    place: Place,
    /// The part that is blanked out.
    blank: Range<usize>,
    /// Where the innermost value begins that holds the mistake.
    holder: usize,
    /// Where the value begins that loses the part.
    outer: usize,
    /// What is underlined, if not what `ron` points at.
    shown: Option<Range<usize>>,
}

/// What the mistake that `ron` found at these bytes belongs to.
fn owner(tree: &Tree, found: &Range<usize>, error: &SpannedError) -> Option<Owner> {
    // The chain of parts from the top to the place.
    let byte = if matches!(error.code, ron::Error::MissingStructField { .. }) {
        found.start.saturating_sub(1)
    } else {
        found.start
    };
    let mut chain: Vec<(&Tree, &Part)> = Vec::new();
    let mut place = Place::new();
    let mut value = tree;
    while let Some((i, part)) = value
        .parts
        .iter()
        .enumerate()
        .find(|(_, p)| p.bytes().contains(&byte))
    {
        chain.push((value, part));
        place.push(
            part.key
                .as_ref()
                .map_or(Step::Index(i), |(k, _)| Step::Key(k.clone())),
        );
        value = &part.value;
    }
    match &error.code {
        ron::Error::MissingStructField { .. } => lacking(tree, &chain, &place, found.start),
        ron::Error::Eof
        | ron::Error::ExpectedComma
        | ron::Error::ExpectedStringEnd
        | ron::Error::TrailingCharacters => None,
        _ => {
            // A group without its name is no group: it is lost as a whole.
            let group = matches!(&place[..], [Step::Key(all), Step::Index(_), Step::Key(name)]
                if ["nodes", "pods"].contains(&all.as_str()) && ["name", "names"].contains(&name.as_str()));
            let shown = chain.last()?.1.value.bytes.clone();
            if group {
                chain.pop();
                place.pop();
            }
            let (outer, part) = chain.last()?;
            // `ron` points at the word it does not know, but only somewhere near a value it cannot
            // use.
            let word = matches!(
                &error.code,
                ron::Error::NoSuchStructField { .. }
                    | ron::Error::NoSuchEnumVariant { .. }
                    | ron::Error::DuplicateStructField { .. }
                    | ron::Error::ExpectedDifferentStructName { .. }
            );
            let shown = (!word).then_some(shown);
            Some(Owner {
                place,
                blank: part.bytes(),
                holder: part.value.bytes.start,
                outer: outer.bytes.start,
                shown,
            })
        }
    }
}

/// The struct that lacks a field, as far as `ron` has read at that byte. It points behind the last
/// field, so the last part may be that field: the struct is the one around it that ends next.
fn lacking(tree: &Tree, chain: &[(&Tree, &Part)], place: &Place, byte: usize) -> Option<Owner> {
    let holder = std::iter::once(tree)
        .chain(chain.iter().map(|(_, p)| &p.value))
        .rfind(|t| byte < t.bytes.end)?;
    let depth = chain
        .iter()
        .position(|(_, p)| std::ptr::eq(&p.value, holder));
    let text_start = holder.bytes.start;
    let shown = Some(text_start..holder.bytes.end);
    Some(match depth {
        Some(i) => Owner {
            place: place[..=i].to_vec(),
            blank: chain[i].1.bytes(),
            holder: text_start,
            outer: chain[i].0.bytes.start,
            shown,
        },
        // The whole file: there is nothing around it to blank out.
        None => Owner {
            place: Place::new(),
            blank: 0..0,
            holder: text_start,
            outer: text_start,
            shown: Some(text_start..text_start + 1),
        },
    })
}

/// The bytes of `ron`'s line and column, which counts characters.
fn bytes_of(text: &str, error: &SpannedError) -> Range<usize> {
    let byte = |position: ron::error::Position| {
        let line_start = if position.line <= 1 {
            0
        } else {
            text.match_indices('\n')
                .nth(position.line - 2)
                .map_or(text.len(), |(i, _)| i + 1)
        };
        let line = &text[line_start..];
        line.char_indices()
            .nth(position.col.saturating_sub(1))
            .map_or(text.len(), |(i, _)| line_start + i)
    };
    let (start, end) = (byte(error.span.start), byte(error.span.end));
    // It may begin in the blanks before a value.
    let start = start + text[start..].len() - text[start..].trim_start().len();
    start..end.max(start)
}

/// Maps whose keys stand twice: `ron` would keep the last one.
fn doubled_keys(source: &Source) -> Vec<Problem> {
    // Fields of structs are checked by `ron`.
    let doubles = Tree::read(&source.text)
        .map(|t| t.doubles())
        .unwrap_or_default();
    doubles
        .into_iter()
        .map(|(key, bytes)| Problem::new(format!("`{key}` stands here twice")).at(source, bytes))
        .collect()
}
