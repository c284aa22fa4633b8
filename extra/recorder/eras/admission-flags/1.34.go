package recorder

import (
	"github.com/spf13/pflag"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
)

// admissionFlags are those of the admission plugins.
var admissionFlags = func() *pflag.FlagSet {
	flags := pflag.NewFlagSet("admission", pflag.PanicOnError)
	defaulttolerationseconds.RegisterFlags(flags)
	return flags
}()

// setAdmissionFlag sets a flag of an admission plugin, for the whole process.
func setAdmissionFlag(name, value string) error { return admissionFlags.Set(name, value) }
