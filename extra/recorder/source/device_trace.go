package recorder

import "strings"

// claim records what a pod's claim is allocated.
func (t *trace) claim(actor string, old, new object) {
	if new == nil || allocated(old) != nil || allocated(new) == nil {
		return
	}
	owners, _ := get(new, "metadata", "ownerReferences").([]any)
	for _, owner := range owners {
		pod := text(new, "metadata", "namespace") + "/" + text(owner, "name")
		t.add(actor, record{What: "devices-allocated", Pod: pod, Message: strings.Join(allocated(new), " ")})
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
