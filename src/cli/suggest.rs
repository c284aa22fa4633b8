//! "Did you mean" for files that are not there.

use crate::api::spelling;
use crate::language::Problem;
use std::fs;
use std::path::Path;

/// How many files of a folder are compared with a misspelt name.
const COMPARED_MAX: usize = 10_000;

/// The nearest file or folder beside one that is not there.
pub(crate) fn nearest(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).ok()?.flatten().take(COMPARED_MAX);
    let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
    // The order of a folder is the file system's.
    names.sort();
    let near = spelling::nearest(name, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

/// What is wrong with a path if nothing is there.
pub fn missing(path: &Path) -> Option<Problem> {
    let error = fs::metadata(path).err()?;
    let what = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    let help = nearest(path).map(|near| format!("did you mean `{near}`?"));
    Some(Problem::new(format!("cannot read {}: {what}", path.display())).maybe_help(help))
}
