package recorder

import (
	"context"
	"errors"
	"strconv"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-base/featuregate"
	core "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
	"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction"
)

// admissionPlugins are upstream's own plugins, in the order in which an API server has them
// (pkg/kubeapiserver/options/plugins.go: AllOrderedPlugins). A scenario asks for them; TaintNodesByCondition is always there.
var admissionPlugins = []struct {
	name     string
	register func(*admission.Plugins)
}{
	{nodetaint.PluginName, nodetaint.Register},
	{defaulttolerationseconds.PluginName, defaulttolerationseconds.Register},
	{podtolerationrestriction.PluginName, podtolerationrestriction.Register},
	{extendedresourcetoleration.PluginName, extendedresourcetoleration.Register},
}

// tolerationFlags sets the flags of DefaultTolerationSeconds, which are those of the whole process.
func tolerationFlags(notReady, unreachable int64) {
	for name, seconds := range map[string]int64{
		"default-not-ready-toleration-seconds": notReady, "default-unreachable-toleration-seconds": unreachable,
	} {
		if err := setAdmissionFlag(name, strconv.FormatInt(seconds, 10)); err != nil {
			panic(err)
		}
	}
}

// admissible are the kinds of what passes the plugins.
var admissible = map[string]string{"pods": "Pod", "nodes": "Node"}

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
	if p, ok := plugin.(interface{ InspectFeatureGates(featuregate.FeatureGate) }); ok {
		p.InspectFeatureGates(feature.DefaultFeatureGate)
	}
	if p, ok := plugin.(interface{ SetReadyFunc(admission.ReadyFunc) }); ok {
		p.SetReadyFunc(func() bool { return true })
	}
}

// admit lets an object that is created, or changed from old, pass the plugins.
func (s *server) admit(resource, ns string, o, old object) (object, *status) {
	to, was, operation, options := internal(o), runtime.Object(nil), admission.Create, runtime.Object(&metav1.CreateOptions{})
	if old != nil {
		was, operation, options = internal(old), admission.Update, &metav1.UpdateOptions{}
	}
	about := admission.NewAttributesRecord(to, was, core.Kind(admissible[resource]).WithVersion("v1"), ns, text(o, "metadata", "name"),
		core.Resource(resource).WithVersion("v1"), "", operation, options, false, &user.DefaultInfo{})
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
	return external(to, text(o, "apiVersion")), nil
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
