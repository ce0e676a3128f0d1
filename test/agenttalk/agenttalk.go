// Package agenttalk reads the files that an agentwire.Talk wrote, for the trial on a Mac and for tests. Read passes each message on, Check
// decodes and encodes one again and compares the bytes, Text prints one. The product only writes such files.
package agenttalk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"ios-agent/internal/driver/agentwire"
)

// Read calls each for every Saying of a file. A last line that is cut off is left out: the writer may have been
// killed.
func Read(r io.Reader, each func(agentwire.Saying) error) error {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var s agentwire.Saying
		if err := json.Unmarshal(line, &s); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := each(s); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// Check decodes the message again. It fails when this program decodes it differently from the program that wrote it.
func Check(s agentwire.Saying) error {
	if s.Error != "" || s.Name == "" {
		return nil
	}
	name, again, err := decode(s)
	switch {
	case err != nil:
		return fmt.Errorf("%s %d cannot be read any more: %w", s.Name, s.ID, err)
	case name != s.Name:
		return fmt.Errorf("%s %d is read as %s", s.Name, s.ID, name)
	case !bytes.Equal(again, s.Message):
		return fmt.Errorf("%s %d is written otherwise now", s.Name, s.ID)
	}
	return nil
}

func decode(s agentwire.Saying) (name string, again []byte, err error) {
	if s.Is == agentwire.Said {
		r, err := agentwire.UnmarshalRequest(s.Message)
		if err != nil {
			return "", nil, err
		}
		again, err = agentwire.MarshalRequest(r)
		return r.Opcode().String(), again, err
	}
	r, err := agentwire.UnmarshalResponse(s.Message)
	if err != nil {
		return "", nil, err
	}
	again, err = agentwire.MarshalResponse(r)
	return r.Kind().String(), again, err
}

// Text is the saying in one line. For a tree it gives the number of elements.
func Text(s agentwire.Saying) string {
	head := fmt.Sprintf("%s %d.%d ", s.At.UTC().Format(time.TimeOnly+".000"), s.Stream, s.ID)
	arrow := map[string]string{agentwire.Said: "→ ", agentwire.Heard: "← "}[s.Is]
	switch {
	case s.Is == agentwire.Lost:
		return head + "the stream was lost: " + s.Error
	case s.Is == agentwire.Full:
		return head + "the file is full; nothing more was kept"
	case s.Error != "":
		return head + arrow + fmt.Sprintf("%d bytes that cannot be read: %s: %q", len(s.Message)+s.LeftOut, s.Error, s.Message)
	case s.Flags&agentwire.FlagSent != 0:
		return head + arrow + "the input was sent"
	}
	text := head + arrow + s.Name + fields(s)
	if s.LeftOut > 0 {
		text += fmt.Sprintf(" (%d bytes not kept)", s.LeftOut)
	}
	return text
}

func fields(s agentwire.Saying) string {
	if s.Is == agentwire.Said {
		r, err := agentwire.UnmarshalRequest(s.Message)
		if err != nil {
			return " " + err.Error()
		}
		if act, ok := r.(*agentwire.Act); ok {
			return actText(act)
		}
		return fieldsOf(r)
	}
	r, err := agentwire.UnmarshalResponse(s.Message)
	if err != nil {
		return " " + err.Error()
	}
	if sight, ok := r.(*agentwire.Sight); ok {
		return sightText(sight)
	}
	return fieldsOf(r)
}

// fieldsOf writes the fields as JSON does, which names them; long texts are cut.
func fieldsOf(message any) string {
	const enough = 400
	b, err := json.Marshal(message)
	if err != nil || string(b) == "{}" {
		return ""
	}
	text := string(b)
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "") + fmt.Sprintf("… (%d bytes)", len(b))
	}
	return " " + text
}

func actText(m *agentwire.Act) string {
	text := " input"
	if input, err := agentwire.UnmarshalRequest(m.Input); err == nil {
		text = " " + input.Opcode().String() + fieldsOf(input)
	}
	if m.Aim != nil {
		text += " at" + fieldsOf(m.Aim)
	}
	return text + fmt.Sprintf(" in %q", m.App)
}

func sightText(m *agentwire.Sight) string {
	elements, err := m.Elements()
	if err != nil {
		return " with a tree that cannot be read: " + err.Error()
	}
	text := fmt.Sprintf(" of %q (%s): %d elements, settled %t after %d ms and %d looks", m.Front, m.State, countElements(elements),
		m.Settled, m.WaitedMS, m.Samples)
	if m.Cover != "" {
		text += ", covered by " + m.Cover
	}
	if m.Truncated > 0 {
		text += fmt.Sprintf(", %d left out", m.Truncated)
	}
	return text
}

func countElements(all []agentwire.Element) (n int) {
	for _, e := range all {
		n += 1 + countElements(e.Children)
	}
	return n
}
