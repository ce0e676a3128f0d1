package simctl

import "iter"

// object is a JSON object, or a property list's dictionary, in the real tool's order.
type object []member

type member struct {
	key   string
	value any
}

type array = []any

// Members implements applejson.Ordered.
func (o object) Members() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, m := range o {
			if !yield(m.key, m.value) {
				return
			}
		}
	}
}
