//! taintsim for a browser: the simulation, from a scenario's text to the columns that the report's
//! page draws, as a module without imports.
//!
//! A page, or whoever holds the module, writes a question into the room that [`room`] gives, calls
//! [`ask`], and reads [`answered`] bytes where it says. Both are a packet: four bytes, little end
//! first, with the length of a JSON document; the document; and bytes that are no JSON, a file say.
//! `question` has what may be asked. Nothing is kept from one question to the next.
//!
//! A defect ends the module, as nothing can catch it here; its message is then the answer.

mod import;
mod mistakes;
mod packet;
mod question;
mod reply;
mod run;

pub use question::{File, Question, Scenario};
use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, Once, PoisonError};
use taintsim::kernel::Endless;

/// What is asked, while it is written.
static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// What was answered last.
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Said once, before the first answer.
static HOOK: Once = Once::new();

/// Where a question of so many bytes is written.
#[expect(unsafe_code, reason = "it is called by its name; the name is this package's alone")]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut question = QUESTION.lock().unwrap_or_else(PoisonError::into_inner);
    question.clear();
    question.resize(bytes, 0);
    question.as_mut_ptr()
}

/// Answers the question that was written, and says where the answer begins.
#[expect(unsafe_code, reason = "it is called by its name; the name is this package's alone")]
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> *const u8 {
    HOOK.call_once(|| panic::set_hook(Box::new(defect)));
    let question = std::mem::take(&mut *QUESTION.lock().unwrap_or_else(PoisonError::into_inner));
    keep(match Question::read(&question) {
        Ok((asked, bytes)) => asked.answer(bytes),
        Err(refused) => refused,
    });
    answer()
}

/// Where the last answer begins; what is said of a defect, after one.
#[expect(unsafe_code, reason = "it is called by its name; the name is this package's alone")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}

/// How many bytes the last answer has.
#[expect(unsafe_code, reason = "it is called by its name; the name is this package's alone")]
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> usize {
    ANSWER.lock().unwrap_or_else(PoisonError::into_inner).len()
}

fn keep(answer: Vec<u8>) {
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) = answer;
}

/// Makes the message of a defect the answer; the module ends after it.
fn defect(info: &PanicHookInfo<'_>) {
    keep(match info.payload().downcast_ref::<Endless>() {
        Some(endless) => mistakes::endless(endless),
        None => mistakes::defect(&info.to_string()),
    });
}
