package op

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/shorter"
)

// The maximum sizes of an answer in bytes, unless its call asks for more. An operation with long answers limits them itself and returns a
// cursor; these are the last guard for all operations, so that an answer never fills a model's memory because of one forgotten field.
const (
	MostText = 16 << 10
	MostJSON = 100 << 10
)

// The size in bytes of each part of an answer that is cut. It leaves room for notices, for the usual next calls and for the envelope of a
// job.
const (
	cutText  = 14 << 10
	roomJSON = 4 << 10
	cutFault = 2 << 10 // for a message, and for a hint
)

// Keeper stores the whole of an answer that was cut, and returns the path of the file. name becomes part of the file's name; ending is its
// format, json or txt.
type Keeper func(name, ending string, whole []byte) (path string, err error)

// bounded cuts the answer to its limits and adds a notice with the size of the omitted part and the file of the whole answer.
func (c *Catalogue) bounded(x *Exchange, e Envelope) Envelope {
	if e.Error != nil {
		e.Error = boundedFault(e.Error)
	}
	if x.Op == nil || x.Op.Download || x.Op.asksForMore(x.input) {
		return e
	}
	var left []string
	most, mostText := MostJSON, cutText
	if x.Call.Alone {
		most, mostText = max(most, x.Op.Own), max(mostText, x.Op.OwnText)
	}
	if whole := e.Result; len(whole) > most-roomJSON {
		e.Result = shorter.JSON(whole, most-roomJSON, x.Op.newestLast()...)
		left = append(left, c.left(x, "JSON", "json", whole, len(e.Result)))
	}
	switch whole := e.Stdout; {
	case len(whole) <= mostText:
	case !e.Document && len(x.Op.newestLast()) > 0:
		e.Stdout = endOf(whole, mostText)
		left = append(left, c.left(x, "text", "txt", []byte(whole), len(e.Stdout)))
	case !e.Document:
		e.Stdout = middleOut(whole, mostText)
		left = append(left, c.left(x, "text", "txt", []byte(whole), len(e.Stdout)))
	case !x.Op.out.Implements(reflect.TypeFor[Texter]()): // then the text is the JSON; other documents have a format that the call chose
		e.Stdout = string(shorter.JSON([]byte(whole), mostText, x.Op.newestLast()...))
		left = append(left, c.left(x, "text", "json", []byte(whole), len(e.Stdout)))
	}
	if len(left) > 0 {
		e.Meta.Notices = inOrder(append(e.Meta.Notices, Notice{Kind: Cut, Text: strings.Join(left, "; ") + x.Op.moreBy()}))
	}
	return e
}

// left stores the whole of a part and returns a text that says how much of it was omitted.
func (c *Catalogue) left(x *Exchange, part, ending string, whole []byte, shown int) string {
	text := fmt.Sprintf("%s of %s of %s", kilobytes(shown), kilobytes(len(whole)), part)
	if c.o.Keep == nil {
		return text
	}
	path, err := c.o.Keep(x.Name, ending, whole)
	if err != nil {
		return text + " (the whole could not be kept: " + err.Error() + ")"
	}
	return text + "; the whole is in " + strconv.Quote(path)
}

func kilobytes(n int) string { return fmt.Sprintf("%d KB", (n+1023)/1024) }

func (o Op) asksForMore(input []byte) bool {
	values, err := o.Read(input)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(o.Fields(), func(f Field) bool {
		value, given := values[f.Name]
		return (f.More || f.Large) && given && f.isMore(value)
	})
}

// isMore reports whether a value asks for more than the field's default.
func (f Field) isMore(value any) bool {
	usual, err := strconv.ParseFloat(f.Default, 64)
	switch v := value.(type) {
	case bool:
		return v
	case int64:
		return err != nil || float64(v) > usual || v == 0
	case string:
		return v != f.Default
	}
	return true
}

func (o Op) moreBy() string {
	var names []string
	for _, f := range o.Fields() {
		if f.More {
			names = append(names, hint.Field(f.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; ask for more with " + strings.Join(names, " or ")
}

// boundedFault cuts the message, hint and details of a fault, which may contain a program's long output.
func boundedFault(f *fault.Fault) *fault.Fault {
	return f.Shortened(func(text string) string { return middleOut(text, cutFault) }, func(details []byte) []byte {
		if len(details) <= cutText {
			return details
		}
		return shorter.JSON(details, cutText)
	})
}

// newestLast returns the names of the result's lists with the tag newest:"last". If such a list is cut, its oldest items go first.
func (o Op) newestLast() (names []string) {
	if o.out == nil || o.out.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(o.out) {
		if f.Tag.Get("newest") == "last" {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// endOf returns the first line of a text, its heading, and its last lines.
func endOf(text string, most int) string {
	const mark = 64 // room for the line that counts the omitted part
	head, rest, _ := strings.Cut(text, "\n")
	if len(head) > most/4 {
		return middleOut(text, most)
	}
	tail := rest[len(rest)-(most-mark-len(head)):]
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	tail = strings.ToValidUTF8(tail, "")
	return fmt.Sprintf("%s\n… %d bytes left out\n%s", head, len(rest)-len(tail), tail)
}

// middleOut removes the middle of a text, because its heading and its end say most. It cuts between lines if it can.
func middleOut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const mark = 64 // room for the line that counts the omitted part
	head, tail := text[:(most-mark)*2/3], text[len(text)-(most-mark)/3:]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	return fmt.Sprintf("%s\n… %d bytes left out\n%s", head, len(text)-len(head)-len(tail), tail)
}
