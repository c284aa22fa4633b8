//! What is wrong with a scenario, for an editor: message, hint, and place.

use crate::packet::pack;
use serde_json::{Value, json};
use taintsim::kernel::Endless;
use taintsim::language::{Problem, Problems};

/// The answer where a scenario has mistakes; `name` is that of its text.
pub(crate) fn of(problems: &Problems, name: &str, text: &str) -> Vec<u8> {
    let list: Vec<Value> = problems.0.iter().map(|p| of_one(p, name, text)).collect();
    pack(&json!({ "mistakes": list }), &[])
}

/// The answer where there is one mistake, of no place.
pub(crate) fn of_message(message: &str, help: Option<&str>) -> Vec<u8> {
    let mistake = json!({ "message": message, "help": help });
    pack(&json!({ "mistakes": [mistake] }), &[])
}

/// The answer where a run would never end.
pub(crate) fn endless(endless: &Endless) -> Vec<u8> {
    let help = "what acts without any delay may undo each other's work for ever: give the scenario's `timing` delays";
    of_message(&endless.to_string(), Some(help))
}

/// The answer where the module itself is wrong.
pub(crate) fn defect(message: &str) -> Vec<u8> {
    pack(&json!({ "defect": message }), &[])
}

/// A mistake, with its place in the units in which JavaScript counts a text.
fn of_one(problem: &Problem, name: &str, text: &str) -> Value {
    let own = problem.source() == Some(name);
    let units = |byte: usize| {
        let before = &text[..text.floor_char_boundary(byte)];
        before.encode_utf16().count()
    };
    let bytes = problem.bytes().filter(|_| own);
    json!({
        "message": problem.message,
        "help": problem.help,
        "from": bytes.as_ref().map(|b| units(b.start)),
        "to": bytes.as_ref().map(|b| units(b.end)),
    })
}
