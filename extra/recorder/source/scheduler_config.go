package recorder

// schedulerSpec is what a scenario says of the scheduler's configuration, whatever the release.
type schedulerSpec struct {
	Percentage *int32 `json:"percentageOfNodesToScore"`
	Strategy   string `json:"scoringStrategy"` // LeastAllocated, or MostAllocated
	Preemption *bool  `json:"preemption"`
}

// The versions of KubeSchedulerConfiguration, each with the first release that takes it from here on.
var schedulerVersions = []struct {
	since   int
	version string
}{{18, "v1alpha2"}, {19, "v1beta1"}, {22, "v1beta2"}, {25, "v1"}}

// The releases in which the scoring strategy is an argument of NodeResourcesFit; up to then it was a plugin of its own.
const strategyIsArgumentSince = 22

// The releases in which preemption is a plugin; 1.18 has a field for it.
const preemptionIsPluginSince = 19

// configuration is the spec as the release's KubeSchedulerConfiguration.
func (c *schedulerSpec) configuration(minor int) []byte {
	version := ""
	for _, v := range schedulerVersions {
		if v.since <= minor {
			version = v.version
		}
	}
	profile, plugins := object{"schedulerName": "default-scheduler"}, object{}
	// Without a kubeconfig's path upstream's defaults of it are left as they are.
	out := object{"apiVersion": "kubescheduler.config.k8s.io/" + version, "kind": "KubeSchedulerConfiguration"}
	if c.Percentage != nil {
		out["percentageOfNodesToScore"] = *c.Percentage
	}
	named := func(name string) []object { return []object{{"name": name}} }
	switch most := c.Strategy == "MostAllocated"; {
	case c.Strategy != "" && c.Strategy != "LeastAllocated" && !most:
		fail("a scoring strategy is LeastAllocated or MostAllocated, not", c.Strategy)
	case most && minor >= strategyIsArgumentSince:
		profile["pluginConfig"] = []object{{"name": "NodeResourcesFit", "args": object{"scoringStrategy": object{
			"type": "MostAllocated", "resources": []object{{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}},
		}}}}
	case most:
		plugins["score"] = object{"disabled": named("NodeResourcesLeastAllocated"), "enabled": named("NodeResourcesMostAllocated")}
	}
	if !value(c.Preemption, true) {
		if minor >= preemptionIsPluginSince {
			plugins["postFilter"] = object{"disabled": named("DefaultPreemption")}
		} else {
			out["disablePreemption"] = true
		}
	}
	profile["plugins"] = plugins
	out["profiles"] = []object{profile}
	return encode(out)
}
