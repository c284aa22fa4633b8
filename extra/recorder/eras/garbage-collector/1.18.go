package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	kubecontroller "k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

func newGarbageCollector(p *program, c kubernetes.Interface, m metadata.Interface, started chan struct{}) (any, error) {
	shared := kubecontroller.NewInformerFactory(p.informers, metadatainformer.NewSharedInformerFactory(m, resync))
	return garbagecollector.NewGarbageCollector(m, restMapper(), nil, garbagecollector.DefaultIgnoredResources(), shared, started)
}
