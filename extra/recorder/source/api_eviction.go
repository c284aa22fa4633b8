package recorder

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/apis/policy"
)

// The subresource eviction of pods is upstream's own registry code (pkg/registry/core/pod/storage/eviction.go;
// ../eras has how it is reached). It reads, marks and deletes pods in podStorage, and reads and charges budgets
// through a client of the API server's own. Each of these steps takes server.storage, in which others may come
// in between.

// evict is one request for an eviction.
func evict(s *server, actor, ns, name string, body []byte) (object, *status) {
	request := &policy.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns}}
	if o, ok := decode(body)["deleteOptions"].(object); ok {
		request.DeleteOptions = convert[metav1.DeleteOptions](o)
	}
	storage := newEviction(&podStorage{server: s, actor: actor, ns: ns}, s.loopback(actor))
	said, err := storage.Create(requestContext("pods", "eviction", ns, decode(body)), name, request, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	if err != nil {
		return nil, refusal(err)
	}
	if st, ok := said.(*metav1.Status); ok && st.Status != metav1.StatusSuccess {
		return nil, failure(int(st.Code), st.Reason, "%s", st.Message)
	}
	return decode(encode(said)), nil
}

// loopback is the client that the API server has of itself; what it writes is an actor's, on whose behalf it
// is written.
func (s *server) loopback(actor string) kubernetes.Interface {
	c, err := kubernetes.NewForConfig(&clientrest.Config{
		Host: "http://loopback", QPS: -1, ContentConfig: clientrest.ContentConfig{ContentType: "application/json"},
		Transport: &transport{server: s, actor: actor, process: newProcess(), inside: true},
	})
	if err != nil {
		panic(err)
	}
	return c
}

// podStorage is the API server's storage as upstream's registry code wants it. That of evictions calls nothing
// but these three.
type podStorage struct {
	rest.StandardStorage
	server    *server
	actor, ns string
}

func (p *podStorage) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	time.Sleep(p.server.storage)
	if o := p.server.lookup("pods", p.ns, name); o != nil {
		return internal(o), nil
	}
	return nil, &apierrors.StatusError{ErrStatus: *notFound("pods", name)}
}

// Update writes a pod's status, as the storage does that upstream gives to evictions.
func (p *podStorage) Update(ctx context.Context, name string, change rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc, _ rest.ValidateObjectUpdateFunc, _ bool, _ *metav1.UpdateOptions) (runtime.Object, bool, error) {
	time.Sleep(p.server.storage)
	o, bad := p.server.update(p.actor, "pods", "status", p.ns, name, func(cur object) (object, *status) {
		changed, err := change.UpdatedObject(ctx, internal(cur))
		if err != nil {
			return nil, refusal(err)
		}
		return external(changed, "v1"), nil
	})
	if bad != nil {
		return nil, false, &apierrors.StatusError{ErrStatus: *bad}
	}
	return internal(o), false, nil
}

func (p *podStorage) Delete(_ context.Context, name string, _ rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	time.Sleep(p.server.storage)
	o, bad := p.server.remove(p.actor, "pods", p.ns, name, *options)
	if bad != nil {
		return nil, false, &apierrors.StatusError{ErrStatus: *bad}
	}
	return internal(o), true, nil
}
