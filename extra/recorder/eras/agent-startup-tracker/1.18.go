package recorder

// startupTracker is the field of Kubelet that measures how long a node's start takes: there is none yet.
func startupTracker() map[string]any { return nil }
