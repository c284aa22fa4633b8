//! What the API server accepts: keys, values, effects, taints, tolerations.
