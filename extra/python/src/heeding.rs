//! Something long, with the interpreter's lock let go, that ends when Ctrl-C is pressed.

use crate::refusal::defect;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;
use taintsim::cli::asked;

/// How often somebody looks whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// As much as a main thread has.
const STACK_BYTES: usize = 8 << 20;

/// How many calls are under way, in all threads of the interpreter.
static UNDER_WAY: Mutex<usize> = Mutex::new(0);

/// A call that is under way. Ctrl-C ends all that are: it is the process that hears it, and its main
/// thread that is told. It is forgotten when the last of them has ended.
struct UnderWay;

impl UnderWay {
    fn begin() -> Self {
        let mut count = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        if *count == 0 {
            asked::resume();
        }
        *count += 1;
        UnderWay
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    }
}

/// Does something on a thread of its own while this one looks for signals; what it sends is the
/// result. The thread may go on afterwards.
///
/// # Errors
/// What a handler of signals raised: `KeyboardInterrupt`, as a rule.
pub(crate) fn heeding<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(Sender<T>) + Send + 'static,
) -> PyResult<T> {
    let _under_way = UnderWay::begin();
    py.detach(|| {
        let (send, sent) = channel();
        let thread = Builder::new().name("taintsim".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn(move || work(send))?;
        let mut heard = Ok(());
        let result = loop {
            match sent.recv_timeout(LOOK) {
                Ok(result) => break Some(result),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if heard.is_ok() => {
                    heard = Python::attach(|py| py.check_signals());
                    if heard.is_err() {
                        asked::interrupt();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        heard?;
        result.ok_or_else(|| match thread.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => defect("nothing was found"),
        })
    })
}
