package recorder

import "flag"

// setAdmissionFlag sets a flag of an admission plugin, for the whole process.
func setAdmissionFlag(name, value string) error { return flag.Set(name, value) }
