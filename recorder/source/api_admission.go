package recorder

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	core "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration"
	"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction"
)

// admissionPlugins are upstream's own plugins that a scenario may ask for, in the order in which an API server has them
// (pkg/kubeapiserver/options/plugins.go: AllOrderedPlugins). DefaultTolerationSeconds, which comes before them, is in admitPod.
var admissionPlugins = []struct {
	name     string
	register func(*admission.Plugins)
}{
	{podtolerationrestriction.PluginName, podtolerationrestriction.Register},
	{extendedresourcetoleration.PluginName, extendedresourcetoleration.Register},
}

// plugins gives those of the plugins that are wanted; they find namespaces in that store.
func plugins(wanted func(name string) bool) (found []admission.Interface, namespaces cache.Indexer) {
	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: "http://recorder"}) // nobody asks it: all namespaces are in the store
	factory := informers.NewSharedInformerFactory(client, resync)
	for _, known := range admissionPlugins {
		if !wanted(known.name) {
			continue
		}
		registry := admission.NewPlugins()
		known.register(registry)
		one, err := registry.InitPlugin(known.name, nil, fromStore{client, factory})
		if err != nil {
			panic(err)
		}
		found = append(found, one)
	}
	return found, factory.Core().V1().Namespaces().Informer().GetIndexer()
}

// fromStore gives a plugin what it reads from.
type fromStore struct {
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
}

func (i fromStore) Initialize(plugin admission.Interface) {
	if p, ok := plugin.(interface{ SetExternalKubeClientSet(kubernetes.Interface) }); ok {
		p.SetExternalKubeClientSet(i.client)
	}
	if p, ok := plugin.(interface {
		SetExternalKubeInformerFactory(informers.SharedInformerFactory)
	}); ok {
		p.SetExternalKubeInformerFactory(i.factory)
	}
	if p, ok := plugin.(interface{ SetReadyFunc(admission.ReadyFunc) }); ok {
		p.SetReadyFunc(func() bool { return true })
	}
}

// admit lets a pod that is created, or changed from old, pass the plugins.
func (s *server) admit(ns string, o, old object) (object, *status) {
	o = s.admitPod(o)
	if len(s.plugins) == 0 {
		return o, nil
	}
	pod, was, operation, options := internal(o), runtime.Object(nil), admission.Create, runtime.Object(&metav1.CreateOptions{})
	if old != nil {
		was, operation, options = internal(old), admission.Update, &metav1.UpdateOptions{}
	}
	about := admission.NewAttributesRecord(pod, was, core.Kind("Pod").WithVersion("v1"), ns, text(o, "metadata", "name"),
		core.Resource("pods").WithVersion("v1"), "", operation, options, false, &user.DefaultInfo{})
	for _, plugin := range s.plugins {
		if !plugin.Handles(operation) {
			continue
		}
		if p, ok := plugin.(admission.MutationInterface); ok {
			if err := p.Admit(context.Background(), about, nil); err != nil {
				return nil, denial(err)
			}
		}
	}
	for _, plugin := range s.plugins {
		if p, ok := plugin.(admission.ValidationInterface); ok && plugin.Handles(operation) {
			if err := p.Validate(context.Background(), about, nil); err != nil {
				return nil, denial(err)
			}
		}
	}
	return external(pod, text(o, "apiVersion")), nil
}

// denial is a plugin's error as the API server answers it: one without a status of its own is an internal error
// (apiserver/pkg/endpoints/handlers/responsewriters/status.go: ErrorToAPIStatus).
func denial(err error) *status {
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		return refusal(err)
	}
	return &status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonUnknown, Message: err.Error()}
}

// createNamespace makes a namespace with what its annotations say of tolerations.
func (s *server) createNamespace(name string, spec namespaceSpec) {
	annotations := object{}
	for key, list := range map[string]*[]v1.Toleration{
		podtolerationrestriction.NSDefaultTolerations: spec.Default, podtolerationrestriction.NSWLTolerations: spec.Whitelist,
	} {
		if list != nil {
			annotations[key] = string(encode(*list))
		}
	}
	o, bad := s.create("user", "namespaces", "", object{
		"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name, "annotations": annotations},
	})
	accept(o, bad)
	if err := s.namespaces.Add(convert[v1.Namespace](o)); err != nil {
		panic(err)
	}
}
