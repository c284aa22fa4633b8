//! A cluster as a person has it: a scenario, or what kubectl printed, as it stands; or an export that
//! is asked for, of kubectl with the person's own context and rights, which only reads, or of whatever
//! command prints one.

use super::prelude::*;
use super::run;
use super::shards::Inputs;
use crate::import::{DEVICES, EXPORT_BYTES_MAX, KUBECTL, READINESS};
use std::io::Read;
use std::process::{Command, Stdio};

/// Reads a scenario or an export; `-` is standard input. Says what was taken of an export, unless
/// it is to be quiet.
pub(super) fn given(file: &Path, inputs: &Inputs, terminal: &Terminal) -> Result<Loaded> {
    if !file::is_stdin(file) && !inputs.has(file) {
        file::there(file)?;
    }
    let loaded = inputs.load(file)?;
    run::tell_imported(&loaded.imported, terminal);
    Ok(loaded)
}

/// The cluster that kubectl is asked for, as its plugin is where no file is given.
pub(super) fn asked(args: &KubectlArgs, command: &str, terminal: &Terminal) -> Result<Loaded> {
    let help = format!("`{KUBECTL} | taintsim {command} -`, or `kubectl taintsim {command}`");
    refuse_if(!is_plugin(), "no cluster is given", help)?;
    let loaded = scenario::parse(SAID, args.get()?, Path::new(""))?;
    run::tell_imported(&loaded.imported, terminal);
    Ok(loaded)
}

/// The name of the program as a plugin of kubectl.
const PLUGIN: &str = "kubectl-taintsim";
/// How what kubectl printed is called.
pub(super) const SAID: &str = "kubectl get";
/// How much of what a command says on standard error is repeated.
const SAID_CHARS: usize = 400;

/// How kubectl is called.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct KubectlArgs {
    /// The context that kubectl is called with
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// The kubeconfig that kubectl is called with
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
}

/// Whether the program was called as a plugin of kubectl.
pub(super) fn is_plugin() -> bool {
    let called = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&called).file_stem().unwrap_or_default();
    name == PLUGIN
}

impl KubectlArgs {
    /// What `kubectl get` prints of the cluster, with its events where the person may read them:
    /// they tell when passes of the node lifecycle controller come, and what the scheduler tried.
    pub(super) fn get(&self) -> Result<Vec<u8>> {
        let with = |more: &[&str]| KUBECTL.replacen(" -A", &format!(",{} -A", more.join(",")), 1);
        // Volumes and drivers are of the whole cluster, and not everybody may read them.
        let without_volumes =
            KUBECTL.replacen(",pv,pvc,storageclasses,csidrivers,csinodes,volumeattachments", "", 1);
        let fewer = || self.run(KUBECTL).or_else(|_| self.run(&without_volumes));
        // Not every cluster has these APIs, and kubectl prints nothing at all where it lacks one of them.
        self.run(&with(&["events", DEVICES, READINESS]))
            .or_else(|_| self.run(&with(&["events", DEVICES])))
            .or_else(|_| self.run(&with(&["events", READINESS])))
            .or_else(|_| self.run(&with(&["events"])))
            .or_else(|_| fewer())
    }

    /// The options, for a person to repeat.
    pub(super) fn options(&self) -> Vec<String> {
        let file = self.kubeconfig.as_ref().map(|f| f.display().to_string());
        let all = [("--context", self.context.clone()), ("--kubeconfig", file)];
        let given = all.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
        given.flatten().collect()
    }

    fn run(&self, line: &str) -> Result<Vec<u8>> {
        let mut words = line.split(' ');
        let mut command = Command::new(words.next().unwrap_or("kubectl"));
        if let Some(context) = &self.context {
            command.arg("--context").arg(context);
        }
        if let Some(file) = &self.kubeconfig {
            command.arg("--kubeconfig").arg(file);
        }
        command.args(words);
        printed(SAID, &mut command, EXPORT_BYTES_MAX)
    }
}

/// What a command line of the shell prints.
pub(super) fn shell(line: &str) -> Result<Vec<u8>> {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    printed(line, Command::new(shell).arg(option).arg(line), EXPORT_BYTES_MAX)
}

/// What a command prints, at most `limit` bytes of it: one that goes on then is killed.
fn printed(name: &str, command: &mut Command, limit: u64) -> Result<Vec<u8>> {
    let failed = |error: io::Error| Failure::Io(format!("cannot run `{name}`: {error}"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let said = scope.spawn(|| beginning_of(stderr));
        let (printed, child) = interrupt::calling(child, || {
            stdout.map_or(Ok(Vec::new()), |stdout| files::read_from(stdout, limit))
        });
        let gone = || Failure::Interrupted(format!("interrupted while `{name}` ran"));
        let mut child = child.ok_or_else(gone)?;
        let printed = printed.map_err(|error| {
            let _ = child.kill().and_then(|()| child.wait());
            Problem::new(format!("cannot read what `{name}` prints: {error}"))
        })?;
        let status = child.wait().map_err(failed)?;
        if !status.success() {
            let said: String =
                said.join().unwrap_or_default().trim().chars().take(SAID_CHARS).collect();
            let problem = Problem::new(format!("`{name}` ended with {status}"));
            return Err(Failure::Input(if said.is_empty() { problem } else { problem.help(said) }));
        }
        Ok(printed)
    })
}

/// What is repeated of what a command says, which is read to its end, so that it can go on.
fn beginning_of(said: Option<impl Read>) -> String {
    let Some(mut said) = said else { return String::new() };
    let most = 4 * SAID_CHARS as u64;
    let bytes = files::read_from(said.by_ref().take(most), most).unwrap_or_default();
    let _ = io::copy(&mut said, &mut io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neither of what a command prints nor of what it says is more kept than has a use.
    #[cfg(unix)]
    #[test]
    fn what_a_command_prints_is_bounded() {
        let call = |line: &str| printed("it", Command::new("sh").args(["-c", line]), 1000);
        assert!(call("yes | head -n 500").is_ok_and(|bytes| bytes.len() == 1000));
        let why = |line: &str| match call(line) {
            Err(Failure::Input(problem)) => (problem.message, problem.help.unwrap_or_default()),
            other => panic!("{other:?}"),
        };
        let large = "cannot read what `it` prints: it is larger than 1000 bytes, the limit";
        for endless in ["yes", "echo lost >&2; yes | cat"] {
            assert_eq!(why(endless), (large.to_owned(), String::new()));
        }
        let (message, help) = why("yes | head -c 3000000 >&2; exit 3");
        assert!(message.starts_with("`it` ended with exit status: 3"), "{message}");
        assert_eq!(help.len(), SAID_CHARS);
    }
}
