package recorder

import (
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

// schedulerOptions are those that kube-scheduler gives its scheduler for a configuration
// (cmd/kube-scheduler/app/options/configfile.go: loadConfig; cmd/kube-scheduler/app/server.go: Setup).
func schedulerOptions(configuration []byte) []scheduler.Option {
	o, _, err := scheme.Codecs.UniversalDecoder().Decode(configuration, nil, nil)
	if err != nil {
		fail("the scheduler's configuration is refused:", err)
	}
	c := o.(*config.KubeSchedulerConfiguration)
	return []scheduler.Option{
		scheduler.WithProfiles(c.Profiles...),
		scheduler.WithAlgorithmSource(c.AlgorithmSource),
		scheduler.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
		scheduler.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		scheduler.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		scheduler.WithExtenders(c.Extenders...),
	}
}
