//! How the parts of a forecast are set, and the part on volumes that somebody waits for.

use super::super::said::{ALONE, FEW, Outlook, how_many, unless_all, volumes};
use crate::lab::forecast::LeftAlike;
use crate::language::listed;
use crate::report::results::*;

/// How many pods of each workload are Pending at the end, which `word` says behind their number, and why.
pub(super) fn pending(outlook: &Outlook<'_>, word: &str) -> Vec<(String, String)> {
    let one = |LeftAlike { workload, said, pods, share }: &LeftAlike| {
        let why = if said.is_empty() { "not tried yet" } else { said };
        let said = format!("{}{word}: {why}{}", how_many(pods, "pod"), unless_all(*share));
        (workload.as_deref().unwrap_or(ALONE).to_owned(), said)
    };
    outlook.forecast.pending_alike.iter().map(one).collect()
}

/// Pods that stay on nodes which do not answer, and that others wait for.
#[derive(Default)]
pub(super) struct Blocking<'a> {
    pub(super) hosts: BTreeSet<&'a str>,
    /// Some of them have volumes that are attached.
    pub(super) are_attached: bool,
    /// The Jobs among their owners that replace failed pods alone.
    pub(super) jobs: BTreeSet<&'a str>,
    /// Some are of other owners.
    pub(super) elsewhere: bool,
}

impl Blocking<'_> {
    /// What frees them, with the names of their nodes where these are `all` told or few. A Job counts such a pod by its phase before it
    /// may go, which whoever deletes by force does not write, and who collects the pods of a node that is gone does.
    pub(super) fn freed_by(&self, outlook: &Outlook<'_>, all: bool) -> String {
        let (comes, machine) = match self.hosts.len() {
            1 => ("the node comes", "its machine is"),
            _ => ("their nodes come", "their machines are"),
        };
        let nodes = match all || self.hosts.len() <= FEW {
            true => Vec::from_iter(self.hosts.iter().copied()).join(" "),
            false => "NODE…".to_owned(),
        };
        let frees = outlook.basis.frees;
        let taint = match frees.out_of_service {
            true => format!(
                "`kubectl taint nodes {nodes} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`; or "
            ),
            false => String::new(),
        };
        let jobs = Vec::from_iter(self.jobs.iter().copied());
        let but = match jobs[..] {
            [] => String::new(),
            _ => format!(", but for pods of {},", listed(&jobs)),
        };
        let (force, last) = match self.elsewhere {
            true => (format!("; or{but} `kubectl delete pod POD --force`"), "last two"),
            false => (String::new(), "last"),
        };
        let mut said = format!(
            "What frees those that others wait for: {comes} back; or, once it is certain that {machine} off, {taint}`kubectl delete node {nodes}`{force}."
        );
        if self.are_attached {
            said += &format!(" After the {last} a volume {}.", frees.after_deletion());
        }
        let frail = jobs.into_iter().filter(|job| outlook.forecast.frail.contains(*job));
        let frail = Vec::from_iter(frail);
        if !frail.is_empty() {
            said += &format!(" But {}.", frees.fails(&listed(&frail)));
        }
        said
    }
}

impl Printer<'_> {
    pub(super) fn item(&mut self, name: &str, said: &str) -> io::Result<()> {
        let (name, said) = (line(name), line(said));
        let column = 31.max(name.chars().count() + 3);
        // Names of nodes are not broken: beside a long one of a zone they may have no room.
        let longest = said.split(' ').map(|w| w.chars().count()).max();
        if column > 31 && column + longest.unwrap_or(0) > self.style.width {
            write!(self.out, "  {name}\n{:31}", "")?;
            return self.folded(&said, 31, PLAIN);
        }
        write!(self.out, "  {name:<28} ")?;
        self.folded(&said, column, PLAIN)
    }

    pub(super) fn pod(&mut self, pod: &str, said: &str) -> io::Result<()> {
        let pod = line(pod);
        write!(self.out, "    {pod:<34} ")?;
        let column = 39.max(pod.chars().count() + 5);
        self.folded(&line(said), column, PLAIN)
    }

    /// That some are left to tell, if any are.
    pub(crate) fn untold(&mut self, left: usize, said: &str) -> io::Result<()> {
        let said = self.painted(said, DIM);
        if left > 0 { writeln!(self.out, "  {said}") } else { Ok(()) }
    }

    /// Which volumes are where somebody waits for them, and what becomes of them.
    pub(super) fn volumes(&mut self, outlook: &Outlook<'_>, all: bool) -> io::Result<bool> {
        let volumes = volumes(outlook);
        if volumes.is_empty() {
            return Ok(true);
        }
        self.part("Volumes, and the pods that have them")?;
        let most = if all { usize::MAX } else { FEW };
        volumes.iter().take(most).try_for_each(|(name, said)| self.item(name, said))?;
        let left = volumes.len().saturating_sub(most);
        self.untold(left, &format!("{} more", grouped(left as u64)))?;
        if !outlook.forecast.held.is_empty() {
            let frees = format!(
                "A volume begins to be detached {}. `--what-if 'COMMAND @TIME'` says what each would change.",
                outlook.basis.frees.how_soon()
            );
            self.indented(&frees, 2, DIM)?;
        }
        Ok(left == 0)
    }
}
