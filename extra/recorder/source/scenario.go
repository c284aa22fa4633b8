package recorder

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// scenario describes one run, whatever the release. ../SCENARIO.md documents every field.
type scenario struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc,omitempty"`
	Horizon duration `json:"horizon"`
	Start   duration `json:"controllers_start"`
	Flags   struct {
		MonitorPeriod      duration `json:"node-monitor-period"`
		MonitorGracePeriod duration `json:"node-monitor-grace-period"`
		StartupGracePeriod duration `json:"node-startup-grace-period"`
		EvictionRate       *float32 `json:"node-eviction-rate"`
		SecondaryRate      *float32 `json:"secondary-node-eviction-rate"`
		LargeCluster       *int32   `json:"large-cluster-size-threshold"`
		UnhealthyZone      *float32 `json:"unhealthy-zone-threshold"`
		PodEvictionTimeout duration `json:"pod-eviction-timeout"`
		TaintManager       *bool    `json:"enable-taint-manager"`
		TerminatedPodGC    *int     `json:"terminated-pod-gc-threshold"`
		NoForceDetach      bool     `json:"disable-force-detach-on-timeout"`
		// Of the API server's admission.
		NotReadySeconds    *int64 `json:"default-not-ready-toleration-seconds"`
		UnreachableSeconds *int64 `json:"default-unreachable-toleration-seconds"`
	} `json:"flags"`
	API struct {
		Request  duration  `json:"request"`
		Response *duration `json:"response"`
		Watch    duration  `json:"watch"`
		Storage  duration  `json:"storage"`
	} `json:"api"`
	PassOverhead *duration               `json:"pass_overhead"`
	Gates        map[string]bool         `json:"gates"`
	Clients      map[string]clientLimits `json:"clients"`
	Admission    *[]string               `json:"admission"`
	Controllers  []string                `json:"controllers"`
	Scheduler    *schedulerSpec          `json:"scheduler"`
	Kubelets     string                  `json:"kubelets"`
	Kubelet      struct {
		Start          *duration `json:"start"`
		Stop           *duration `json:"stop"`
		StatusReport   duration  `json:"status_report"`
		RepostPodReady *bool     `json:"repost_pod_ready"`
	} `json:"kubelet"`
	Attacher struct {
		Attach duration `json:"attach"`
		Detach duration `json:"detach"`
	} `json:"attacher"`
	VolumeLimit *int                     `json:"volume_limit"`
	Namespaces  map[string]namespaceSpec `json:"namespaces"`
	Nodes       []nodeSpec               `json:"nodes"`
	Pods        []podSpec                `json:"pods"`
	Workloads   []workloadSpec           `json:"workloads"`
	Budgets     []budgetSpec             `json:"budgets"`
	Claims      []resourceClaimSpec      `json:"resourceClaims"`
	Actions     []action                 `json:"actions"`
	Steer       []steer                  `json:"steer"`
}

type clientLimits struct {
	QPS   float32 `json:"qps"`
	Burst int     `json:"burst"`
}

// namespaceSpec are the annotations that the admission plugin PodTolerationRestriction reads.
type namespaceSpec struct {
	Default   *[]v1.Toleration `json:"defaultTolerations"`
	Whitelist *[]v1.Toleration `json:"tolerationsWhitelist"`
}

type nodeSpec struct {
	Name          string            `json:"name"`
	Region        string            `json:"region"`
	Zone          string            `json:"zone"`
	Labels        map[string]string `json:"labels"`
	Taints        []string          `json:"taints"`
	Unschedulable bool              `json:"unschedulable"`
	Capacity      map[string]string `json:"capacity"`
	LeaseOffset   duration          `json:"lease_offset"`
	LeasePeriod   duration          `json:"lease_period"`
	StatusOffset  duration          `json:"status_offset"`
	ClockOffset   duration          `json:"clock_offset"`
	Silent        bool              `json:"silent"`
	Devices       []deviceSpec      `json:"devices"`
	// As an export shows it, with times from the start, which are mostly before it.
	Conditions []conditionSpec `json:"conditions"`
	Renewed    *duration       `json:"lease_renewed"`
	Cut        bool            `json:"cut"`
}

// conditionSpec is a condition of a node, or of a pod.
type conditionSpec struct {
	Type       string             `json:"type"`
	Status     v1.ConditionStatus `json:"status"`
	Reason     string             `json:"reason"`
	Heartbeat  duration           `json:"heartbeat"`
	Transition duration           `json:"transition"`
}

// deletionSpec is a deletion that had begun: when the grace is over, and the grace in seconds.
type deletionSpec struct {
	At    duration `json:"at"`
	Grace int64    `json:"grace"`
}

type podSpec struct {
	Name             string               `json:"name"`
	Namespace        string               `json:"namespace"`
	Node             string               `json:"node"`
	Labels           map[string]string    `json:"labels"`
	Annotations      map[string]string    `json:"annotations"`
	Tolerations      []v1.Toleration      `json:"tolerations"`
	Grace            *int64               `json:"grace"`
	Requests         map[string]string    `json:"requests"`
	NodeSelector     map[string]string    `json:"nodeSelector"`
	Priority         *int32               `json:"priority"`
	PreemptionPolicy *v1.PreemptionPolicy `json:"preemptionPolicy"`
	Finalizers       []string             `json:"finalizers"`
	Running          bool                 `json:"running"`
	Owner            string               `json:"owner"`
	Static           string               `json:"static"` // file, or url
	Phase            v1.PodPhase          `json:"phase"`  // as an export shows it, and so what follows
	Conditions       []conditionSpec      `json:"conditions"`
	Deletion         *deletionSpec        `json:"deletion"`
	Volumes          []volumeSpec         `json:"volumes"`
	DeviceClaims     []deviceClaimSpec    `json:"deviceClaims"`
	Spec             json.RawMessage      `json:"spec"` // the rest, as in the Kubernetes API
}

// volumeSpec is a disk that a pod asks for by its claim.
type volumeSpec struct {
	Claim  string                        `json:"claim"`
	Access v1.PersistentVolumeAccessMode `json:"access"`
	Zone   string                        `json:"zone"`
	Host   string                        `json:"host"`
	// Provision is how long a driver takes to make it; without it there is one from the start.
	Provision duration `json:"provision"`
	// Of a volume that is made: it is in the zone of the node that is chosen for it, and it is made as soon as there is the claim.
	Zonal     bool `json:"zonal"`
	Immediate bool `json:"immediate"`
}

// deviceSpec are a driver's devices of a node.
type deviceSpec struct {
	Driver string   `json:"driver"`
	Names  []string `json:"names"`
}

// deviceClaimSpec is a claim that a pod gets: with one request, or with those of the list; or it names one that pods share.
type deviceClaimSpec struct {
	deviceRequestSpec
	Requests []deviceRequestSpec `json:"requests"`
	Shared   string              `json:"resourceClaimName"`
}

// deviceRequestSpec asks for devices of a driver, one unless count says otherwise, or all of a node; or for the first of its alternatives that can be had.
type deviceRequestSpec struct {
	Driver         string              `json:"driver"`
	Count          int64               `json:"count"`
	AllocationMode string              `json:"allocationMode"`
	Tolerations    []object            `json:"tolerations"` // as in the Kubernetes API
	FirstAvailable []deviceRequestSpec `json:"firstAvailable"`
}

// resourceClaimSpec is a claim that exists by itself.
type resourceClaimSpec struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	deviceClaimSpec
}

type workloadSpec struct {
	Kind            string                `json:"kind"`
	Name            string                `json:"name"`
	Namespace       string                `json:"namespace"`
	Replicas        int32                 `json:"replicas"`
	Parallel        bool                  `json:"parallel"`
	MinReadySeconds int32                 `json:"minReadySeconds"`
	Owner           string                `json:"owner"`
	Selector        *metav1.LabelSelector `json:"selector"`
	Template        podSpec               `json:"template"`
	Spec            json.RawMessage       `json:"spec"` // the rest, as in the Kubernetes API
}

type budgetSpec struct {
	Name           string                `json:"name"`
	Namespace      string                `json:"namespace"`
	Labels         map[string]string     `json:"labels"`
	Selector       *metav1.LabelSelector `json:"selector"`
	MinAvailable   *intstr.IntOrString   `json:"minAvailable"`
	MaxUnavailable *intstr.IntOrString   `json:"maxUnavailable"`
	Unhealthy      string                `json:"unhealthyPodEvictionPolicy"`
}

type action struct {
	At          duration           `json:"at"`
	Do          string             `json:"do"`
	Node        string             `json:"node"`
	Nodes       []string           `json:"nodes"`
	Taint       string             `json:"taint"`
	Untaint     string             `json:"untaint"`
	Type        string             `json:"type"`
	Status      v1.ConditionStatus `json:"status"`
	Spec        *nodeSpec          `json:"spec"`
	Pod         string             `json:"pod"`
	PodSpec     *podSpec           `json:"pod_spec"`
	Namespace   string             `json:"namespace"`
	Tolerations []v1.Toleration    `json:"tolerations"`
	Finalizers  []string           `json:"finalizers"`
	Grace       *int64             `json:"grace"`
	Downtime    duration           `json:"downtime"`
	Ahead       duration           `json:"ahead"`
	Lag         duration           `json:"lag"`
	Period      duration           `json:"period"`
	WatchCache  string             `json:"watch-cache"`
	Resource    string             `json:"resource"`
	Actor       string             `json:"actor"`
	Labels      map[string]*string `json:"labels"`
	Drain       drainOptions       `json:"drain"`
	Workload    string             `json:"workload"`
	Propagation string             `json:"propagation"`
	Replicas    int32              `json:"replicas"`
	Created     *workloadSpec      `json:"workload_spec"`
	Budget      *budgetSpec        `json:"budget"`
	Rule        *deviceTaint       `json:"rule"`
	DeviceTaint *deviceTaint       `json:"device_taint"`
	State       string             `json:"state"`
	maintenance
}

// nodeNames are the nodes that an action is about.
func (a *action) nodeNames() []string {
	if a.Node != "" {
		return append([]string{a.Node}, a.Nodes...)
	}
	return a.Nodes
}
