//! How people write the names of fields.

/// A field's name as people write it: those of components have dashes, `kube-apiserver`.
pub(super) fn spelt(name: &str) -> String {
    if name.starts_with("kube_") { name.replace('_', "-") } else { name.to_owned() }
}
