//! What does every shard of a work plan on engines that people have: a script for a job array of
//! Slurm, the manifest of an indexed Job of Kubernetes.

use super::packed::{Packed, quoted};
use crate::cli::failure::Exit;
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
