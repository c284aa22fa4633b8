package recorder

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
)

// alias gives generated names a stable form: owner-#n in order of creation.
func (t *trace) alias(resource string, o object) {
	name, owner := text(o, "metadata", "name"), text(o, "metadata", "generateName")
	if resource == "replicasets" {
		refs, _ := get(o, "metadata", "ownerReferences").([]any)
		if len(refs) == 1 {
			owner = text(refs[0], "name") + "-"
		}
	}
	if owner != "" && (resource == "replicasets" || len(name) == len(owner)+suffixLength) {
		t.numbers[owner]++
		t.aliases = append(t.aliases, name, owner+"#"+strconv.Itoa(t.numbers[owner]))
	}
}

// renamer replaces generated names, long ones first, since one may begin with another.
func (t *trace) renamer() *strings.Replacer {
	order := make([]int, 0, len(t.aliases)/2)
	for i := 0; i < len(t.aliases); i += 2 {
		order = append(order, i)
	}
	sort.SliceStable(order, func(a, b int) bool { return len(t.aliases[order[a]]) > len(t.aliases[order[b]]) })
	var pairs []string
	for _, i := range order {
		pairs = append(pairs, t.aliases[i], t.aliases[i+1])
	}
	return strings.NewReplacer(pairs...)
}

// lines gives the records as canonical JSON, sorted by time and then by text.
func (t *trace) lines() []json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	rename := t.renamer()
	out := make([]json.RawMessage, len(t.records))
	times := map[string]int64{}
	for i, r := range t.records {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(r); err != nil {
			panic(err)
		}
		line := rename.Replace(rename.Replace(strings.TrimSpace(b.String()))) // pods of a renamed ReplicaSet need it twice
		out[i], times[line] = json.RawMessage(line), r.T
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := string(out[i]), string(out[j])
		if times[a] != times[b] {
			return times[a] < times[b]
		}
		return a < b
	})
	return out
}
