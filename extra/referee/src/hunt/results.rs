//! What a hunt says at its end.

use super::corpus::{Cause, Corpus, Tried};
use super::known::{Class, Known};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use taintsim::language::grouped;
use taintsim::report::json;

/// What was tried, and what was found by now.
pub(super) struct Results<'a> {
    corpus: &'a Corpus,
    here: Tried,
    took: f64,
    /// Each cause with what is to be said of it, and whether this call has found it first.
    causes: Vec<(Class, &'a Cause, bool)>,
}

impl<'a> Results<'a> {
    /// `before`: the causes that the folder had before.
    pub(super) fn new(
        corpus: &'a Corpus,
        known: &Known,
        before: &BTreeSet<String>,
        here: Tried,
        took: f64,
    ) -> Self {
        let each = corpus.causes.iter().map(|(name, cause)| {
            let class = known.class(&cause.core, &cause.takes, cause.by_itself);
            (class, cause, !before.contains(name))
        });
        let mut causes: Vec<_> = each.collect();
        causes.sort_by(|a, b| (&a.0, &a.1.core, &a.1.takes).cmp(&(&b.0, &b.1.core, &b.1.takes)));
        Self { corpus, here, took, causes }
    }

    /// Whether this call has found a cause that nothing is to be said of, or a run without an end.
    pub(super) fn is_news(&self) -> bool {
        !self.here.given_up.is_empty()
            || self.causes.iter().any(|(class, _, is_new)| *is_new && is_open(class))
    }

    /// In how many clusters a cause was found, by this call and in all.
    fn clusters(&self, cause: &Cause) -> (u64, u64) {
        let of = |tried: &Tried| tried.causes.get(&cause.name()).copied().unwrap_or(0);
        (of(&self.here), of(&self.corpus.progress.tried))
    }

    /// Prints it.
    ///
    /// # Errors
    /// Those of the writer.
    pub(super) fn print(&self, as_json: bool, out: &mut dyn Write) -> io::Result<()> {
        if as_json {
            json::write(out, &self.document())?;
        } else {
            self.text(out)?;
        }
        out.flush()
    }

    fn document(&self) -> Value {
        let tried = |tried: &Tried| {
            json!({
                "clusters": tried.clusters,
                "runs": tried.runs,
                "clusters_by_release": tried.releases,
                "runs_by_kind": tried.kinds,
                "given_up": tried.given_up,
            })
        };
        let cause = |(class, cause, is_new): &(Class, &Cause, bool)| {
            let (here, in_all) = self.clusters(cause);
            json!({
                "class": word(class),
                "known": said(class),
                "new": is_new,
                "text": cause.text,
                "cause": cause.core,
                "takes": cause.takes,
                "clusters": here,
                "clusters_in_all": in_all,
                "command": command(cause),
            })
        };
        json!({
            "here": tried(&self.here),
            "in_all": tried(&self.corpus.progress.tried),
            "causes": self.causes.iter().map(cause).collect::<Vec<_>>(),
            "skipped": self.corpus.skipped,
        })
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Tried { clusters, runs, releases, kinds, .. } = &self.here;
        let (count, took) = (grouped(*clusters), self.took);
        writeln!(out, "{count} clusters, {} runs in {took:.0} s", grouped(*runs))?;
        let all = &self.corpus.progress.tried;
        if all.clusters > *clusters {
            let (clusters, runs) = (grouped(all.clusters), grouped(all.runs));
            writeln!(out, "with what was done before {clusters} clusters, {runs} runs")?;
        }
        writeln!(out, "clusters by release: {}", listed(releases))?;
        writeln!(out, "runs by what is wrong: {}", listed(kinds))?;
        for seed in &self.here.given_up {
            let what = "a cluster was given up, as a run of it did not come to its end";
            writeln!(out, "{what}: taintsim hunt --clusters 1 --seed {seed}")?;
        }
        let open = |is_new: bool| {
            self.causes.iter().filter(move |(class, _, new)| is_open(class) && *new == is_new)
        };
        for (is_new, title) in [(true, "new"), (false, "found before")] {
            if open(is_new).next().is_some() {
                writeln!(out, "\n{title}:")?;
            }
            for (class, cause, _) in open(is_new) {
                self.cause(out, class, cause)?;
            }
        }
        let (mut counts, mut clusters) = (BTreeMap::new(), BTreeMap::new());
        for (class, cause, _) in self.causes.iter().filter(|(class, ..)| !is_open(class)) {
            *counts.entry(class).or_insert(0) += 1;
            *clusters.entry(class).or_insert(0) += self.clusters(cause).0;
        }
        if !counts.is_empty() {
            writeln!(out, "\nknown:")?;
        }
        for (class, count) in counts {
            let (word, said, here) =
                (word(class), said(class).unwrap_or_default(), clusters[class]);
            writeln!(out, "  {word}: {said} ({count} tapes, {here} clusters in this call)")?;
        }
        Ok(())
    }

    fn cause(&self, out: &mut dyn Write, class: &Class, cause: &Cause) -> io::Result<()> {
        let (here, in_all) = self.clusters(cause);
        let takes = match (&cause.takes[..], class) {
            (_, Class::ByItself) => "by itself, in the default order".to_owned(),
            ([], _) => "takes nothing but another order, or other times".to_owned(),
            (takes, _) => format!("takes {}", takes.join(", ")),
        };
        writeln!(out, "  {}", cause.core)?;
        writeln!(out, "    {}", cause.text)?;
        writeln!(out, "    {takes}; in {here} clusters, {in_all} in all")?;
        writeln!(out, "    {}", command(cause))
    }
}

/// Whether somebody has to look at it.
fn is_open(class: &Class) -> bool {
    matches!(class, Class::New | Class::ByItself)
}

fn word(class: &Class) -> &'static str {
    match class {
        Class::New => "race",
        Class::ByItself => "by itself",
        Class::Race(_) => "catalogue",
        Class::Upstream(_) => "upstream",
    }
}

fn said(class: &Class) -> Option<&str> {
    match class {
        Class::New | Class::ByItself => None,
        Class::Race(file) => Some(file),
        Class::Upstream(why) => Some(why),
    }
}

fn command(cause: &Cause) -> String {
    format!("taintsim replay {}", cause.file.display())
}

fn listed(counts: &BTreeMap<String, u64>) -> String {
    let each = counts.iter().map(|(name, n)| format!("{name} {}", grouped(*n)));
    each.collect::<Vec<_>>().join(", ")
}
