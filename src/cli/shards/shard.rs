//! `taintsim shard`: does one shard of a work plan, or writes what does every shard on engines that people
//! have: a script for a job array of Slurm, the manifest of an indexed Job of Kubernetes.

use super::kept::Kept;
use super::packed::Packed;
use super::{ReadAgain, With, Work};
use crate::cli::prelude::*;
use crate::lab::Away;
use crate::report::trials::quoted;

/// Arguments of `taintsim shard`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ShardArgs {
    /// The work plan: the folder that --plan-shards wrote
    #[arg(value_name = "DIR")]
    plan: PathBuf,
    /// The number of the shard, from 0
    #[arg(value_name = "I", required_unless_present = "engine")]
    shard: Option<u32>,
    /// The folder for the result file, where it is not that of the work plan
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Do nothing but write what does every shard: a script for a job array of Slurm, or the
    /// manifest of an indexed Job of Kubernetes, beside the work plan
    #[arg(long = "for", value_name = "ENGINE", value_enum, conflicts_with_all = ["shard", "results", "jobs"])]
    engine: Option<Engine>,
    /// The container image of the manifest
    #[arg(long, value_name = "IMAGE", requires = "engine", default_value = IMAGE)]
    image: String,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

/// Runs the command.
pub(crate) fn shard(args: &ShardArgs, read_again: ReadAgain<'_>, terminal: &Terminal) -> Outcome {
    let packed = Packed::open(&args.plan)?;
    // Without an engine there is a shard.
    let (None, Some(shard)) = (args.engine, args.shard) else {
        let is_vain = args.engine == Some(Engine::Slurm) && args.image != IMAGE;
        let help = "leave it out; --for kubernetes writes a manifest with it";
        refuse_if(is_vain, "--image is of no use to Slurm", help)?;
        return write(&packed, args, terminal);
    };
    let plan = args.plan.display();
    let text = format!("{plan} has no shard {shard}: it has {}", packed.shards);
    let help = format!("shards are numbered from 0 to {}", packed.shards - 1);
    refuse_if(shard >= packed.shards, text, help)?;
    let kept = Kept::new(&packed, args.results.as_deref().unwrap_or(&args.plan));
    let with = With { out: None, jobs: args.jobs, output: None };
    let again = read_again(&packed.arguments, &with).ok_or_else(|| packed.not_understood())?;
    let work = Work::part(packed.inputs()?, &kept, Some(shard), packed.shards);
    let ended = again(&work, terminal);
    let Err(Failure::Elsewhere(away)) = ended else { return ended };
    let of = |round: u32| match round {
        0 => format!("shard {shard} of {}", packed.shards),
        round => format!("shard {shard} of {} in round {round}", packed.shards),
    };
    let text = match away {
        Away::Kept(round) => match kept.write()? {
            Some((place, pieces)) => said(&of(round), pieces, &place),
            None => format!("{} has nothing to do", of(round)),
        },
        Away::Before(round) => format!("{} is done already", of(round)),
        Away::All | Away::Missing(_) => format!("every shard of {plan} is done"),
    };
    terminal.note(&text);
    Ok(Exit::Fine)
}

fn said(of: &str, pieces: u64, place: &Path) -> String {
    format!("{of}: {} of work, in {}", counted(pieces, "piece"), place.display())
}

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
fn write(packed: &Packed, args: &ShardArgs, terminal: &Terminal) -> Outcome {
    nameable(&packed.folder)?;
    let (file, text, then) = match args.engine {
        None | Some(Engine::Slurm) => ("slurm.sh", slurm(packed), "sbatch"),
        Some(Engine::Kubernetes) => {
            ("kubernetes.yaml", kubernetes(packed, &args.image), "kubectl apply -f")
        }
    };
    let place = packed.folder.join(file);
    write_whole(&place, text.as_bytes())?;
    let shown = quoted(&place.display().to_string());
    print_text(terminal, |out| writeln!(out, "{then} {shown}"))
}

/// Refuses a folder whose name would not stay in a line of a script, or is no text at all.
fn nameable(folder: &Path) -> Result<()> {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let is_plain = |name: &str| !name.chars().any(|c| c.is_control() || files::acts(c));
    if whole.to_str().is_some_and(is_plain) {
        return Ok(());
    }
    let text = format!(
        "{}: a script cannot name this folder: its name breaks a line, or is no text",
        files::line(&whole.display().to_string())
    );
    Err(Failure::input(text, "rename the folder of the work plan"))
}

/// A template, in which names of `texts` stand between `@`.
fn filled(template: &str, texts: &[(&str, &str)]) -> String {
    let text = |part| texts.iter().find(|(name, _)| *name == part).map_or(part, |(_, text)| *text);
    template.split('@').map(text).collect()
}

/// A script for `sbatch`. Slurm copies it to a place of its own before it runs it, so that the
/// folder has to be named.
fn slurm(packed: &Packed) -> String {
    let folder = std::path::absolute(&packed.folder).unwrap_or_else(|_| packed.folder.clone());
    let large = if packed.shards > ARRAY_TASKS {
        format!(
            "# It takes a MaxArraySize of {} (`scontrol show config`), which is {ARRAY_TASKS} where nobody set it:
# plan fewer shards where it is less.\n",
            packed.shards
        )
    } else {
        String::new()
    };
    filled(
        include_str!("slurm.sh"),
        &[
            ("dir", &quoted(&folder.display().to_string())),
            ("large", &large),
            ("name", &name_of(&packed.folder)),
            ("last", &(packed.shards - 1).to_string()),
        ],
    )
}

/// The manifest of an indexed Job. The work plan comes from a ConfigMap if it fits into one, and
/// otherwise from the volume that takes the results.
fn kubernetes(packed: &Packed, image: &str) -> String {
    let name = &name_of(&packed.folder);
    let dir = &quoted(&packed.folder.display().to_string());
    let [before, plan, mount, volume] = if packed.bytes <= CONFIG_MAP_BYTES_MAX {
        [
            format!("kubectl create configmap {name} --from-file={dir}"),
            "/plan".to_owned(),
            "            - { name: plan, mountPath: /plan, readOnly: true }\n".to_owned(),
            format!("        - {{ name: plan, configMap: {{ name: {name} }} }}\n"),
        ]
    } else {
        [
            format!(
                "copy {dir} into the volume, as the folder {name}: it is too large for a ConfigMap"
            ),
            format!("/results/{name}"),
            String::new(),
            String::new(),
        ]
    };
    filled(
        include_str!("kubernetes.yaml"),
        &[
            ("name", name),
            ("dir", dir),
            ("before", &before),
            ("plan", &plan),
            ("mount", &mount),
            ("volume", &volume),
            ("shards", &packed.shards.to_string()),
            ("image", &serde_json::Value::from(image).to_string()),
        ],
    )
}

/// The name of a folder as Kubernetes and Slurm take it: lower case, digits and dashes, at most 50
/// characters, so that what is added to it fits into the 63 of a label.
fn name_of(folder: &Path) -> String {
    let name = folder.file_name().map(|n| n.to_string_lossy().to_lowercase());
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name.unwrap_or_default().chars().map(plain).take(50).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "taintsim" } else { name }.to_owned()
}

/// Reads the manifest of a work plan that lies in no folder, and writes what does its shards.
///
/// # Errors
/// What is wrong with it.
pub fn work_plan(bytes: &[u8]) -> Result<u64, String> {
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
