//! `taintsim playground`: a folder for a web server, in which scenarios are edited and run in the
//! browser.

use super::prelude::*;
use super::run::{not_written, place};
use crate::files::ReadError;
use crate::report::playground::{self, FILE, Module};

/// The largest module, in bytes; one has some four million.
const BYTES_MAX: u64 = 256 << 20;

/// How the module is built where none came with the program.
const BUILD: &str = "a release has it beside the program; from the sources it is built by\n  \
    rustup target add wasm32-unknown-unknown\n  \
    cargo build --profile dist --manifest-path extra/web/playground/Cargo.toml --target wasm32-unknown-unknown\n\
    and named by\n  \
    --module extra/web/playground/target/wasm32-unknown-unknown/dist/taintsim_playground.wasm";

/// Arguments of `taintsim playground`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PlaygroundArgs {
    /// The folder to write, which a web server then serves as it is; an earlier playground there is
    /// replaced
    #[arg(long, value_name = "DIR", default_value = "playground")]
    out: PathBuf,
    /// The simulation for a browser [default: taintsim-playground.wasm beside the program, or in
    /// ../share/taintsim]
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn playground(args: &PlaygroundArgs, terminal: &Terminal) -> Outcome {
    let place = place(&args.out, "a playground")?;
    let module = module(args.module.as_deref())?;
    let write = || playground::write(place, &module, interrupt::unfinished);
    let written = interrupt::writing(write);
    written.map_err(|error| not_written(error, &args.out))?;
    let folder = args.out.display();
    terminal.note(&format!("Wrote {folder}. Serve it with: python3 -m http.server -d {folder}"));
    Ok(Exit::Fine)
}

/// Where an archive has it, beside the program; or where a package of a system does.
fn came_with_the_program() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.to_path_buf();
    let beside = folder.join(FILE);
    let shared = folder.join("../share/taintsim").join(FILE);
    Some(if !beside.exists() && shared.exists() { shared } else { beside })
}

/// The module that is named, or that which came with the program.
fn module(named: Option<&Path>) -> Result<Module> {
    let path = named.map(Path::to_path_buf).or_else(came_with_the_program);
    let path = path.unwrap_or_else(|| PathBuf::from(FILE));
    let wrong = |said: String| Failure::input(said, BUILD);
    let shown = path.display();
    let bytes = files::read(&path, BYTES_MAX).map_err(|error| match error {
        ReadError::Io(error) if error.kind() == std::io::ErrorKind::NotFound => {
            wrong(format!("the simulation for a browser is not there: {shown} does not exist"))
        }
        error @ ReadError::Io(_) => Failure::Io(format!("cannot read {shown}: {error}")),
        ReadError::Directory => wrong(format!("{shown} is a directory, not a module")),
        error => wrong(format!("cannot read {shown}: {error} of a module")),
    })?;
    Module::new(bytes).map_err(|what| wrong(format!("{shown} {what}")))
}
