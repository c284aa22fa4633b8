//! What looking up a name finds: one thing, nothing, or several.

use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::place::Place;

/// Why a name or a selector finds nothing: `None` if that is only because of a mistake that was
/// reported elsewhere.
pub(super) type Nothing = Option<Problem>;

/// What was found, or a complaint.
pub(super) fn said<T>(
    found: Result<T, Nothing>,
    place: Place,
    complaints: &mut Complaints,
) -> Option<T> {
    found.map_err(|problem| problem.into_iter().for_each(|p| complaints.add(place.clone(), p))).ok()
}

/// A name that fits several, each with a name that says which.
pub(super) fn ambiguous(text: &str, what: &str, names: impl Iterator<Item = String>) -> Problem {
    const LISTED: usize = 8;
    let mut all: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let count = all.len();
    if count > LISTED {
        all.truncate(LISTED);
        all.push(format!("{} more", count - LISTED));
    }
    let last = all.pop().unwrap_or_default();
    Problem::new(format!("`{text}` names {count} {what}s: {} and {last}", all.join(", ")))
        .help("say which, with what stands before its name")
}
