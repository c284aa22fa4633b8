//! Tapes: a run that can be repeated for ever. The scenario as it was, what the command line changed in it, and the
//! deviations from the default order.

use super::prelude::*;
use crate::api::names::Names;
use crate::kernel::choice::{FORMAT, Held};
use crate::kernel::{NEXT, Name};
use crate::language::{self, object_text_of_number};
use crate::plan::Resource;
use crate::profiles::Release;
use std::path::Path;

/// The version of the file.
pub const VERSION: u32 = 1;

/// A tape as it is written.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tape {
    /// The version of this form.
    pub version: u32,
    /// What this is, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// The file that the scenario was read from.
    pub file: String,
    /// The release it ran as, if it is another than the scenario's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<String>,
    /// The timing it ran with, if it is another than the scenario's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<String>,
    /// Other settings that were changed, `PATH=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The choices.
    pub tape: language::Tape,
    /// The scenario's text.
    pub scenario: String,
}

impl Tape {
    /// Reads a tape.
    ///
    /// # Errors
    /// What is not a tape, or one of another version or choice format.
    pub fn read(shown: &str, text: &str) -> Result<Self, Problem> {
        let mut tape: Tape = ron::from_str(text).map_err(|e| {
            Problem::new(format!(
                "{shown} is not a tape: {} at line {}, column {}",
                e.code, e.span.start.line, e.span.start.col
            ))
            .maybe_help(Self::is_one(text).then(|| {
                "it may not be whole: copy it anew, or search for it again, `taintsim explore`"
                    .to_owned()
            }))
        })?;
        if tape.version != VERSION {
            let of = tape.version;
            let text = format!(
                "{shown}: this is a tape of version {of}, and this program reads {VERSION}"
            );
            return Err(Problem::new(text));
        }
        if tape.tape.choices != FORMAT {
            let of = tape.tape.choices;
            let text = format!(
                "{shown}: the tape is of choice format {of}, and this program reads {FORMAT}"
            );
            return Err(Problem::new(text).help("search for it again: `taintsim explore`"));
        }
        // Older tapes name their release only at the beginning of their doc.
        if tape.tape.release.is_none() {
            let named = tape.doc.split_once(": ").map(|(release, _)| release.to_owned());
            tape.tape.release = named.filter(|r| Release::parse(r).is_ok());
        }
        Ok(tape)
    }

    /// Whether a text is a tape rather than a scenario.
    pub fn is_one(text: &str) -> bool {
        let lines =
            text.lines().map(str::trim_start).find(|l| !l.is_empty() && !l.starts_with("//"));
        lines.is_some_and(|l| l.starts_with("Tape"))
    }

    /// The text of its file.
    pub fn write(&self) -> String {
        let pretty =
            ron::ser::PrettyConfig::new().struct_names(true).depth_limit(3).escape_strings(false);
        // Texts and numbers can always be written.
        ron::ser::to_string_pretty(self, pretty).unwrap_or_default() + "\n"
    }

    /// The scenario in it, with paths relative to a folder.
    ///
    /// # Errors
    /// What is wrong with the scenario.
    pub fn loaded(&self, folder: &Path) -> Result<Loaded, Problems> {
        let mut loaded = scenario::parse(&self.file, self.scenario.clone().into_bytes(), folder)?;
        loaded.spec.tape = Some(self.tape.clone());
        Ok(loaded)
    }

    /// What it changes in its scenario.
    pub fn overrides(&self) -> Overrides {
        let (kubernetes, timing) = (self.kubernetes.clone(), self.timing.clone());
        let sets = self.set.clone();
        Overrides { kubernetes, timing, sets, ..Overrides::default() }
    }
}

/// The choices of a run as a tape writes them, with the names that the run had.
pub fn spec_of(
    plan: &Plan,
    texts: &Texts,
    property: Option<String>,
    deviations: &[Deviation],
) -> language::Tape {
    let written = |d: &Deviation| {
        language::Deviation(d.point.to_string(), texts.object(d.object), d.ordinal, d.value)
    };
    language::Tape {
        choices: FORMAT,
        release: Some(plan.profile.released().to_owned()),
        perturb: plan.perturb.names(),
        property,
        deviations: deviations.iter().map(written).collect(),
    }
}

/// The names that stand behind hashes in a run.
#[derive(Debug, Default)]
pub struct Texts(BTreeMap<u64, String>);

impl Texts {
    /// Those of a run.
    pub fn of(run: &Searched) -> Self {
        let mut texts = BTreeMap::new();
        let names: &Names = &run.trace.names;
        texts.extend(
            names.node_ids().map(|id| (names.node_hash(id), names.node_name(id).to_owned())),
        );
        texts.extend(names.pod_ids().map(|id| (names.pod_hash(id), names.pod_name(id).to_owned())));
        texts.extend(
            names
                .workload_ids()
                .map(|id| (names.workload_hash(id), names.workload_name(id).to_owned())),
        );
        for (process, whose) in [(0, ""), (1, " of kube-scheduler")] {
            let of = |r: Resource| (r.watch_hash(process), r.as_str().to_owned() + whose);
            texts.extend(Resource::ALL.map(of));
        }
        let mut all = Texts(texts);
        for step in &run.notes.steps {
            let text = all.name(step.name);
            all.0.insert(step.name.hash(), text);
        }
        all
    }

    /// Takes in the names of a tape's objects, which are the same in every run; those that have none go by their numbers. Where it
    /// has them all there is no need for that run.
    pub(crate) fn learn(&mut self, tape: &[Deviation], run: impl FnOnce() -> Searched) {
        if tape.iter().all(|d| self.0.contains_key(&d.object)) {
            return;
        }
        self.0.extend(Self::of(&run()).0);
        for d in tape {
            self.0.entry(d.object).or_insert_with(|| object_text_of_number(d.object));
        }
    }

    /// An object as a tape writes it.
    pub fn object(&self, hash: u64) -> String {
        self.0.get(&hash).cloned().unwrap_or_else(|| object_text_of_number(hash))
    }

    /// A step's name.
    pub(crate) fn name(&self, name: Name) -> String {
        if name.object == 0 {
            name.what.to_owned()
        } else {
            format!("{}:{}", name.what, self.object(name.object))
        }
    }

    /// A choice in words that is drawn from a part of its values.
    pub(crate) fn held(&self, held: &Held) -> String {
        let Held { choice, most } = held;
        if choice.point == NEXT && choice.value == 0 && *most == 0 {
            return self.turn(choice, "comes as usual");
        }
        let to = if *most > choice.value { format!(" to {most}") } else { String::new() };
        self.choice(choice) + &to
    }

    /// What becomes of somebody's turn.
    fn turn(&self, d: &Deviation, what: &str) -> String {
        let object = self.object(d.object);
        format!("{object}, at its {} turn, {what}", nth(d.ordinal))
    }

    /// A choice in words.
    pub(crate) fn choice(&self, d: &Deviation) -> String {
        let object = self.object(d.object);
        let nth = nth(d.ordinal);
        match &*d.point {
            NEXT => {
                let number = d.value + 1;
                self.turn(d, &format!("is behind number {number} of those who could come next"))
            }
            // All that the watch of a kind brings for a while is that late; the kind is told by its number.
            point @ "watch-latency" => {
                let kind = Resource::ALL.get(d.object as usize).map_or("", |r| r.as_str());
                format!("{point} of {kind}, the {nth} time, in ns: {}", d.value)
            }
            point if object.is_empty() => format!("{point}, the {nth} time: {}", d.value),
            point => format!("{point} of {object}, the {nth} time: {}", d.value),
        }
    }
}

/// The number that comes after that many others in words.
fn nth(before: u32) -> String {
    let ending = match (before % 10, before % 100) {
        (0, n) if n != 10 => "st",
        (1, n) if n != 11 => "nd",
        (2, n) if n != 12 => "rd",
        _ => "th",
    };
    format!("{}{ending}", before + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A watch's delay is drawn for a kind of objects, by its number (`InformerFactory::draw`), in nanoseconds.
    #[test]
    fn a_late_watch_is_named() {
        let object = Resource::Nodes as u64;
        let late =
            Deviation { point: "watch-latency".into(), object, ordinal: 1_117, value: 7_563_574 };
        let said = "watch-latency of nodes, the 1118th time, in ns: 7563574";
        assert_eq!(Texts::default().choice(&late), said);
    }

    /// `NEXT` is about a process, by its name, which is the same in every run; the kind of a watch has a number alone.
    #[test]
    fn a_run_is_made_only_for_names_that_no_tape_had() {
        let text = r#"Scenario(version: 1, horizon: "10s", nodes: [(name: "n")])"#;
        let loaded = scenario::parse("s.ron", text.into(), Path::new("")).unwrap();
        let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
        let runs = Cell::new(0);
        let mut names = Texts::default();
        let mut learn = |objects: &[u64]| {
            let of = |object: &u64| Deviation {
                point: NEXT.into(),
                object: *object,
                ordinal: 0,
                value: 1,
            };
            let tape: Vec<Deviation> = objects.iter().map(of).collect();
            names.learn(&tape, || {
                runs.set(runs.get() + 1);
                sim::search(&plan, Choices::default_order())
            });
            runs.get()
        };
        assert_eq!([learn(&[]), learn(&[1, 2]), learn(&[2]), learn(&[2, 3])], [0, 1, 1, 2]);
    }
}
