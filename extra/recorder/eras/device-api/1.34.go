package recorder

// deviceAPI is the version of the API in which the release's controllers read claims and slices.
const deviceAPI = "resource.k8s.io/v1"

// newDevice is a device as a slice has it.
func newDevice(name string) object { return object{"name": name} }

// deviceTaints is where a device has its taints.
var deviceTaints = []string{"taints"}

// newRequest is the request of a claim for so many devices.
func newRequest(name string, exactly object) object { return object{"name": name, "exactly": exactly} }
