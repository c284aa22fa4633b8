//! From a file to a [`Scenario`]: limits, `ron`, and mistakes of form.
//!
//! `ron` stops at the first mistake. To name all of them, the text of the field or element that
//! holds the mistake is blanked out and the rest is read again; positions stay as they are. What is
//! left is then looked at for mistakes of meaning, but for those that may follow from what was
//! blanked out. What belongs to a later version of the language is refused with a word of its own.

use super::attach::attach;
use super::existing::Exported;
use super::fingerprint::InputFile;
use super::import::Summary;
use super::problem::{Problem, Problems, Source, did_you_mean_or_list};
use super::spec::Scenario;
use super::syntax::{Part, Place, Step, Tree, crowded, undashed};
use crate::api::spelling;
use crate::files::{self, ReadError};
use ron::error::SpannedError;
use ron::extensions::Extensions;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A scenario as read, before anything in it is looked up.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the file says.
    pub spec: Scenario,
    /// Its text, for places of problems.
    pub source: Source,
    /// The scenario's name: the file's name without extension.
    pub name: String,
    /// The folder that paths in the scenario are relative to.
    pub folder: PathBuf,
    /// Where the file lies that the scenario points at, if not where it says: its copy in a folder
    /// of results.
    pub cluster: Option<PathBuf>,
    /// What was taken from the file that the scenario points at, and what was left out; its groups
    /// are in `spec`.
    pub imported: Option<Summary>,
    /// What the file that the scenario points at says beside its objects.
    pub exported: Option<Exported>,
    /// The files that the scenario points at.
    pub inputs: Vec<InputFile>,
}

/// The largest scenario file, in bytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// How many mistakes of form are named before reading stops.
const MISTAKES_MAX: usize = 50;

/// How many bytes are read again to find further mistakes.
const REREAD_BYTES_MAX: usize = 64 << 20;

/// Reads a scenario from a file.
pub fn load(path: &Path) -> Result<Loaded, Problems> {
    parse_file(path, read(path)?)
}

/// Reads a scenario from the bytes that [`read()`] gave of a file.
pub fn parse_file(path: &Path, bytes: Vec<u8>) -> Result<Loaded, Problems> {
    let shown = path.display().to_string();
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let stem = path
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_else(|| shown.clone());
    from_bytes(&shown, &stem, bytes, folder, None)
}

/// The bytes of a scenario's file, or of one that may be a scenario.
pub fn read(path: &Path) -> Result<Vec<u8>, Problems> {
    let shown = path.display();
    files::read(path, FILE_BYTES_MAX).map_err(|error| {
        let ReadError::Io(error) = error else {
            return Problems::one(match error {
                ReadError::Directory => {
                    Problem::new(format!("{shown} is a directory, not a scenario file"))
                        .help(inside(path))
                }
                error => Problem::new(format!("cannot read {shown}: {error} of a scenario")),
            });
        };
        let what = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        let nearby = neighbours(path);
        let name = path
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        let help = super::problem::did_you_mean(&name, nearby.iter().map(String::as_str));
        Problems::one(Problem::new(format!("cannot read {shown}: {what}")).maybe_help(help))
    })
}

/// Reads a scenario from bytes, of standard input say. `shown` names them in problems, `folder` is
/// where paths in the scenario start.
pub fn parse(shown: &str, bytes: Vec<u8>, folder: &Path) -> Result<Loaded, Problems> {
    let stem = Path::new(shown)
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem = stem.trim_matches(['<', '>']);
    from_bytes(
        shown,
        if stem.is_empty() || stem == "-" {
            "scenario"
        } else {
            stem
        },
        bytes,
        folder.to_path_buf(),
        None,
    )
}

/// Reads a scenario as a folder of results holds it: its text, its name, and the copy of the file
/// that it points at.
pub fn parse_stored(
    shown: &str,
    name: &str,
    bytes: Vec<u8>,
    cluster: Option<PathBuf>,
) -> Result<Loaded, Problems> {
    from_bytes(shown, name, bytes, PathBuf::new(), cluster)
}

/// What to do about a directory where a scenario should be.
fn inside(path: &Path) -> String {
    const LISTED: usize = 6;
    let mut files = neighbours(&path.join("x"));
    files.retain(|name| name.ends_with(".ron"));
    if files.is_empty() {
        return "there is no scenario (*.ron) in it; `taintsim test` and `taintsim validate` take folders".to_owned();
    }
    let more = files.len().saturating_sub(LISTED);
    files.truncate(LISTED);
    let list: Vec<String> = files
        .iter()
        .map(|name| path.join(name).display().to_string())
        .collect();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(
        "name a file in it: {}{more}; `taintsim test` and `taintsim validate` take folders",
        list.join(", ")
    )
}

fn neighbours(path: &Path) -> Vec<String> {
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .take(1000)
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn from_bytes(
    shown: &str,
    name: &str,
    bytes: Vec<u8>,
    folder: PathBuf,
    cluster: Option<PathBuf>,
) -> Result<Loaded, Problems> {
    let fail = |text: String| Err(Problems::one(Problem::new(format!("{shown}: {text}"))));
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return fail(format!(
            "the file is larger than {} MiB, the limit of a scenario",
            FILE_BYTES_MAX >> 20
        ));
    }
    let text = match files::text(bytes) {
        Ok(text) => text,
        Err(ReadError::NotText { line, .. }) => {
            return fail(format!(
                "line {line} is not UTF-8; a scenario is a text file"
            ));
        }
        Err(error) => return fail(error.to_string()),
    };
    if text.trim().is_empty() {
        return Err(Problems::one(
            Problem::new(format!("{shown}: the file is empty"))
                .help("`taintsim init` writes a scenario to start from"),
        ));
    }
    let source = Source::new(shown, text);
    if let Some((crowd, byte)) = crowded(&source.text) {
        return Err(Problems::one(Problem::new(crowd).at(&source, byte..byte)));
    }
    let Read {
        spec,
        left,
        mut problems,
        mut damage,
    } = read_text(&source);
    let Some(spec) = spec else {
        return Err(Problems(problems));
    };
    let mut loaded = Loaded {
        spec,
        source,
        name: name.to_owned(),
        folder,
        cluster,
        imported: None,
        exported: None,
        inputs: Vec::new(),
    };
    if let Err(problem) = attach(&mut loaded) {
        problems.push(problem);
        (
            damage.nodes,
            damage.node_labels,
            damage.pods,
            damage.workloads,
        ) = (true, true, true, true);
    }
    if problems.is_empty() {
        return Ok(loaded);
    }
    let place = |p: &Problem| p.bytes().map_or(0, |b| b.start);
    // What is wrong with a value that has lost a part to a mistake of form may only follow from
    // that: it comes last.
    let lost: Vec<Range<usize>> = problems.iter().filter_map(Problem::bytes).collect();
    let follows = |p: &Problem| {
        p.bytes()
            .is_some_and(|b| lost.iter().any(|l| b.start <= l.start && l.end <= b.end))
    };
    let (mut last, first): (Vec<Problem>, Vec<Problem>) =
        super::build::mistakes(&loaded, &left, damage)
            .into_iter()
            .partition(follows);
    problems.extend(first);
    problems.sort_by_key(place);
    last.sort_by_key(place);
    problems.extend(last);
    Err(Problems(problems))
}

/// What is not all there for a mistake of form: that a name in it is not found is no mistake.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Damage {
    /// Names of nodes.
    pub(super) nodes: bool,
    /// Labels, zones and regions of nodes.
    pub(super) node_labels: bool,
    /// Pods.
    pub(super) pods: bool,
    /// Workloads.
    pub(super) workloads: bool,
    /// Entries of the timeline.
    pub(super) entries: bool,
    /// The version or the horizon.
    pub(super) header: bool,
}

impl Damage {
    /// Marks that the part at that place is lost.
    fn add(&mut self, place: &[Step]) {
        let key = |n: usize| match place.get(n) {
            Some(Step::Key(key)) => key.as_str(),
            _ => "",
        };
        let is = |n: usize, names: &[&str]| names.contains(&key(n));
        match key(0) {
            "nodes" => {
                // A field of a group that is neither its name nor a label; an unknown one may be a
                // misspelt label.
                let own = [
                    "taints",
                    "unschedulable",
                    "capacity",
                    "start",
                    "lease_offset",
                    "lease_period",
                    "status_offset",
                ];
                let near = spelling::nearest(key(2), ["name", "names"]).is_some();
                self.nodes |= place.len() < 3 || near;
                self.node_labels |= place.len() < 3 || !is(2, &own);
            }
            "version" | "horizon" => self.header = true,
            "pods" => self.pods = true,
            // Their pods may be lost with them.
            "workloads" => (self.workloads, self.pods) = (true, true),
            "timeline" => {
                // The nodes and pods that an entry adds may be lost with it.
                let whole = place.len() < 4;
                self.entries |= place.len() < 3 || is(2, &["name"]) || whole;
                self.nodes |= is(3, &["node"]);
                self.pods |= is(3, &["pod"]);
                self.workloads |= is(3, &["workload"]);
            }
            _ => {}
        }
    }
}

/// `Some(…)` is never written, and neither are the second parentheses of `Deployment((…))`.
pub(super) fn extensions() -> Extensions {
    Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES
}

pub(super) fn options() -> ron::Options {
    ron::Options::default()
        .with_default_extension(extensions())
        .with_recursion_limit(super::syntax::DEPTH_MAX)
}

/// What reading came to.
struct Read {
    /// What could be read without the mistakes, if anything could.
    spec: Option<Scenario>,
    /// The text that it was read from: the source with the mistakes blanked out.
    left: String,
    /// Every mistake of form.
    problems: Vec<Problem>,
    /// What is lost.
    damage: Damage,
}

/// Reads the text, and names every mistake of form.
fn read_text(source: &Source) -> Read {
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
        ron::Error::MissingStructField { .. } => {
            // `ron` points behind the last field, so the last part may be that field: the struct is
            // the one around it that ends next.
            let holder = std::iter::once(tree)
                .chain(chain.iter().map(|(_, p)| &p.value))
                .rfind(|t| found.start < t.bytes.end)?;
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

/// Fields and variants of the language that work in a later version.
const LATER: &[(&str, &str)] = &[(
    "sweep",
    "Sweeps inside a scenario belong to later work; `taintsim sweep FILE --set PATH=V1,V2` runs one",
)];

/// A mistake of form in a person's words.
fn explain(error: &SpannedError) -> Problem {
    let later = |found: &str| {
        LATER
            .iter()
            .find(|(name, _)| *name == found)
            .map(|(_, why)| *why)
    };
    match &error.code {
        ron::Error::NoSuchStructField {
            expected,
            found,
            outer,
        } => match later(found) {
            Some(why) => {
                Problem::new(format!("`{found}` is not supported by this version")).help(why)
            }
            None => {
                let of = outer
                    .as_ref()
                    .map_or(String::new(), |o| format!(" of {}", thing(o)));
                Problem::new(format!("`{found}` is not a field{of}"))
                    .maybe_help(did_you_mean_or_list(found, expected))
            }
        },
        ron::Error::NoSuchEnumVariant {
            expected,
            found,
            outer,
        } => match later(found) {
            Some(why) => {
                Problem::new(format!("`{found}` is not supported by this version")).help(why)
            }
            None => {
                let a = outer.as_ref().map_or("known here".to_owned(), |o| thing(o));
                Problem::new(format!("`{found}` is not {a}"))
                    .maybe_help(did_you_mean_or_list(found, expected))
            }
        },
        ron::Error::MissingStructField { field, outer } => {
            let of = outer
                .as_ref()
                .map_or("here".to_owned(), |o| format!("in {}", thing(o)));
            let help = match *field {
                "on" => Some(
                    "every pod says where it is: `on: Node(\"a-03\")`, `on: Spread(Zone(\"b\"))`, `on: Each(All)`, `on: Unbound`",
                ),
                _ => None,
            };
            Problem::new(format!("`{field}` is missing {of}")).maybe_help(help.map(str::to_owned))
        }
        ron::Error::DuplicateStructField { field, .. } => {
            Problem::new(format!("`{field}` stands here twice"))
        }
        ron::Error::InvalidValueForType { expected, found } => {
            Problem::new(format!("expected {expected}, found {found}"))
        }
        ron::Error::ExpectedString => Problem::new("expected a text in quotes"),
        ron::Error::ExpectedInteger => Problem::new("expected a whole number, without quotes"),
        ron::Error::IntegerOutOfBounds => Problem::new("this number is out of range here"),
        ron::Error::ExpectedBoolean => Problem::new("expected `true` or `false`"),
        ron::Error::ExpectedArray => Problem::new("expected a list: `[…]`"),
        ron::Error::ExpectedMap => Problem::new("expected a map: `{ \"key\": … }`"),
        ron::Error::ExpectedIdentifier => Problem::new("expected a word without quotes"),
        ron::Error::ExpectedStructLike | ron::Error::ExpectedNamedStructLike(_) => {
            Problem::new("expected `(` here")
        }
        ron::Error::ExpectedDifferentStructName { expected, found } => Problem::new(format!(
            "expected `{expected}(…)` or `(…)`, found `{found}`"
        )),
        ron::Error::ExpectedStringEnd => Problem::new("this text has no closing quote"),
        ron::Error::ExpectedComma => Problem::new("expected a comma, or the closing bracket"),
        ron::Error::Eof => Problem::new("the file ends too early: a bracket is not closed"),
        ron::Error::TrailingCharacters => Problem::new("expected the end of the file"),
        ron::Error::ExceededRecursionLimit => Problem::new(format!(
            "values are nested deeper than {} levels",
            super::syntax::DEPTH_MAX
        )),
        other => Problem::new(lower_first(&other.to_string())),
    }
}

/// The number that a text in quotes stands for: `"30"` is 30, and `"2m"` is 120 in a field of
/// seconds.
fn number_meant(field: &str, text: &str) -> Option<String> {
    let inside = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    if let Ok(number) = inside.parse::<i64>() {
        return Some(format!("write {number}"));
    }
    let seconds = super::duration::whole_seconds(inside).filter(|_| field.ends_with("Seconds"))?;
    Some(format!("write {seconds}: these are whole seconds"))
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// What people call a type of the language.
fn thing(name: &str) -> String {
    let text = match name {
        "Scenario" => "a scenario",
        "NodeGroup" => "a node group",
        "PodGroup" => "a pod group",
        "Workload" => "a kind of workload",
        "WorkloadGroup" => "a workload",
        "PodTemplate" => "a pod template",
        "PriorityClass" => "a priority class",
        "LabelSelector" => "a label selector",
        "PodDisruptionBudget" => "a disruption budget",
        "Affinity" => "an affinity",
        "TopologySpreadConstraint" => "a topology spread constraint",
        "Controllers" => "a controller that can be switched off",
        "Entry" => "a timeline entry",
        "Step" => "a fault or action",
        "Expectation" => "an expectation",
        "Claim" => "a claim",
        "Quantity" => "a figure",
        "NodeSelector" => "a node selector",
        "PodSelector" => "a pod selector",
        "Placement" => "a placement of pods",
        "Toleration" => "a toleration",
        "Operator" => "an operator",
        "Effect" => "a taint's effect",
        "Existing" => "what becomes of pods that exist",
        "Flags" => "`flags`",
        "Timing" => "a timing",
        "ConditionKind" => "a condition's type",
        "Status" => "a condition's status",
        "Resource" => "a watched resource",
        "NodeStart" | "PodStart" => "a way to start",
        "Phase" => "a pod's phase",
        "Owner" => "an owner",
        _ => return format!("`{name}`"),
    };
    text.to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> String {
        let loaded = parse("f.ron", text.as_bytes().to_vec(), Path::new(""));
        let built =
            loaded.and_then(|l| super::super::build(&l, &super::super::Overrides::default()));
        built.map_or_else(|p| p.to_string(), |_| "nothing is wrong".to_owned())
    }

    #[test]
    fn every_mistake_of_form_is_named_at_once() {
        let text = r#"Scenario(
    version: 1,
    horizn: "30m",
    horizon: 30,
    nodes: [(name: "a", zoone: "b"), (name: 3), (names: "a-{0..1}", labels: ["x"])],
    pods: [(name: "w", count: -1, on: Node("a-0")), (name: "v")],
    timeline: [
        (at: "1m", do: Partion(nodes: All)),
        (at: "1m", do: Flap(node: "a-0", down: "3s")),
    ],
    expect: [Evikted(pod: "w")],
)"#;
        assert_eq!(
            problems(text),
            "f.ron:3:5: `horizn` is not a field of a scenario\n  help: did you mean `horizon`?\n\
             f.ron:4:14: expected a duration in quotes, such as \"5m30s\", found the unsigned integer `30`\n\
             f.ron:5:25: `zoone` is not a field of a node group\n  help: did you mean `zone`?\n\
             f.ron:5:45: expected a text in quotes\n\
             f.ron:5:77: expected a map: `{ \"key\": … }`\n\
             f.ron:6:31: this number is out of range here\n\
             f.ron:6:53: `on` is missing in a pod group\n  help: every pod says where it is: `on: Node(\"a-03\")`, \
             `on: Spread(Zone(\"b\"))`, `on: Each(All)`, `on: Unbound`\n\
             f.ron:8:24: `Partion` is not a fault or action\n  help: did you mean `Partition`?\n\
             f.ron:9:24: `up` is missing in `Flap`\n\
             f.ron:11:14: `Evikted` is not an expectation\n  help: did you mean `Evicted`?"
        );
    }

    #[test]
    fn syntax_ends_the_list() {
        assert_eq!(
            problems("Scenario(version: 1 horizon: \"1m\")"),
            "f.ron:1:21: expected a comma, or the closing bracket"
        );
        assert_eq!(
            problems("Scenario(version: 1, horizon: \"1m)"),
            "f.ron:1:31: this text has no closing quote"
        );
        assert_eq!(
            problems("Senario(version: 1)"),
            "f.ron:1:1: expected `Scenario(…)` or `(…)`, found `Senario`"
        );
        assert_eq!(
            problems("(version: 1)"),
            "f.ron:1:1: `horizon` is missing\n  help: the end of the run: `horizon: \"30m\"`"
        );
        assert_eq!(
            problems("(version: 2, horizon: \"1m\")"),
            "f.ron:1:11: version 2 of the scenario language is not known\n  help: this version of taintsim reads `version: 1`"
        );
        // Columns count characters, not bytes.
        let umlauts = "(/*äöü*/ version: 1, horizn: \"1m\", horizon: \"1m\")";
        assert_eq!(
            problems(umlauts),
            "f.ron:1:22: `horizn` is not a field of a scenario\n  help: did you mean `horizon`?"
        );
        let twice = "(version: 1, horizon: \"1m\", nodes: [(name: \"n\", labels: {\"A\": \"x\", \"A\": \"y\"})])";
        assert_eq!(problems(twice), "f.ron:1:68: `A` stands here twice");
    }

    #[test]
    fn components_may_be_written_with_dashes() {
        for name in [
            "kube_controller_manager",
            "kube-controller-manager",
            "\"kube-controller-manager\"",
            "r#kube-controller-manager",
        ] {
            let text = format!(
                "(version: 1, horizon: \"1m\", flags: ({name}: {{\"node-monitor-period\": \"1s\"}}))"
            );
            assert_eq!(problems(&text), "nothing is wrong", "{name}");
            let text = text.replace("period", "perio");
            let column = text.find("\"node-").unwrap() + 1;
            assert_eq!(
                problems(&text),
                format!(
                    "f.ron:1:{column}: `node-monitor-perio` is not a flag of kube-controller-manager that is modelled\n  \
                     help: did you mean `node-monitor-period`?"
                )
            );
        }
        assert!(
            problems("(version: 1, horizon: \"1m\", flags: (kube-api-server: {}))")
                .contains("did you mean `kube_apiserver`?")
        );
    }

    #[test]
    fn what_follows_from_a_mistake_comes_last() {
        let pod = |toleration: &str| {
            format!(
                "(version: 1, horizon: \"1m\", nodes: [(name: \"a\")], pods: [(name: \"p\", on: Node(\"a\"), tolerations: [(key: \"x\", operator: Exists, {toleration})])])"
            )
        };
        let said = problems(&pod("effect: Noexecute, tolerationSeconds: 3"));
        let lines: Vec<&str> = said.lines().collect();
        assert!(
            lines[0].ends_with("`Noexecute` is not a taint's effect")
                && lines[1].ends_with("did you mean `NoExecute`?"),
            "{said}"
        );
        assert!(lines[2].contains("effect must be 'NoExecute'"), "{said}");
        // 2 min × 60 s.
        let said = problems(&pod("effect: NoExecute, tolerationSeconds: \"2m\""));
        assert!(said.ends_with("expected a whole number, without quotes\n  help: write 120: these are whole seconds"), "{said}");
        assert!(
            problems(&pod("effect: NoExecute, tolerationSeconds: \"30\""))
                .ends_with("help: write 30")
        );
        assert!(
            problems(&pod("effect: NoExecute, tolerationSeconds: \"1.5s\""))
                .ends_with("without quotes")
        );
    }

    #[test]
    fn names_in_maps_are_underlined_where_they_are() {
        let text = r#"(version: 1, horizon: "1m", kubernetes: "1.34", flags: (kube_controller_manager: {"pod-eviction-timeout": "5m"}), feature_gates: {"NodeLeas": true})"#;
        let loaded = parse("f.ron", text.as_bytes().to_vec(), Path::new("")).unwrap();
        let found = super::super::build(&loaded, &super::super::Overrides::default())
            .unwrap_err()
            .0;
        let said: Vec<(&str, &str)> = found
            .iter()
            .map(|p| (p.text().unwrap(), p.message.as_str()))
            .collect();
        assert_eq!(said[0].0, "\"pod-eviction-timeout\"");
        assert_eq!(
            said[0].1,
            "kube-controller-manager of Kubernetes v1.34.12 has no flag --pod-eviction-timeout; those up to 1.26 have it"
        );
        assert!(
            found[0]
                .help
                .as_deref()
                .unwrap()
                .contains("default-unreachable-toleration-seconds")
        );
        assert_eq!(said[1].0, "\"NodeLeas\"");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(
            problems(" \n"),
            "f.ron: the file is empty\n  help: `taintsim init` writes a scenario to start from"
        );
        let bad = parse("f.ron", b"Scenario(\n\xff".to_vec(), Path::new("")).unwrap_err();
        assert_eq!(
            bad.to_string(),
            "f.ron: line 2 is not UTF-8; a scenario is a text file"
        );
        let deep = format!(
            "(version: 1, horizon: \"1m\", pods: [(name: \"x\", on: Each({}",
            "Share(of: ".repeat(1000)
        );
        assert!(
            problems(&deep).contains("values are nested deeper than 100 levels"),
            "{}",
            problems(&deep)
        );
        assert!(
            problems(&"[".repeat(100_000)).starts_with("f.ron:1:1: "),
            "{}",
            problems(&"[".repeat(100_000))
        );
        let folder = load(Path::new("src")).unwrap_err().to_string();
        assert_eq!(
            folder,
            "src is a directory, not a scenario file\n  help: there is no scenario (*.ron) in it; `taintsim test` and `taintsim validate` take folders"
        );
        let folder = load(Path::new("scenarios/races")).unwrap_err().to_string();
        assert!(
            folder.contains("help: name a file in it: scenarios/races/102993.ron, ")
                && folder.contains(" more; `taintsim test`"),
            "{folder}"
        );
        assert_eq!(
            load(Path::new("src/lib.rss")).unwrap_err().to_string(),
            "cannot read src/lib.rss: there is no such file\n  help: did you mean `lib.rs`?"
        );
    }
}
