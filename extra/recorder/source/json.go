package recorder

import "encoding/json"

// object is decoded JSON. Once it is stored it is never changed; whoever wants another one copies.
type object = map[string]any

// get follows a path of field names, and gives nil where it ends.
func get(o any, path ...string) any {
	for _, p := range path {
		m, _ := o.(object)
		o = m[p]
	}
	return o
}

// text is get for a string; it is empty where there is none.
func text(o any, path ...string) string {
	s, _ := get(o, path...).(string)
	return s
}

// with gives a copy of o that has val at the path; nil removes the field.
func with(o object, val any, path ...string) object {
	c := object{}
	for k, v := range o {
		c[k] = v
	}
	if len(path) > 1 {
		child, _ := o[path[0]].(object)
		val = with(child, val, path[1:]...)
	}
	if val == nil {
		delete(c, path[0])
	} else {
		c[path[0]] = val
	}
	return c
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func decode(b []byte) object {
	o := object{}
	if len(b) > 0 {
		if err := json.Unmarshal(b, &o); err != nil {
			panic(err)
		}
	}
	return o
}

// convert reads an object into one of upstream's types.
func convert[T any](o object) *T {
	t := new(T)
	if err := json.Unmarshal(encode(o), t); err != nil {
		panic(err)
	}
	return t
}

// merge lays a JSON merge patch over base (RFC 7386).
func merge(base, patch object) object {
	for k, v := range patch {
		if child, ok := v.(object); ok {
			old, _ := base[k].(object)
			v = merge(old, child)
		}
		base = with(base, v, k)
	}
	if base == nil {
		return object{}
	}
	return base
}
