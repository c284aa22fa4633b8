//! What does every shard of a work plan on engines that people have: a script for a job array of
//! Slurm, the manifest of an indexed Job of Kubernetes.

use super::packed::{Packed, quoted};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::file::write_whole;
use crate::cli::terminal::Terminal;
use crate::files;
use crate::language::Problem;
use std::io::Write;
use std::path::Path;

/// The container image where nobody names another.
pub(super) const IMAGE: &str = concat!("taintsim:", env!("CARGO_PKG_VERSION"));

/// The largest ConfigMap that the API server takes is 1 MiB; binary data are a third longer there.
const CONFIG_MAP_BYTES_MAX: u64 = 700 << 10;

/// How many tasks the array of a Slurm takes whose MaxArraySize nobody has set.
const ARRAY_TASKS: u32 = 1_001;

/// What runs shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Engine {
    /// A job array of Slurm: slurm.sh
    Slurm,
    /// An indexed Job of Kubernetes: kubernetes.yaml
    Kubernetes,
}

/// Writes the script or the manifest beside the work plan, and says what to do with it.
pub(super) fn write(
    packed: &Packed,
    engine: Option<Engine>,
    image: &str,
    terminal: &Terminal,
) -> Outcome {
    nameable(&packed.folder)?;
    let (file, text, then) = match engine {
        None | Some(Engine::Slurm) => ("slurm.sh", slurm(packed), "sbatch"),
        Some(Engine::Kubernetes) => {
            ("kubernetes.yaml", kubernetes(packed, image), "kubectl apply -f")
        }
    };
    let place = packed.folder.join(file);
    write_whole(&place, text.as_bytes())?;
    let shown = quoted(&place.display().to_string());
    let mut out = terminal.out();
    writeln!(out, "{then} {shown}")?;
    out.flush()?;
    Ok(Exit::Fine)
}

/// Refuses a folder whose name would not stay in a line of a script, or is no text at all.
fn nameable(folder: &Path) -> Result<(), Failure> {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let is_plain = |name: &str| !name.chars().any(|c| c.is_control() || files::acts(c));
    if whole.to_str().is_some_and(is_plain) {
        return Ok(());
    }
    let text = format!(
        "{}: a script cannot name this folder: its name breaks a line, or is no text",
        files::line(&whole.display().to_string())
    );
    Err(Failure::Input(Problem::new(text).help("rename the folder of the work plan")))
}

/// A script for `sbatch`. Slurm copies it to a place of its own before it runs it, so that the
/// folder has to be named.
fn slurm(packed: &Packed) -> String {
    let folder = std::path::absolute(&packed.folder).unwrap_or_else(|_| packed.folder.clone());
    let dir = quoted(&folder.display().to_string());
    let name = name_of(&packed.folder);
    let last = packed.shards - 1;
    let large = if packed.shards > ARRAY_TASKS {
        format!(
            "# It takes a MaxArraySize of {} (`scontrol show config`), which is {ARRAY_TASKS} where nobody set it:
# plan fewer shards where it is less.\n",
            packed.shards
        )
    } else {
        String::new()
    };
    format!(
        "#!/bin/sh
# Does every shard of a work plan of taintsim as a job array. The folder has to be there under this
# name on every node of the cluster. A task that is requeued, or runs twice, is done once.
# When all are done: taintsim gather {dir}
# If that says that another round is next, submit this script again.
{large}#SBATCH --job-name={name}
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --open-mode=append
exec taintsim shard {dir} \"$SLURM_ARRAY_TASK_ID\" --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"
"
    )
}

/// The manifest of an indexed Job. The work plan comes from a ConfigMap if it fits into one, and
/// otherwise from the volume that takes the results.
fn kubernetes(packed: &Packed, image: &str) -> String {
    let name = name_of(&packed.folder);
    let shards = packed.shards;
    let dir = quoted(&packed.folder.display().to_string());
    let fits = packed.bytes <= CONFIG_MAP_BYTES_MAX;
    let (before, plan, volume) = if fits {
        (
            format!("#   kubectl create configmap {name} --from-file={dir}\n"),
            "/plan",
            format!("        - {{ name: plan, configMap: {{ name: {name} }} }}\n"),
        )
    } else {
        (
            format!(
                "#   copy {dir} into the volume, as the folder {name}: it is too large for a ConfigMap\n"
            ),
            "/results/plan",
            String::new(),
        )
    };
    let plan = if fits { plan.to_owned() } else { format!("/results/{name}") };
    let mount =
        if fits { "            - { name: plan, mountPath: /plan, readOnly: true }\n" } else { "" };
    let image = serde_json::Value::from(image);
    format!(
        "# Does every shard of a work plan of taintsim as an indexed Job; Kubernetes 1.29 or later. First:
{before}#   a PersistentVolumeClaim called {name} that all of its pods can mount, for the results
#   the image where its nodes find it; `--image` says it under another name
# Afterwards, where that volume is mounted:
#   taintsim gather {dir} --results VOLUME
# If that says that another round is next: kubectl delete job {name}, and apply this again.
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  labels: {{ app.kubernetes.io/name: taintsim }}
spec:
  completionMode: Indexed
  completions: {shards}
  parallelism: {shards} # how many pods at one time
  backoffLimitPerIndex: 3
  maxFailedIndexes: {shards}
  template:
    metadata:
      labels: {{ app.kubernetes.io/name: taintsim }}
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        fsGroup: 65532
        seccompProfile: {{ type: RuntimeDefault }}
      containers:
        - name: shard
          image: {image}
          command: [taintsim]
          args: [shard, {plan}, $(JOB_COMPLETION_INDEX), --results, /results, --jobs, \"1\"]
          resources:
            requests: {{ cpu: \"1\", memory: 512Mi }}
            limits: {{ memory: 2Gi }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: {{ drop: [ALL] }}
          volumeMounts:
{mount}            - {{ name: results, mountPath: /results }}
      volumes:
{volume}        - {{ name: results, persistentVolumeClaim: {{ claimName: {name} }} }}
"
    )
}

/// The name of a folder as Kubernetes and Slurm take it: lower case, digits and dashes, at most 50
/// characters, so that what is added to it fits into the 63 of a label.
fn name_of(folder: &Path) -> String {
    let name = folder.file_name().map(|n| n.to_string_lossy().to_lowercase());
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name.unwrap_or_default().chars().map(plain).take(50).collect();
    match name.trim_matches('-') {
        "" => "taintsim".to_owned(),
        name => name.to_owned(),
    }
}

/// Reads the manifest of a work plan that lies in no folder, and writes what does its shards.
pub(crate) fn work_plan(bytes: &[u8]) -> Result<u64, String> {
    let wrong = |text: String| Failure::Input(Problem::new(text));
    let read = Packed::read(Path::new("f"), bytes, &wrong);
    let packed = read.map_err(|failure| match failure {
        Failure::Input(problem) => problem.message,
        _ => String::new(),
    })?;
    let written = [slurm(&packed), kubernetes(&packed, IMAGE)].concat();
    Ok((written.len() + packed.command().len()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(shards: u32) -> Packed {
        let mut packed = Packed::default();
        (packed.folder, packed.shards) = ("/a/b".into(), shards);
        packed
    }

    #[test]
    fn a_script_says_what_its_array_takes_where_not_every_slurm_does() {
        assert!(!slurm(&packed(1_001)).contains("MaxArraySize"));
        let large = slurm(&packed(5_000));
        assert!(large.contains("# It takes a MaxArraySize of 5000"));
        // What a comment interrupts is no option any more.
        let options = large.lines().skip_while(|l| !l.starts_with("#SBATCH"));
        let options: Vec<&str> = options.take_while(|l| l.starts_with('#')).collect();
        assert_eq!(options.len(), 6, "{options:?}");
    }

    #[test]
    fn names_are_what_kubernetes_takes() {
        assert_eq!(name_of(Path::new("/a/Zone_1.plan")), "zone-1-plan");
        assert_eq!(name_of(Path::new("../-x-")), "x");
        assert_eq!(name_of(Path::new("/…")), "taintsim");
        assert_eq!(name_of(Path::new(&"y".repeat(80))).len(), 50);
    }
}
