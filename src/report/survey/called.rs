//! How a survey was called, and how what shows a finding is called.

use crate::lab::survey::Finding;

/// How a survey was called, so that what shows a finding can be called in the same way.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    /// The file, as it was given; none of a cluster that kubectl was asked for, as a plugin of it.
    pub(crate) file: Option<String>,
    /// The options that change what is run.
    pub(crate) options: Vec<String>,
}

impl Called {
    /// The command that shows a finding; none where no loss does.
    pub(crate) fn command(&self, finding: &Finding) -> Option<String> {
        let loss = finding.loss.as_ref()?;
        let program = match self.file {
            Some(_) => "taintsim",
            None => "kubectl taintsim",
        };
        let mut words = vec!["survey".to_owned()];
        words.extend(self.file.clone());
        words.extend(self.options.iter().cloned());
        if finding.drained {
            words.extend(["--by".to_owned(), "drain".to_owned()]);
        }
        words.extend(["--only", loss, "--as", "scenario"].map(str::to_owned));
        let words: Vec<String> = words.iter().map(|w| quoted(w)).collect();
        let scenario = format!("{program} {}", words.join(" "));
        Some(match &finding.object {
            Some(object) => format!("{scenario} | {program} explain - {}", quoted(object)),
            None => format!("{scenario} | {program} run -"),
        })
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
