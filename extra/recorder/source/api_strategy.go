package recorder

import (
	"context"
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
)

// strategies are upstream's rules for the objects of one resource: what a write may set, what it is
// given, and what is refused. Resources that are not listed (namespaces, events, controller revisions, claims
// and their volumes, what drivers there are) are stored as they come.
type strategies struct {
	object interface {
		rest.RESTCreateStrategy
		rest.RESTUpdateStrategy
	}
	status rest.RESTUpdateStrategy
}

var strategiesOf = map[string]strategies{
	"pods":                 {pod.Strategy, pod.StatusStrategy},
	"nodes":                {node.Strategy, node.StatusStrategy},
	"leases":               {lease.Strategy, nil},
	"replicasets":          {replicaset.Strategy, replicaset.StatusStrategy},
	"deployments":          {deployment.Strategy, deployment.StatusStrategy},
	"statefulsets":         {statefulset.Strategy, statefulset.StatusStrategy},
	"daemonsets":           {daemonset.Strategy, daemonset.StatusStrategy},
	"jobs":                 {job.Strategy, job.StatusStrategy},
	"poddisruptionbudgets": {poddisruptionbudget.Strategy, poddisruptionbudget.StatusStrategy},
	"volumeattachments":    {volumeattachment.Strategy, volumeattachment.StatusStrategy},
}

// typed gives an empty object of upstream's type for o, or nil where there is none.
func typed(o object) runtime.Object {
	gv, _ := schema.ParseGroupVersion(text(o, "apiVersion"))
	t, err := legacyscheme.Scheme.New(gv.WithKind(text(o, "kind")))
	if err != nil {
		return nil
	}
	return t
}

// versioned reads o into upstream's type and gives it upstream's defaults.
func versioned(o object) runtime.Object {
	t := typed(o)
	if t == nil {
		return nil
	}
	if err := json.Unmarshal(encode(o), t); err != nil {
		panic(err)
	}
	legacyscheme.Scheme.Default(t)
	return t
}

// normalise gives objects of known types upstream's defaults and one form.
func normalise(o object) object {
	if t := versioned(o); t != nil {
		return decode(encode(t))
	}
	return o
}

// internal is the form that strategies work on.
func internal(o object) runtime.Object {
	t, err := legacyscheme.Scheme.UnsafeConvertToVersion(versioned(o), runtime.InternalGroupVersioner)
	if err != nil {
		panic(err)
	}
	return t
}

// external is the way back.
func external(t runtime.Object, apiVersion string) object {
	gv, _ := schema.ParseGroupVersion(apiVersion)
	o, err := legacyscheme.Scheme.ConvertToVersion(t, gv)
	if err != nil {
		panic(err)
	}
	return decode(encode(o))
}

// requestContext is what strategies know of a request; from 1.37 on the validation of nodes asks for more than the namespace.
func requestContext(resource, subresource, ns string, o object) context.Context {
	gv, _ := schema.ParseGroupVersion(text(o, "apiVersion"))
	info := &genericrequest.RequestInfo{IsResourceRequest: true, APIGroup: gv.Group, APIVersion: gv.Version, Namespace: ns, Resource: resource, Subresource: subresource}
	return genericrequest.WithRequestInfo(genericrequest.WithNamespace(context.Background(), ns), info)
}

// refusal is a strategy's error as the API server answers it.
func refusal(err error) *status {
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		st := known.Status()
		st.Kind, st.APIVersion = "Status", "v1"
		return &st
	}
	return failure(500, "InternalError", "%v", err)
}

// beforeCreate lets a new object pass its strategy.
func beforeCreate(resource, ns string, o object) (object, *status) {
	of, ok := strategiesOf[resource]
	if !ok {
		return o, nil
	}
	t := internal(o)
	if err := rest.BeforeCreate(of.object, requestContext(resource, "", ns, o), t); err != nil {
		return nil, refusal(err)
	}
	return external(t, text(o, "apiVersion")), nil
}

// unchecked is the subresource of writes that pass no strategy.
const unchecked = "unchecked"

// beforeUpdate lets a changed object pass the strategy of what is written. The PodSpec that a binding
// completes passes none upstream either.
func beforeUpdate(resource, subresource, ns string, o, cur object) (object, *status) {
	of, ok := strategiesOf[resource]
	if !ok || subresource == "binding" || subresource == unchecked {
		return o, nil
	}
	var strategy rest.RESTUpdateStrategy = of.object
	if subresource == "status" {
		strategy = of.status
	}
	t := internal(o)
	if err := rest.BeforeUpdate(strategy, requestContext(resource, subresource, ns, o), t, internal(cur)); err != nil {
		return nil, refusal(err)
	}
	return external(t, text(o, "apiVersion")), nil
}
