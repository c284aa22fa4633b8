//! The attach/detach controller: has volumes attached to the nodes whose pods want them, and detached from
//! those where nobody does.
//!
//! Models `pkg/controller/volume/attachdetach`, v1.34, with the CSI plugin's attacher
//! (`pkg/volume/csi/csi_attacher.go`) and what runs operations
//! (`pkg/volume/util/operationexecutor`, `nestedpendingoperations`); other releases by
//! [`Switches`](crate::plan::switches::attach_detach::Switches). Left out: volumes that are in the pod's spec
//! itself, migration from plugins in the tree (all are CSI's), and the check every minute whether what is
//! attached still is, which here finds what the controller knows. VolumeAttachments are read as they are
//! stored while watches deliver, which takes milliseconds; they are looked at every half second.

mod actual_state_of_world;
mod controller;
mod desired_state_of_world;
mod operation_generator;
mod operations;
mod reconciler;
mod turns;

pub(crate) use controller::Controller;
pub(crate) use reconciler::Config;
