//! Steps that kubelets take when they are due.

use crate::controllers::prelude::*;
use crate::kernel::{Argument, Handler};

/// Steps of one kind.
struct Step<K, A> {
    kubelets: Weak<K>,
    take: fn(&K, A),
    name: Name,
}

impl<K, A: Argument> Handler for Step<K, A> {
    type Argument = A;

    fn handle(&self, about: A) {
        if let Some(kubelets) = self.kubelets.upgrade() {
            (self.take)(&kubelets, about);
        }
    }

    fn name(&self, _: A) -> Name {
        self.name
    }
}

/// Has kubelets take steps of one kind, which are of that name to a search.
pub(super) fn step<K: 'static, A: Argument + 'static>(
    (ctx, kubelets): (&Ctx, &Weak<K>),
    name: Name,
    take: fn(&K, A),
) -> HandlerId<A> {
    ctx.register(Rc::new(Step { kubelets: kubelets.clone(), take, name }))
}
