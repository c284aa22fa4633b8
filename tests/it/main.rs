//! The integration tests, one binary: each module is a file of this folder.

mod beside;
mod builders;
mod cli;
mod conformance;
mod costs;
mod counts;
mod devices;
mod disks;
mod drains;
mod eager;
mod expectations;
mod explore;
#[cfg(target_os = "linux")]
mod fetch;
mod folders;
mod forecasts;
mod imports;
mod incidents;
mod invariants;
mod kernel_workloads;
mod klog;
mod pack_traces;
mod pictures;
mod pod_starts;
mod pressure;
mod races;
mod readme;
mod real_kubelets;
mod rejections;
mod scenarios;
mod scheduler;
mod shrink;
mod shutdown;
mod soak;
mod tidy;
mod upstream_cases;
