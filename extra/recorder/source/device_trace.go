package recorder

import (
	"slices"
	"strings"
)

// claim records what a claim is allocated, for each pod that it is reserved for from now on.
func (t *trace) claim(actor string, old, new object) {
	if new == nil || allocated(new) == nil {
		return
	}
	before, _ := get(old, "status", "reservedFor").([]any)
	now, _ := get(new, "status", "reservedFor").([]any)
	for _, pod := range now {
		is := func(was any) bool { return text(was, "uid") == text(pod, "uid") }
		if !slices.ContainsFunc(before, is) {
			name := text(new, "metadata", "namespace") + "/" + text(pod, "name")
			t.add(actor, record{What: "devices-allocated", Pod: name, Message: strings.Join(allocated(new), " ")})
		}
	}
}

// allocated are the names of a claim's devices.
func allocated(claim object) (devices []string) {
	results, _ := get(claim, "status", "allocation", "devices", "results").([]any)
	for _, r := range results {
		devices = append(devices, text(r, "device"))
	}
	return devices
}

// rule records what the controller says of a DeviceTaintRule.
func (t *trace) rule(actor string, old, new object) {
	conditions, _ := get(new, "status", "conditions").([]any)
	before, _ := get(old, "status", "conditions").([]any)
	for _, c := range conditions {
		rule := "DeviceTaintRule/" + text(new, "metadata", "name")
		r := record{What: "rule-condition", Object: rule, Type: text(c, "type"), Status: text(c, "status"), Reason: text(c, "reason"), Message: text(c, "message")}
		same := false
		for _, was := range before {
			same = same || text(was, "type") == r.Type && text(was, "status") == r.Status && text(was, "reason") == r.Reason && text(was, "message") == r.Message
		}
		if !same {
			t.add(actor, r)
		}
	}
}
