package recorder

// knowsDevices says whether there are scenarios with devices for this release.
const knowsDevices = false

// handsOnTolerations says whether the scheduler writes the tolerations of a request into what it allocates.
const handsOnTolerations = false
