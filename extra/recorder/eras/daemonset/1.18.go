package recorder

import (
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/daemon"
)

func newDaemonSet(p *program, c kubernetes.Interface) (any, error) {
	core, apps := p.informers.Core().V1(), p.informers.Apps().V1()
	return daemon.NewDaemonSetsController(apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), c, flowcontrol.NewBackOff(time.Second, 15*time.Minute))
}
