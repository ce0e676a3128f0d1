package naming_test

import (
	"context"
	"testing"

	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/naming"
	"ios-agent/internal/op"
)

// about is a call of an operation on a device, of which it may be a guess.
type about struct {
	UDID    string `json:"udid" doc:"the device"`
	Name    string `json:"name,omitempty" doc:"its name"`
	Guessed bool   `json:"guessed,omitempty" doc:"nobody named it"`
	Says    string `json:"says,omitempty" doc:"the answer"`
}

type answer struct{ text string }

func (a answer) Text() string { return a.text }

func catalogue() *op.Catalogue {
	spec := op.Spec{Name: "look", Groups: []string{"ui"}, Route: "POST /look", Summary: "Look"}
	look := op.New(spec, func(_ context.Context, c *op.Call, in about) (answer, error) {
		if in.UDID != "none" {
			c.Device = &op.Device{UDID: in.UDID, Name: in.Name}
		}
		if in.Guessed {
			c.Note(naming.Guessed{})
		}
		return answer{in.Says}, nil
	})
	return op.NewCatalogue([]op.Op{look}, op.Options{Observers: []op.Observer{naming.In(&session.Store{})}})
}

// TestNoticeNamesDeviceWhenItChanges: each answer is compared with the one before it.
func TestNoticeNamesDeviceWhenItChanges(t *testing.T) {
	const long = "27D5C08A-B643-4E19-8F72-D1E09A63B5C8"
	c := catalogue()
	for _, one := range []struct{ session, input, want string }{
		{"a", `{"udid":"A","name":"Ann"}`, ""},
		{"a", `{"udid":"none"}`, ""},
		{"a", `{"udid":"A","name":"Ann"}`, ""},
		{"a", `{"udid":"` + long + `","name":"Bea"}`, "Bea (27D5C08A)"},
		{"a", `{"udid":"A","name":"Ann","says":"using Ann (A)"}`, ""},
		{"a", `{"udid":"A","name":"Ann"}`, ""},
		{"b", `{"udid":"B","name":"Bea","guessed":true}`, "Bea (B)"},
		{"b", `{"udid":"B","name":"Bea","guessed":true}`, ""},
		{"b", `{"udid":"C"}`, "C"},
	} {
		got := ""
		for _, n := range c.Run(t.Context(), "look", op.Call{Session: one.session}, []byte(one.input)).Meta.Notices {
			got += n.Text
		}
		if got != one.want {
			t.Errorf("%s %s: got the notice %q, want %q", one.session, one.input, got, one.want)
		}
	}
}
