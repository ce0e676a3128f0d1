package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
)

// look is the screen at the start of a step: the outline for the decider, and the elements for the policy.
type look struct {
	ID       string    `json:"id"`
	App      string    `json:"app"`
	Elements []element `json:"elements"`

	outline  string
	snapshot json.RawMessage // the specification's, without its picture
	picture  string          // a data URI; empty without a picture
	size     struct {
		Width, Height int
		Points        string
	}
	hidden bool // the picture would show a secret
}

// element holds the policy's facts about one element.
type element struct {
	Ref         string   `json:"ref"`
	Type        string   `json:"type"`
	Label       string   `json:"label"`
	Identifier  string   `json:"identifier"`
	Value       string   `json:"value"`
	Placeholder string   `json:"placeholder"`
	Secure      bool     `json:"secure"`
	Frame       frame    `json:"frame"`
	Children    []string `json:"children"`
}

type frame struct{ X, Y, W, H float64 }

func (f frame) holds(x, y float64) bool { return x >= f.X && x < f.X+f.W && y >= f.Y && y < f.Y+f.H }

func (e element) texts() []string { return []string{e.Label, e.Value, e.Placeholder, e.Identifier} }

// outlineBudget is the approximate maximum number of tokens of a screen in a turn.
const outlineBudget = 2000

// look reads the screen. An app that has exited is not an error: it can be launched again.
func (w *loop) look(ctx context.Context) (look, error) {
	input := map[string]any{"budget": outlineBudget}
	if w.Picture {
		input["screenshot"] = true
	}
	e := w.voice.Envelope(w.call(ctx, "snapshot", input), nil)
	var l look
	switch {
	case e.Error != nil && (e.Error.Code == fault.AppNotRunning || e.Error.Code == fault.AppEnded):
		l = look{ID: string(e.Error.Code), outline: e.Text()}
	case e.Error != nil:
		return l, e.Error
	default:
		if err := json.Unmarshal(e.Result, &l); err != nil {
			return l, fault.New(fault.Internal, "cannot decode a snapshot: %w", err)
		}
		l.outline = e.Stdout
		if err := l.keep(e.Result, w.Secrets); err != nil {
			return l, err
		}
	}
	l.outline = w.Secrets.Text(l.outline)
	if w.step > 0 && l.ID == w.seen {
		w.idle++ // whatever the last step was
	} else {
		w.idle = 0
	}
	w.seen = l.ID
	return l, nil
}

// keep separates the snapshot from its picture. Secrets are hidden in the snapshot; a picture that would show one is dropped.
func (l *look) keep(result []byte, secrets *mask.Set) error {
	var parts map[string]json.RawMessage
	err := json.Unmarshal(result, &parts)
	if raw, shown := parts["screenshot"]; shown && err == nil {
		err = errors.Join(json.Unmarshal(raw, &l.picture), json.Unmarshal(parts["screenshot_size"], &l.size))
		delete(parts, "screenshot")
	}
	if err == nil {
		l.snapshot, err = json.Marshal(parts)
	}
	if err != nil {
		return fault.New(fault.Internal, "cannot decode a snapshot: %w", err)
	}
	masked := secrets.JSON(l.snapshot)
	if l.picture != "" && (!bytes.Equal(masked, l.snapshot) || bytes.Contains(masked, []byte(mask.Name("")))) {
		l.picture, l.hidden = "", true
	}
	l.snapshot = masked
	return nil
}

// withPicture is the snapshot in the specification's form, with the picture if it has one.
func (l look) withPicture() json.RawMessage {
	if l.picture == "" {
		return l.snapshot
	}
	picture, _ := json.Marshal(l.picture) // a string
	return slices.Concat([]byte(`{"screenshot":`), picture, []byte(","), l.snapshot[1:])
}

// at finds an element by its ref.
func (l look) at(ref string) *element {
	ref = "@" + strings.TrimPrefix(ref, "@")
	for i := range l.Elements {
		if l.Elements[i].Ref == ref {
			return &l.Elements[i]
		}
	}
	return nil
}

// around are the element, its descendants and its ancestors: a touch on a text presses the button around it.
func (l look) around(e *element) []*element {
	found := []*element{e}
	for i := 0; i < len(found); i++ {
		for _, ref := range found[i].Children {
			if c := l.at(ref); c != nil {
				found = append(found, c)
			}
		}
	}
	parents := map[string]*element{}
	for i := range l.Elements {
		for _, ref := range l.Elements[i].Children {
			parents[ref] = &l.Elements[i]
		}
	}
	for p := parents[e.Ref]; p != nil && !holders[strings.TrimPrefix(p.Type, "XCUIElementType")]; p = parents[p.Ref] {
		found = append(found, p)
	}
	return found
}

// holders contain other elements and do not react to touches on them.
var holders = map[string]bool{"Application": true, "Window": true, "ScrollView": true, "Table": true, "CollectionView": true,
	"WebView": true}
