//! One life of the process of the controllers (kube-controller-manager).

use crate::client::InformerFactory;
use crate::kernel::Group;
use std::rc::Rc;

/// One life of the controllers' process.
pub(super) struct Process {
    pub(super) group: Group,
    pub(super) informers: Rc<InformerFactory>,
}
