//! What `ron` finds wrong with a text, in a person's words.

use crate::language::Problem;
use crate::language::duration::whole_seconds;
use crate::language::text::did_you_mean_or_list;
use crate::language::text::syntax::DEPTH_MAX;
use ron::error::SpannedError;

/// Fields and variants of the language that work in a later version.
const LATER: &[(&str, &str)] = &[(
    "sweep",
    "Sweeps inside a scenario belong to later work; `taintsim sweep FILE --set PATH=V1,V2` runs one",
)];

/// A mistake of form in a person's words.
pub(super) fn explain(error: &SpannedError) -> Problem {
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
            DEPTH_MAX
        )),
        other => Problem::new(lower_first(&other.to_string())),
    }
}

/// The number that a text in quotes stands for: `"30"` is 30, and `"2m"` is 120 in a field of
/// seconds.
pub(super) fn number_meant(field: &str, text: &str) -> Option<String> {
    let inside = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    if let Ok(number) = inside.parse::<i64>() {
        return Some(format!("write {number}"));
    }
    let seconds = whole_seconds(inside).filter(|_| field.ends_with("Seconds"))?;
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
