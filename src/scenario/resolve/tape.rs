//! The tape of a scenario: its texts become numbers. Whether its choices are ever asked for is
//! known only after the run.

use crate::kernel::choice::{Deviation, FORMAT, hash_name};
use crate::kernel::{NEXT, Name};
use crate::plan::{Controllers, Flags, Perturb, Unknown};
use crate::scenario::prelude::*;

/// The hash of an object as a tape writes it: nothing is no object, `#5` is a number, `0x5f…` a
/// hash, `nodes of kube-scheduler` its watch, anything else a name. Where the choice is who comes next, the object is a process or
/// stream, `eviction` or `eviction:default/db-0`.
#[must_use]
fn object_hash(point: &str, text: &str) -> u64 {
    let object = |text: &str| {
        let decimal = text.strip_prefix('#').and_then(|n| n.parse().ok());
        let hexadecimal = || u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        let of_scheduler = || {
            let name = text.strip_suffix(" of kube-scheduler")?;
            Some(Resource::ALL.into_iter().find(|r| r.as_str() == name)?.watch_hash(1))
        };
        let number = decimal.or_else(hexadecimal).or_else(of_scheduler);
        number.unwrap_or_else(|| if text.is_empty() { 0 } else { stable_hash(text) })
    };
    match text.split_once(':') {
        Some((what, about)) if point == NEXT => Name::hash_of(what, object(about)),
        None if point == NEXT && !text.starts_with("0x") => hash_name(text),
        _ => object(text),
    }
}

/// Switches a kind of trouble on, for all of these clients or for one, `request of taint-eviction`.
///
/// # Errors
/// There is no such kind, or nobody of that name whom it can meet.
pub fn switch_on(perturb: &mut Perturb, text: &str, clients: &[Actor]) -> Result<(), Problem> {
    perturb.switch_on(text, clients).map_err(|Unknown { word, is_kind, known }| {
        let what = match is_kind {
            true => format!("{word:?} is no kind of trouble"),
            false => format!("{word:?} is nobody in this cluster whom {text:?} could meet"),
        };
        Problem::new(what).meant(word, known)
    })
}

/// The trouble that a tape switches on, and its deviations.
pub(super) fn read(
    spec: &Scenario,
    profile: &Profile,
    (controllers, flags): (Controllers, &Flags),
    complaints: &Complaints,
) -> (Perturb, Option<Vec<Deviation>>) {
    let mut perturb = Perturb::default();
    let Some(tape) = &spec.tape else { return (perturb, None) };
    let place = complaints.at(at!["tape"]);
    let clients = controllers.clients(flags.enable_taint_manager);
    if tape.choices != FORMAT {
        let of = tape.choices;
        let text =
            format!("this tape is of choice format {of}, and this program reads format {FORMAT}");
        let help = "search for it again: `taintsim explore`";
        place.part("choices").add(Problem::new(text).help(help));
    }
    match tape.release.as_deref().map(Release::parse) {
        Some(Ok(of)) if of.to_string() != profile.release => {
            let run = &profile.release;
            let text = format!("this tape is of Kubernetes {of}, and the run would be of {run}");
            let help = "its choices mean nothing there: search again with `taintsim explore --kubernetes`, or run the release of the tape";
            place.part("release").add(Problem::new(text).help(help));
        }
        Some(Err(error)) => {
            place.part("release").add(Problem::new(&error).maybe_help(error.hint));
        }
        Some(Ok(_)) | None => {}
    }
    for (place, name) in place.part("perturb").each(&tape.perturb) {
        place.take(switch_on(&mut perturb, name, &clients));
    }
    let deviation = |d: &language::Deviation| Deviation {
        point: d.0.clone().into(),
        object: object_hash(&d.0, &d.1),
        ordinal: d.2,
        value: d.3,
    };
    (perturb, Some(tape.deviations.iter().map(deviation).collect()))
}
