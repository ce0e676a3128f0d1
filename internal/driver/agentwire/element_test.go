package agentwire

import (
	"reflect"
	"testing"
)

func TestElementEncodesToExactJSON(t *testing.T) {
	field := Element{
		Identifier: "pin", Label: "PIN", Value: "••", Type: "SecureTextField", Frame: Frame{1, 2, 3.5, 4},
		Hittable: new(true), Enabled: new(false), Selected: true, Focused: true, Placeholder: "4 digits", Secure: true,
	}
	for name, c := range map[string]struct {
		roots []Element
		want  string
	}{
		"nothing": {nil, `[]`},
		"what says nothing is left out": {
			[]Element{{Type: "Other", Children: []Element{{Label: "a"}}}},
			`[{"type":"Other","frame":{"x":0,"y":0,"width":0,"height":0},"children":[` +
				`{"AXLabel":"a","frame":{"x":0,"y":0,"width":0,"height":0},"children":[]}]}]`,
		},
		"everything": {
			[]Element{field},
			`[{"AXUniqueId":"pin","AXLabel":"PIN","AXValue":"••","type":"SecureTextField",` +
				`"frame":{"x":1,"y":2,"width":3.5,"height":4},"children":[],"hittable":true,"enabled":false,` +
				`"selected":true,"focused":true,"placeholder":"4 digits","secure":true}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := EncodeElements(c.roots)
			if err != nil || got != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestElementDecodingIsTolerant(t *testing.T) {
	for in, want := range map[string]Element{
		`{"AXValue":"1"}`:                   {Value: "1"},
		`{"AXValue":1}`:                     {Value: "1"},
		`{"AXValue": 0.25 }`:                {Value: "0.25"},
		`{"AXValue":true}`:                  {Value: "true"},
		`{"AXValue":null,"AXLabel":null}`:   {},
		`{"AXValue":{"a":[1]}}`:             {Value: `{"a":[1]}`},
		`{"AXValue":"caf\u00e9 \"x\""}`:     {Value: `café "x"`},
		`{"children":null,"frame":null}`:    {},
		`{"hittable":false,"new":"ignore"}`: {Hittable: new(false)},
		`{"enabled":false}`:                 {Enabled: new(false)},
	} {
		got, err := (&Found{JSON: in}).Element()
		if err != nil || got == nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got %+v, %v", in, got, err)
		}
	}
}

func TestMissingElementEncodesAsNull(t *testing.T) {
	text, err := EncodeElement(nil)
	if err != nil || text != "null" {
		t.Errorf("encoded %s, %v", text, err)
	}
	if e, err := (&Found{JSON: text}).Element(); e != nil || err != nil {
		t.Errorf("decoded %v, %v", e, err)
	}
}

func TestBadJSONIsAnInvalidPayload(t *testing.T) {
	_, err := (&Tree{JSON: `{"not":"an array"}`}).Elements()
	wantKind(t, err, InvalidPayload)
	_, err = (&Sight{JSON: `[`}).Elements()
	wantKind(t, err, InvalidPayload)
	_, err = (&Found{JSON: `[]`}).Element()
	wantKind(t, err, InvalidPayload)
	_, err = (&Welcome{Version: 2, JSON: `nonsense`}).Info()
	wantKind(t, err, InvalidPayload)
}

func TestDisabledRequiresExplicitFalse(t *testing.T) {
	for _, e := range []Element{{}, {Enabled: new(true)}} {
		if e.Disabled() {
			t.Errorf("%+v is disabled", e)
		}
	}
	if e := (Element{Enabled: new(false)}); !e.Disabled() {
		t.Error("an element said to be not enabled is not disabled")
	}
}

func TestTargetInfoRoundTrip(t *testing.T) {
	want := AppInfo{"a.b", "App", "1.2", "34", "running_foreground"}
	m, err := NewTargetInfo(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Info(); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestCodesHaveNames(t *testing.T) {
	for c, want := range map[Code]string{CodeNone: "none", CodeNotFound: "not-found", 10: "no-focus", 11: "not-in-front", 12: "code 12"} {
		if got := c.String(); got != want {
			t.Errorf("code %d is %q, want %q", uint16(c), got, want)
		}
	}
}
