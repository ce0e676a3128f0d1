package xcresult

import "ios-agent/internal/virtualxcode/applejson"

// object and array are JSON before it is printed.
type (
	object = map[string]any
	array  = []any
)

// compact is v without white space between its parts.
func compact(v any) string { return applejson.Style{PlainSlashes: true}.Line(v) + "\n" }

// list makes an array of anything.
func list[T any](items []T, f func(T) any) array {
	out := array{}
	for _, item := range items {
		out = append(out, f(item))
	}
	return out
}
