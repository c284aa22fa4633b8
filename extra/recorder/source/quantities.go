package recorder

import (
	"encoding/json"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// duration is a duration in Go's notation, as scenarios have them.
type duration struct{ time.Duration }

func (d *duration) UnmarshalJSON(b []byte) (err error) {
	var s string
	if err = json.Unmarshal(b, &s); err == nil {
		d.Duration, err = time.ParseDuration(s)
	}
	return err
}

// or gives the default where the duration is zero.
func (d duration) or(def time.Duration) time.Duration {
	if d.Duration == 0 {
		return def
	}
	return d.Duration
}

// value gives the default where the field is absent.
func value[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

// parseTaint reads key=value:Effect, key:Effect or, for removal, a bare key.
func parseTaint(s string) v1.Taint {
	head, effect, _ := strings.Cut(s, ":")
	key, val, _ := strings.Cut(head, "=")
	return v1.Taint{Key: key, Value: val, Effect: v1.TaintEffect(effect)}
}

func taintText(t v1.Taint) string {
	s := t.Key
	if t.Value != "" {
		s += "=" + t.Value
	}
	return s + ":" + string(t.Effect)
}

func resources(m map[string]string) v1.ResourceList {
	out := v1.ResourceList{}
	for r, q := range m {
		out[v1.ResourceName(r)] = resource.MustParse(q)
	}
	return out
}

// namespace gives the namespace that an empty one stands for.
func namespace(ns string) string {
	if ns == "" {
		return "default"
	}
	return ns
}
