//! The folder of what was found: a tape for each cause, and how far each hunt has come.
//!
//! A file is there as a whole or not at all, and the name of a tape has a hash of its text. So folders of several hunts
//! become one where their files are copied together, and what is not as it was written is seen.

use super::small::Small;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use taintsim::cli::{Failure, write_whole};
use taintsim::files::{self, fnv1a64};
use taintsim::lab::tape::Tape;

/// How many bytes a file may hold.
const MOST_BYTES: u64 = 1 << 28;
/// What the names of tapes end in.
const TAPE: &str = ".tape.ron";
/// The version of the form of [`Progress`], and of what is drawn.
const VERSION: u32 = 1;

/// Which clusters are hunted through, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    version: u32,
    /// The first seed.
    pub(super) seed: u64,
    /// Which of how many shards, from 1 on.
    pub(super) shard: (u64, u64),
    pub(super) releases: Vec<String>,
    /// Runs of each cluster.
    pub(super) runs: u64,
}

impl Settings {
    pub(super) fn new(seed: u64, shard: (u64, u64), releases: Vec<String>, runs: u64) -> Self {
        Self { version: VERSION, seed, shard, releases, runs }
    }

    /// The seed of a cluster of the shard. Those of the shards take turns.
    pub(super) fn seed_of(&self, number: u64) -> u64 {
        let (shard, of) = self.shard;
        self.seed.wrapping_add(number.wrapping_mul(of)).wrapping_add(shard - 1)
    }
}

/// What was tried.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tried {
    pub(super) clusters: u64,
    pub(super) runs: u64,
    /// Clusters by their release.
    pub(super) releases: BTreeMap<String, u64>,
    /// Runs by what is wrong in them; one with several kinds counts for each.
    pub(super) kinds: BTreeMap<String, u64>,
    /// In how many clusters each cause was found.
    pub(super) causes: BTreeMap<String, u64>,
    /// The seeds of clusters with a run that did not come to its end.
    pub(super) given_up: Vec<u64>,
}

impl Tried {
    pub(super) fn add(&mut self, other: &Self) {
        self.clusters += other.clusters;
        self.runs += other.runs;
        self.given_up.extend(&other.given_up);
        let all = [
            (&mut self.releases, &other.releases),
            (&mut self.kinds, &other.kinds),
            (&mut self.causes, &other.causes),
        ];
        for (mine, others) in all {
            others.iter().for_each(|(name, n)| *mine.entry(name.clone()).or_default() += n);
        }
    }
}

/// How far a hunt has come.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Progress {
    pub(super) settings: Settings,
    pub(super) tried: Tried,
    /// The cause of each kind of violation, once one of them was made small.
    pub(super) causes: BTreeMap<String, String>,
}

/// A cause that the folder has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cause {
    /// Its first tape.
    pub(super) file: PathBuf,
    /// What happened in it.
    pub(super) text: String,
    pub(super) core: String,
    pub(super) takes: Vec<String>,
    /// The run of its tape is the default order of a cluster in which nothing is added.
    pub(super) by_itself: bool,
}

impl Cause {
    /// That of a tape; none where it says none.
    fn of(file: PathBuf, tape: &Tape) -> Option<Self> {
        let (text, rest) = tape.doc.split_once("\ncause: ")?;
        let (core, takes) = rest.split_once("\ntakes: ")?;
        let takes = takes.split(", ").filter(|t| *t != "nothing").map(str::to_owned).collect();
        let by_itself = tape.set.is_empty() && tape.tape.deviations.is_empty();
        Some(Self { file, text: text.to_owned(), core: core.to_owned(), takes, by_itself })
    }

    /// It in one line, the same for all finds that are one.
    pub(super) fn name(&self) -> String {
        name(&self.core, &self.takes)
    }
}

fn name(core: &str, takes: &[String]) -> String {
    format!("{core} / {}", takes.join(", "))
}

/// The folder.
pub(super) struct Corpus {
    folder: PathBuf,
    /// Its causes.
    pub(super) causes: BTreeMap<String, Cause>,
    /// Files that are not as they were written, and why.
    pub(super) skipped: Vec<String>,
    /// How far the hunt with these settings has come.
    pub(super) progress: Progress,
}

impl Corpus {
    /// Opens a folder, which is made where it is not there.
    ///
    /// # Errors
    /// It cannot be made or read.
    pub(super) fn open(folder: &Path, settings: Settings) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| Failure::Io(format!("{}: {e}", folder.display()));
        fs::create_dir_all(folder).map_err(failed)?;
        let mut names: Vec<String> = fs::read_dir(folder)
            .map_err(failed)?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        let mut corpus = Self {
            folder: folder.to_owned(),
            causes: BTreeMap::new(),
            skipped: Vec::new(),
            progress: Progress { settings, ..Progress::default() },
        };
        for name in names.iter().filter(|name| name.ends_with(TAPE)) {
            match corpus.cause_in(name) {
                Ok(cause) => {
                    corpus.causes.entry(cause.name()).or_insert(cause);
                }
                Err(why) => corpus.skipped.push(format!("{}: {why}", folder.join(name).display())),
            }
        }
        let name = corpus.progress_name();
        if names.contains(&name) {
            let read = corpus.text_of(&name).and_then(|text| {
                ron::from_str::<Progress>(&text).map_err(|e| format!("{} at {}", e.code, e.span))
            });
            match read {
                Ok(progress) if progress.settings == corpus.progress.settings => {
                    corpus.progress = progress;
                }
                Ok(_) => corpus.skipped.push(format!("{name}: it is of another hunt")),
                Err(why) => corpus.skipped.push(format!("{}: {why}", folder.join(name).display())),
            }
        }
        Ok(corpus)
    }

    /// The cause in a file.
    fn cause_in(&self, name: &str) -> Result<Cause, String> {
        let text = self.text_of(name)?;
        let hash = format!("-{:016x}{TAPE}", fnv1a64(text.as_bytes()));
        if !name.ends_with(&hash) {
            return Err("it is not as it was written, by the hash in its name".to_owned());
        }
        let file = self.folder.join(name);
        let tape = Tape::read(&file.display().to_string(), &text).map_err(|e| e.message)?;
        Cause::of(file, &tape).ok_or_else(|| "its doc has no cause".to_owned())
    }

    fn text_of(&self, name: &str) -> Result<String, String> {
        let bytes = files::read(&self.folder.join(name), MOST_BYTES).map_err(|e| e.to_string())?;
        files::text(bytes).map_err(|e| e.to_string())
    }

    /// The file that says how far a hunt with these settings has come.
    fn progress_name(&self) -> String {
        let Settings { seed, shard, releases, runs, .. } = &self.progress.settings;
        let all = format!("{VERSION} {seed} {shard:?} {releases:?} {runs}");
        format!("progress-{:016x}.ron", fnv1a64(all.as_bytes()))
    }

    /// Adds a find; its cause, and whether the folder did not have it.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn add(&mut self, small: &Small) -> Result<(String, bool), Failure> {
        let cause = name(&small.core, &small.takes);
        if self.causes.contains_key(&cause) {
            return Ok((cause, false));
        }
        let text = small.tape.write();
        let property = small.core.split(':').next().unwrap_or_default();
        let file = format!("{property}-{:016x}{TAPE}", fnv1a64(text.as_bytes()));
        let file = self.folder.join(file);
        write_whole(&file, text.as_bytes())?;
        if let Some(found) = Cause::of(file, &small.tape) {
            self.causes.insert(cause.clone(), found);
        }
        Ok((cause, true))
    }

    /// Writes down how far the hunt has come, after what it found.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn note(&self) -> Result<(), Failure> {
        let pretty = ron::ser::PrettyConfig::new().struct_names(true);
        let text = ron::ser::to_string_pretty(&self.progress, pretty)
            .map_err(|e| Failure::Io(e.to_string()))?;
        write_whole(&self.folder.join(self.progress_name()), (text + "\n").as_bytes())
    }
}
