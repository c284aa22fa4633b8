//! Node-pressure eviction: pods are evicted because their node runs short of something (`pkg/kubelet/eviction`, 1.37, with
//! what differs from 1.18 on as switches).
//!
//! Here is what can be told from figures alone: which thresholds are met (`helpers`), whom that meets (`rank`), and what is said
//! of it. What is used is in `stats` beside this folder, what a kubelet remembers and whom it admits in `pressure`, the loop in
//! `eviction_manager`.
//!
//! What is used is stated, and measured in the instant in which it is asked for. Left out are limits of local storage
//! (`localStorageEviction`), notifications of the kernel (`--kernel-memcg-notification`, off by default), swap, the container
//! filesystem on a disk of its own, and the kernel's own killing of processes where nothing is left before the loop looks.

mod helpers;
mod rank;

pub(crate) use helpers::{
    Consumption, Observation, Observations, Remembered, eviction_message, thresholds_met,
};
pub(crate) use rank::{Candidate, is_critical, rank, request};
