package recorder

// knowsDevices says whether there are scenarios with devices for this release.
const knowsDevices = false
