//! What a choice is made at and for: a named point, and an object of the simulation.

/// Names a choice point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointId(pub(super) u32);

/// The object that a choice is made for: a node, a pod, a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    /// Dense number of the object within the run: choices are counted in tables that this number
    /// indexes.
    pub(crate) id: u32,
    /// Hash of the object's name: what the draw depends on, the same in every run in which an
    /// object of this name exists.
    pub(crate) hash: u64,
}

impl Object {
    /// For choices that concern no object in particular.
    pub const NONE: Self = Self { id: u32::MAX, hash: 0 };

    /// An object known by its dense number and its name.
    pub fn named(id: u32, name: &str) -> Self {
        Self { id, hash: super::keyed::hash_name(name) }
    }
}
