//! What is skipped, so that cost follows change: passes that cannot change anything, and nodes
//! about which a pass would find nothing to do. All of it imports the controller's steps, which
//! know nothing of it except the traits `Notices` and `PassNodes`.

mod awake_nodes;
mod health_records;
mod notices;
mod passes;
mod quiet_nodes;
mod resting_nodes;
mod tainting_rounds;
