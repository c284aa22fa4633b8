//! A file of any kind: told apart by what is in it, and read.

use super::anonymous::Names;
use super::audit::{self, Taken};
use super::heard::Heard;
use super::{events, export, klog, prometheus};
use crate::evidence::prelude::*;
use crate::import::{PART, is_scenario, yaml_to_json};
use crate::language::clauses;

/// What is said of a file that is nothing that is known, behind its name and before why.
pub(super) const UNREAD: &str = ": left out: ";
/// How many of many are named.
const SHOWN: usize = 3;

/// A file's name and text.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    pub(crate) file: String,
    pub(crate) text: String,
}

/// What a file is.
enum Kind {
    /// Objects as kubectl prints them: events, or an export, or both.
    Objects(Vec<Value>),
    Audit,
    Log,
    Prometheus(Value),
}

impl Heard {
    /// Reads all files.
    pub(crate) fn of(files: &[Evidence]) -> Self {
        let mut heard = Heard::default();
        let all = files.iter().map(|file| (file, kind(&file.text)));
        // klog leaves the year out: the other files have it.
        let (logs, others): (Vec<_>, Vec<_>) = all.partition(|(file, kind)| {
            matches!(kind, Ok(Kind::Log)) && klog::time_in(&file.text).is_none()
        });
        others.into_iter().for_each(|(file, kind)| heard.take(file, kind, None));
        heard.of_one_time();
        let mut exported = heard.exports.iter().filter_map(|all| export::made_at(all));
        let first = heard.statements.first().map(|s| s.at).or_else(|| exported.next());
        logs.into_iter().for_each(|(file, kind)| heard.take(file, kind, first));
        heard.of_one_time();
        heard.compare_clocks();
        heard.sort();
        heard
    }

    fn take(&mut self, file: &Evidence, kind: Result<Kind, String>, near: Option<Stamp>) {
        match kind {
            Ok(Kind::Objects(objects)) => self.objects(file, objects),
            Ok(Kind::Audit) => self.audit(file),
            Ok(Kind::Log) => self.log(file, near),
            Ok(Kind::Prometheus(answer)) => {
                let [series, told, unclear] = prometheus::take(&answer, &file.file, self);
                let told = telling(told);
                self.note(file, format!("an answer of Prometheus with {series} series, {told}"));
                if unclear > 0 {
                    let means = "a mean (avg_over_time, downsampled data) tells no state";
                    let samples = are(unclear, "sample");
                    let text = format!("{samples} neither 0 nor 1, and left out: {means}");
                    self.note(file, text);
                }
                let warnings = answer["warnings"].as_array().into_iter().flatten();
                let partial = answer["isPartial"].as_bool().filter(|is| *is);
                let partial = partial.map(|_| "isPartial: true");
                for warning in warnings.filter_map(Value::as_str).chain(partial) {
                    self.note(file, format!("some of it may be lacking: {warning}"));
                }
            }
            Err(why) => self.notes.push(format!("{}{UNREAD}{why}", file.file)),
        }
    }

    fn note(&mut self, file: &Evidence, text: String) {
        self.notes.push(format!("{}: {text}", file.file));
    }

    fn objects(&mut self, file: &Evidence, objects: Vec<Value>) {
        let (mut events, mut wrong, mut others) = (0, 0, Vec::new());
        for (number, object) in (1..).zip(objects) {
            let place = Place { file: file.file.clone(), unit: "item", number };
            if object["kind"] == "Event" {
                events += 1;
                wrong += usize::from(!events::take(&object, place, self));
            } else {
                export::take(&object, &place, &mut self.exported);
                others.push(object);
            }
        }
        if events > 0 {
            self.note(file, counted(events, "event"));
        }
        if wrong > 0 {
            let wrong = counted(wrong, "event");
            self.note(file, format!("{wrong} without a time or an object, left out"));
        }
        if !others.is_empty() {
            self.exports.push(others);
        }
    }

    fn audit(&mut self, file: &Evidence) {
        let (mut lines, mut told, mut broken, mut unclear) = (0, 0, Vec::new(), Vec::new());
        for (number, text) in (1..).zip(file.text.lines()) {
            if text.trim().is_empty() {
                continue;
            }
            lines += 1;
            let read = serde_json::from_str::<Value>(text).ok();
            let Some(line) = read.filter(audit::is_audit) else {
                broken.push(number);
                continue;
            };
            let place = Place { file: file.file.clone(), unit: "line", number };
            // What a webhook was sent is a list of what a log has a line of.
            let list = line["items"].as_array().map(Vec::as_slice);
            for one in list.unwrap_or(std::slice::from_ref(&line)) {
                match audit::take(one, place.clone(), self) {
                    Taken::Told => told += 1,
                    Taken::Nothing => {}
                    Taken::Unclear(what) => unclear.push(what),
                }
            }
        }
        let lines = counted(lines, "line");
        self.note(file, format!("an audit log of {lines}, {}", telling(told)));
        if !unclear.is_empty() {
            let text = format!(
                "{} of people whose bodies are not in the log, or that are not modelled, left out: {}",
                counted(unclear.len(), "request"),
                clauses(SHOWN, unclear.iter().map(String::as_str))
            );
            self.note(file, text);
        }
        self.broken(file, "an audit log", &broken);
    }

    fn broken(&mut self, file: &Evidence, of: &str, broken: &[usize]) {
        if let Some(first) = broken.first() {
            let text = format!("no whole line of {of}, the first of them line {first}: left out");
            self.note(file, format!("{} {text}", are(broken.len(), "line")));
        }
    }

    fn log(&mut self, file: &Evidence, near: Option<Stamp>) {
        let found = klog::time_in(&file.text).or(near);
        let (lines, told, broken) = klog::take((&file.text, &file.file), found, self);
        let what = match told {
            0 => {
                "none of which tells something: of another component, or at too low a level of -v?"
                    .to_owned()
            }
            _ => telling(told),
        };
        self.note(file, format!("a log of {}, {what}", counted(lines, "line")));
        self.broken(file, "a log in JSON", &broken);
        if found.is_none() && told > 0 {
            let text = "klog leaves the year out, and no other file has it: taken for";
            self.note(file, format!("{text} {}", klog::SOME_YEAR));
        }
    }
}

/// `of which 3 tell something`
fn telling(n: usize) -> String {
    format!("of which {n} {} something", form(n, "tells", "tell"))
}

/// How many lines are looked at to tell what a file is.
const FIRST_LINES: usize = 20;

/// Whether a text begins as an audit log does; lines of an API server's own log may be among it.
fn is_audit(text: &str) -> bool {
    let mut lines = text.lines().take(FIRST_LINES).filter(|l| l.starts_with('{'));
    lines.any(|l| serde_json::from_str(l).is_ok_and(|v| audit::is_audit(&v)))
}

/// What a text is, or why it is nothing that is known.
fn kind(text: &str) -> Result<Kind, String> {
    if is_audit(text) {
        return Ok(Kind::Audit);
    }
    if klog::is_log(text) {
        return Ok(Kind::Log);
    }
    let trimmed = text.trim_start();
    if trimmed.is_empty() {
        return Err("it is empty".to_owned());
    }
    if is_scenario(trimmed) {
        return Err("it is a scenario already, which `taintsim run` runs".to_owned());
    }
    let documents = documents(trimmed)?;
    if let [one] = &documents[..]
        && one["data"]["resultType"].is_string()
    {
        return Ok(Kind::Prometheus(one.clone()));
    }
    if documents.iter().any(|d| !d["metadata"]["continue"].as_str().unwrap_or_default().is_empty())
    {
        return Err(format!("it {PART}"));
    }
    let objects: Vec<Value> = documents.into_iter().flat_map(items).collect();
    if objects.iter().all(|o| o["kind"].is_string()) && !objects.is_empty() {
        return Ok(Kind::Objects(objects));
    }
    Err("it holds no objects of the Kubernetes API, no audit log, no log of a controller, and no answer of Prometheus".to_owned())
}

/// The objects of a list, or the object itself.
fn items(mut document: Value) -> Vec<Value> {
    let kind = document["kind"].as_str().unwrap_or_default().to_owned();
    let Some(of) = kind.strip_suffix("List") else { return vec![document] };
    let items = document.as_object_mut().and_then(|map| map.remove("items"));
    let Some(Value::Array(mut items)) = items else { return Vec::new() };
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        if !of.is_empty() && !item.contains_key("kind") {
            item.insert("kind".to_owned(), of.into());
        }
    }
    items
}

/// JSON, one value or several, or YAML.
fn documents(text: &str) -> Result<Vec<Value>, String> {
    let values = |json: &str| -> Result<Vec<Value>, _> {
        serde_json::Deserializer::from_str(json).into_iter().collect()
    };
    if text.starts_with(['{', '[']) {
        return values(text).map_err(|e| match e.is_eof() {
            true => "the JSON ends in the middle: is the file cut short?".to_owned(),
            false => format!("it is no JSON: {e}"),
        });
    }
    let neither = |said: String| format!("it is neither JSON nor YAML, nor a log: {said}");
    let json = yaml_to_json(text).map_err(|wrong| neither(wrong.to_string()))?;
    values(&json).map_err(|e| neither(e.to_string()))
}

/// The files with every name in them made another.
pub(crate) fn anonymised(files: Vec<Evidence>) -> Vec<Evidence> {
    let heard = Heard::of(&files);
    let mut names = Names::default();
    heard.statements.iter().for_each(|s| names.of_statement(&s.said));
    for file in &files {
        if let Ok(Kind::Objects(objects)) = kind(&file.text) {
            objects.iter().for_each(|o| names.of_object(o));
        }
    }
    let other = |file: Evidence| Evidence { text: names.replaced(&file.text), ..file };
    files.into_iter().map(other).collect()
}
