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

// lines gives the records as canonical JSON, sorted by time and then by text, and in the order in which they were written the
// instant of each, to the nanosecond, with its place among those.
func (t *trace) lines() (sorted []json.RawMessage, written [][2]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rename := t.renamer()
	lines, order := make([]string, len(t.records)), make([]int, len(t.records))
	for i, r := range t.records {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(r); err != nil {
			panic(err)
		}
		lines[i] = rename.Replace(rename.Replace(strings.TrimSpace(b.String()))) // pods of a renamed ReplicaSet need it twice
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		a, b = order[a], order[b]
		if t.records[a].T != t.records[b].T {
			return t.records[a].T < t.records[b].T
		}
		return lines[a] < lines[b]
	})
	written = make([][2]int64, len(lines))
	for place, i := range order {
		sorted = append(sorted, json.RawMessage(lines[i]))
		written[i] = [2]int64{t.records[i].at, int64(place)}
	}
	return sorted, written
}
