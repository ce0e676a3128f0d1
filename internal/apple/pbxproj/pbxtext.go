package pbxproj

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ref names another object, with Xcode's comment.
type ref struct{ id, comment string }

// field is one key of an object; a value is a string, a ref, a list or more fields.
type field struct {
	key   string
	value any
}

type (
	list   []any
	fields []field
)

// object is one entry of the objects table.
type object struct {
	ref
	isa    string
	fields fields
}

// oneLine are the kinds that Xcode writes on one line.
var oneLine = map[string]bool{"PBXBuildFile": true, "PBXFileReference": true}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./]+$`)

func quote(s string) string {
	if plain.MatchString(s) && !strings.Contains(s, "//") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

func (r ref) text() string {
	if r.comment == "" {
		return r.id
	}
	return r.id + " /* " + strings.ReplaceAll(r.comment, "*/", "* /") + " */"
}

// value is v as text; pad is the indentation of its line, and empty on one line.
func value(v any, pad string, single bool) string {
	switch v := v.(type) {
	case ref:
		return v.text()
	case list:
		return brackets{"(", ",", ")"}.around(len(v), pad, single, func(i int, pad string) string { return value(v[i], pad, single) })
	case fields:
		return brackets{"{", ";", "}"}.around(len(v), pad, single, func(i int, pad string) string {
			return quote(v[i].key) + " = " + value(v[i].value, pad, single)
		})
	}
	return quote(fmt.Sprint(v))
}

// brackets encloses a list; after follows each of its items.
type brackets struct{ open, after, end string }

func (k brackets) around(n int, pad string, single bool, item func(int, string) string) string {
	var b strings.Builder
	b.WriteString(k.open)
	for i := range n {
		if single {
			b.WriteString(item(i, "") + k.after + " ")
			continue
		}
		b.WriteString("\n" + pad + "\t" + item(i, pad+"\t") + k.after)
	}
	if !single {
		b.WriteString("\n" + pad)
	}
	return b.String() + k.end
}

// text is the whole file, its sections in Xcode's order.
func text(objects []object, version string, root ref) []byte {
	slices.SortFunc(objects, func(a, b object) int { return cmp.Or(cmp.Compare(a.isa, b.isa), cmp.Compare(a.id, b.id)) })
	var b strings.Builder
	fmt.Fprintf(&b, "// !$*UTF8*$!\n{\n\tarchiveVersion = 1;\n\tclasses = {\n\t};\n\tobjectVersion = %s;\n\tobjects = {\n", version)
	section := ""
	for _, o := range objects {
		if o.isa != section {
			endSection(&b, section)
			section = o.isa
			fmt.Fprintf(&b, "\n/* Begin %s section */\n", section)
		}
		all := append(fields{{"isa", o.isa}}, o.fields...)
		fmt.Fprintf(&b, "\t\t%s = %s;\n", o.text(), value(all, "\t\t", oneLine[o.isa]))
	}
	endSection(&b, section)
	fmt.Fprintf(&b, "\t};\n\trootObject = %s;\n}\n", root.text())
	return []byte(b.String())
}

func endSection(b *strings.Builder, name string) {
	if name != "" {
		fmt.Fprintf(b, "/* End %s section */\n", name)
	}
}
