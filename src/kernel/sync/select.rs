//! Go's `select` over two receives.

use super::chan::Chan;

/// Which of two it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Either<A, B> {
    /// The first.
    A(A),
    /// The second.
    B(B),
}

/// Receives from whichever of two channels has a value; when both have one, `first` says whether
/// the first is taken (Go takes either with equal chance). When neither has one, the first value
/// that is sent to either decides, at the send and for good: another that arrives in the same
/// instant, before this process goes on, changes nothing.
pub(crate) async fn select2<A, B>(
    a: &Chan<A>,
    b: &Chan<B>,
    first: impl FnOnce() -> bool,
) -> Either<A, B> {
    let (a_ready, b_ready) = (a.ready(), b.ready());
    if a_ready && (!b_ready || first()) {
        if let Some(value) = a.try_recv() {
            return Either::A(value);
        }
    } else if b_ready && let Some(value) = b.try_recv() {
        return Either::B(value);
    }
    let mut ticket = None;
    let register = |t| {
        ticket = Some(t);
        a.wait_for_value(t);
        b.wait_for_value(t);
    };
    a.ctx().parked(register).await;
    let ticket = ticket.expect("a process that was woken had parked");
    match a.take_handed(ticket) {
        Some(value) => Either::A(value),
        None => Either::B(b.take_handed(ticket).expect("a receiver is woken by a value")),
    }
}
