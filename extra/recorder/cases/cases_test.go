// Package cases runs a part of a kubelet, upstream's own, in virtual time, over cases that `gen` wrote. What a case is, and what is told of it, is said in
// the folder of its kind, which `build --cases` puts beside this file.
package cases

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
)

// called calls a function with those of the values that its parameters have the types of, or others that convert.
func called(function reflect.Value, values ...any) []reflect.Value {
	var given []reflect.Value
	for i := range function.Type().NumIn() {
		wanted := function.Type().In(i)
		fits := slices.IndexFunc(values, func(value any) bool { return reflect.TypeOf(value) == wanted })
		if fits < 0 {
			fits = slices.IndexFunc(values, func(value any) bool {
				return reflect.TypeOf(value).ConvertibleTo(wanted) && reflect.TypeOf(value).Kind() != reflect.Int64
			})
		}
		if fits < 0 {
			panic("nothing fits " + wanted.String())
		}
		given = append(given, reflect.ValueOf(values[fits]).Convert(wanted))
	}
	return function.Call(given)
}

// TestCases reads the cases of CASES, one in a line, and writes to TOLD what came of each, where forty runs agree.
func TestCases(t *testing.T) {
	cases, err := os.Open(os.Getenv("CASES"))
	if err != nil {
		t.Skip(err)
	}
	into, err := os.Create(os.Getenv("TOLD"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(cases)
	for lines.Scan() {
		var c instance
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		told := c.told(t)
		for range 39 {
			if !slices.Equal(told, c.told(t)) {
				told = nil
				break
			}
		}
		line, _ := json.Marshal(map[string]any{"name": c.Name, "told": told})
		fmt.Fprintln(into, string(line))
	}
}
