package app_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

const whole = `start: first
state: {name: "", count: 0, on: false}
screens:
  first:
    title: "Hello {name}"
    elements:
      - text: "{count} times {{braces}"
        id: counter
        style: headline
        visible: {count: notempty}
      - field: Name
        bind: name
        placeholder: Your name
      - secure: Secret
        bind: name
      - row:
          - text: Coffee
          - button: Add
            label: Add Coffee
            style: tinted
            do:
              - add: {count: 2}
              - set: {name: "n{count}", on: true}
      - button: Next
        enabled: {name: notempty, on: true}
        do:
          - when: {count: 2}
            do: [{go: second}]
            else: [{back: true}]
  second: {title: Second}
`

func TestParseReadsTheWholeLanguage(t *testing.T) {
	a, err := app.Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	first := a.Screens[a.Start]
	if first == nil || len(first.Elements) != 5 || len(first.Elements[3].Inner) != 2 {
		t.Fatalf("screen first is %+v", first)
	}
	vars := a.State.Clone()
	if got := first.Elements[0].Text.Expand(vars); got != "0 times {braces}" {
		t.Errorf("text is %q", got)
	}
	if first.Elements[0].Visible.Holds(vars) || first.Elements[4].Enabled.Holds(vars) {
		t.Error("conditions on empty variables hold")
	}
	if got := first.Elements[3].Inner[1].AccessibleLabel(vars); got != "Add Coffee" {
		t.Errorf("label is %q", got)
	}
	if got := first.Elements[2].Key; got != "#2" {
		t.Errorf("key of an element without id is %q", got)
	}
}

// stage records where steps lead.
type stage struct {
	app.Stage
	vars  app.Vars
	moves []string
}

func (s *stage) Vars() app.Vars     { return s.vars }
func (s *stage) Push(screen string) { s.moves = append(s.moves, screen) }
func (s *stage) Pop()               { s.moves = append(s.moves, "back") }

func TestStepsRunInOrder(t *testing.T) {
	a, err := app.Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	on := &stage{vars: a.State.Clone()}
	elements := a.Screens["first"].Elements
	app.Run(elements[4].Do, on)
	app.Run(elements[3].Inner[1].Do, on)
	app.Run(elements[4].Do, on)
	if got := strings.Join(on.moves, " "); got != "back second" {
		t.Errorf("moves are %q", got)
	}
	if on.vars["name"] != "n2" || on.vars["on"] != true || on.vars["count"] != 2.0 {
		t.Errorf("variables are %v", on.vars)
	}
	if a.State["count"] != 0.0 {
		t.Error("a step changed the definition")
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	screen := "start: a\nstate: {s: \"\", n: 0}\nscreens:\n  a:\n    elements:\n"
	for name, c := range map[string]struct{ source, want string }{
		"unknown key of the file": {"start: a\ncolour: red\nscreens: {a: {title: A}}",
			`line 2: unknown key "colour" of the file: known keys are launch, open, screens, server, start, state, tabs`},
		"unknown key of a screen": {"start: a\nscreens:\n  a:\n    name: A", `line 4: unknown key "name" of screen "a"`},
		"missing start":           {"screens: {a: {title: A}}", "start is missing"},
		"start nowhere":           {"start: b\nscreens: {a: {title: A}}", `start names the unknown screen "b"`},
		"no screens":              {"start: b", "no screens"},
		"unknown kind":            {screen + "      - lever: x", `line 6: unknown key "lever" of an element`},
		"no kind":                 {screen + "      - id: x", "line 6: an element has no kind"},
		"two kinds":               {screen + "      - text: x\n        button: y", "line 7: an element is either a text or a button"},
		"duplicate id":            {screen + "      - {text: x, id: i}\n      - {text: y, id: i}", `line 7: duplicate id "i"`},
		"duplicate key":           {screen + "      - {text: x, text: y}", "line 6:"},
		"go nowhere":              {screen + "      - button: b\n        do: [{go: z}]", `line 7: go names the unknown screen "z"`},
		"unknown variable":        {screen + "      - text: \"{z}\"", `line 6: unknown variable "z"`},
		"bind without variable":   {screen + "      - field: f", "line 6: a field needs bind"},
		"bind of a number":        {screen + "      - {field: f, bind: n}", `line 6: bind needs a string variable: "n" is a number`},
		"bind of a text":          {screen + "      - {text: f, bind: s}", "line 6: a text cannot bind"},
		"condition of wrong type": {screen + "      - {text: f, visible: {n: one}}", `line 6: variable "n" is a number, not a string`},
		"add to a string": {screen + "      - {button: b, do: [{add: {s: 1}}]}",
			`line 6: variable "s" is a string and cannot be added to`},
		"set to wrong type":     {screen + "      - {button: b, do: [{set: {s: 1}}]}", `line 6: variable "s" is a string, not a number`},
		"do on a text":          {screen + "      - {text: b, do: [{go: a}]}", "line 6: a text has no do"},
		"step with two actions": {screen + "      - {button: b, do: [{go: a, back: true}]}", "line 6: a step needs exactly one"},
		"else without when":     {screen + "      - {button: b, do: [{go: a, else: []}]}", "line 6: do and else belong to when"},
		"back with a place":     {screen + "      - {button: b, do: [{back: home}]}", "line 6: back must be true"},
		"unknown style": {screen + "      - {text: b, style: loud}",
			`line 6: unknown style "loud" of a text: known styles are body`},
		"row in a row":           {screen + "      - row: [{row: [{text: a}]}]", "line 6: a row cannot hold a row"},
		"list in a row":          {screen + "      - row: [{list: []}]", "line 6: a row cannot hold a list"},
		"slider without number":  {screen + "      - {slider: a, bind: s}", `line 6: bind needs a number variable: "s" is a string`},
		"toggle without bool":    {screen + "      - {toggle: a, bind: s}", `line 6: bind needs a bool variable: "s" is a string`},
		"empty range":            {screen + "      - {slider: a, bind: n, min: 5, max: 5}", "line 6: min is 5: it must be less than max"},
		"picker without options": {screen + "      - {picker: a, bind: s}", "line 6: a picker needs options"},
		"value not an option": {screen + "      - {segmented: a, bind: s, options: [x]}",
			`line 6: variable "s" starts as "": it must be one of the options`},
		"area that is too high": {screen + "      - {area: a, height: 9000}", "line 6: step, width and height"},
		"unknown keyboard":      {screen + "      - {field: a, bind: s, keyboard: piano}", `line 6: unknown keyboard "piano"`},
		"swipe into a number":   {screen + "      - {area: a, swipe: {into: n}}", "line 6: into needs a string variable"},
		"point into a string":   {screen + "      - {area: a, point: {x: n, y: s}}", "line 6: point needs a number variable"},
		"repeat without each":   {screen + "      - repeat: {count: 3}", "line 6: a repeat needs each"},
		"repeat in a repeat": {screen + "      - repeat: {count: 2, each: {list: [{repeat: {count: 2, each: {text: a}}}]}}",
			"line 6: a repeat cannot be in a repeat"},
		"repeat of one id": {screen + "      - repeat: {count: 3, each: {text: a, id: x}}", `line 6: duplicate id "x"`},
		"endless repeat": {screen + "      - repeat: {count: 99999999, each: {text: a}}",
			"line 6: a repeat needs each, and a count of at most"},
		"unknown level": {screen + "      - {button: b, do: [{log: {level: loud, message: a}}]}", `line 6: unknown level "loud"`},
		"timer without time": {screen + "      - {button: b, do: [{every: {do: []}}]}",
			"line 6: every needs seconds of at least 0.05"},
		"stop of nothing":  {screen + "      - {button: b, do: [{stop: x}]}", `line 6: stop names the unknown timer "x"`},
		"flip of a number": {screen + "      - {button: b, do: [{flip: n}]}", "line 6: flip needs a bool variable"},
		"sheet nowhere":    {screen + "      - {button: b, do: [{sheet: z}]}", `line 6: sheet names the unknown screen "z"`},
		"tab without tabs": {screen + "      - {button: b, do: [{tab: a}]}", `line 6: tab names "a": it must be the screen of a tab`},
		"dialog with a text": {screen + "      - {button: b, do: [{alert: {buttons: [{text: a}]}}]}",
			"line 6: a dialog has buttons only"},
		"tab nowhere": {"tabs: {items: [{label: A, screen: z}]}\nscreens: {a: {title: A}}",
			`line 1: a tab names the unknown screen "z"`},
		"start without tab": {"start: b\ntabs: {items: [{label: A, screen: a}]}\nscreens: {a: {title: A}, b: {title: B}}",
			`start names "b": it must be the screen of a tab`},
		"link without scheme": {"start: a\nopen: {item: []}\nscreens: {a: {title: A}}", `line 2: open needs URLs`},
		"link into nothing":   {"start: a\nopen: {\"x://{id}\": []}\nscreens: {a: {title: A}}", `line 2: unknown variable "id"`},
		"declared argument": {"start: a\nstate: {arg.x: \"\"}\nscreens: {a: {title: A}}",
			`line 2: variable "arg.x" comes from the launch or the device`},
		"declared device": {"start: a\nstate: {device.dark: true}\nscreens: {a: {title: A}}",
			`line 2: variable "device.dark" comes from the launch or the device`},
		"unknown device variable": {screen + "      - text: \"{device.colour}\"", `line 6: unknown variable "device.colour"`},
		"unknown permission var":  {screen + "      - text: \"{permission.money}\"", `line 6: unknown variable "permission.money"`},
		"device variable's type": {screen + "      - {toggle: a, bind: device.appearance}",
			`line 6: bind needs a bool variable: "device.appearance" is a string`},
		"ask for nothing": {screen + "      - {button: b, do: [{ask: money}]}",
			`line 6: unknown permission "money" of ask: known are bluetooth, calendar`},
		"ask for paste": {screen + "      - {button: b, do: [{ask: paste}]}", `line 6: unknown permission "paste" of ask`},
		"ask into a number": {screen + "      - {button: b, do: [{ask: {for: camera, into: n}}]}",
			"line 6: into needs a string variable"},
		"unknown key of ask": {screen + "      - {button: b, do: [{ask: {for: camera, why: x}}]}",
			`line 6: unknown key "why" of ask: known keys are do, else, for, into, reason`},
		"paste without into":     {screen + "      - {button: b, do: [{paste: {do: []}}]}", "line 6: paste needs into"},
		"permissions of nothing": {screen + "      - permissions: money", `line 6: unknown permission "money": known are`},
		"request without url":    {screen + "      - {button: b, do: [{request: {method: GET}}]}", "line 6: request needs a url"},
		"unknown method": {screen + "      - {button: b, do: [{request: {url: x, method: FETCH}}]}",
			`line 6: unknown method "FETCH" of request: known methods are GET`},
		"endless request": {screen + "      - {button: b, do: [{request: {url: x, timeout: 9000}}]}",
			"line 6: timeout of request must be"},
		"busy string": {screen + "      - {button: b, do: [{request: {url: x, busy: s}}]}",
			"line 6: busy needs a bool variable"},
		"status into a string": {screen + "      - {button: b, do: [{request: {url: x, status: s}}]}",
			"line 6: status needs a number variable"},
		"json into nothing": {screen + "      - {button: b, do: [{request: {url: x, json: {a: z}}}]}", `line 6: unknown variable "z"`},
		"variable in a url": {screen + "      - {button: b, do: [{request: {url: \"{z}\"}}]}", `line 6: unknown variable "z"`},
		"steps of a request": {screen + "      - {button: b, do: [{request: {url: x, do: [{go: z}]}}]}",
			`line 6: go names the unknown screen "z"`},
		"server without method": {"start: a\nserver: {/orders: {}}\nscreens: {a: {title: A}}", "line 2: server needs a method and a path"},
		"server with odd status": {"start: a\nserver: {GET /orders: {status: 42}}\nscreens: {a: {title: A}}",
			"line 2: an answer of server has a status from 100 to 599"},
		"file outside": {screen + "      - {button: b, do: [{write: {file: ../x, text: y}}]}",
			`line 6: write needs a file inside the data folder`},
		"absolute file": {screen + "      - {button: b, do: [{read: {file: /etc/passwd, into: s}}]}",
			"line 6: read needs a file inside"},
		"read without into": {screen + "      - {button: b, do: [{read: {file: x}}]}", "line 6: read needs into"},
		"unknown crash": {screen + "      - {button: b, do: [{crash: {kind: bang}}]}",
			`line 6: unknown kind "bang" of crash: known kinds are fatal, exception`},
		"name of no exception": {screen + "      - {button: b, do: [{crash: {kind: abort, name: X}}]}",
			"line 6: name belongs to a crash of kind exception"},
		"double on a link":    {screen + "      - {link: b, double: [{go: a}]}", "line 6: a link has no double"},
		"pinch into a string": {screen + "      - {area: b, pinch: {into: s}}", "line 6: into needs a number variable"},
		"drop into a number":  {screen + "      - {area: b, drop: {into: n}}", "line 6: into needs a string variable"},
		"drag of a field":     {screen + "      - {field: b, bind: s, drag: x}", "line 6: a field has no drag"},
		"reorder of an area":  {screen + "      - {area: b, reorder: true}", "line 6: a area has no reorder"},
		"hidden text":         {screen + "      - {text: b, hidden: true}", "line 6: a text has no hidden"},
		"list in a page":      {screen + "      - web: [{list: []}]", "line 6: a web cannot hold a list"},
		"number as text":      {screen + "      - text: 5", "line 6: text must be a string: put it in quotes"},
		"variable of nothing": {"start: a\nstate: {x: }\nscreens: {a: {title: A}}", `line 2: variable "x" must start as`},
		"not yaml":            {"start: [", "line 1:"},
		"a list":              {"- a", "line 1: the file must be a mapping"},
		"empty":               {"", "expected one yaml document"},
		"two documents":       {"start: a\n---\nstart: b", "expected one yaml document, found 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := app.Parse([]byte(c.source))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is\n%v\nwant it to say\n%s", err, c.want)
			}
			var problems app.Problems
			if !errors.As(err, &problems) {
				t.Errorf("error is a %T", err)
			}
		})
	}
}

func TestParseReportsEveryProblem(t *testing.T) {
	_, err := app.Parse([]byte("start: b\nscreens:\n  a:\n    elements:\n      - {text: x, style: loud}\n      - {field: y}\n"))
	var problems app.Problems
	if !errors.As(err, &problems) || len(problems) != 3 {
		t.Fatalf("problems are %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(outward))
	f.Add([]byte("start: &a [*a]"))
	f.Add([]byte("? {a: b}\n: c"))
	f.Add([]byte("start: a\nscreens: {<<: {a: {}}, a: !!str x}"))
	f.Fuzz(func(t *testing.T, source []byte) {
		a, err := app.Parse(source)
		if (a == nil) == (err == nil) {
			t.Fatalf("app %v with error %v", a, err)
		}
		if a != nil && a.Screens[a.Start] == nil {
			t.Fatal("an app without its start screen passed")
		}
	})
}

// outward uses what reaches outside of an app.
const outward = `start: a
state: {s: "", n: 0, b: false}
server: {"POST /x": {status: 201, body: "{s}", seconds: 1}}
launch: [{ask: camera}, {write: {file: a/b, text: "{s}", append: true}}, {read: {file: a/b, into: s}}]
screens:
  a:
    elements:
      - {web: [{text: x}], hidden: true, height: 100}
      - {list: [{text: x, drag: y}], reorder: true}
      - {permissions: photos}
      - {area: x, double: [{crash: {kind: exception, name: X, message: y}}], pinch: {into: n}, drop: {into: s}}
      - button: Go
        do:
          - ask: {for: location, reason: why, into: s, do: [{log: {message: "{device.dark}", category: c}}], else: [{paste: {into: s}}]}
          - request: {method: POST, url: "virtual://x/x", headers: {A: b}, body: "{s}", timeout: 3, busy: b, status: n, text: s,
              error: s, json: {a.0: s}, do: [], else: []}
`

func TestParseReadsPermissionsRequestsAndFiles(t *testing.T) {
	a, err := app.Parse([]byte(outward))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Asks) != 3 || len(a.Requests) != 1 || a.Reply("POST", "/x") == nil || a.Reply("GET", "/x") != nil {
		t.Errorf("read were %d questions, %d requests, %+v", len(a.Asks), len(a.Requests), a.Server)
	}
	if r := a.Requests[0]; r.Timeout != 3*time.Second || len(r.Headers) != 1 || len(r.Fields) != 1 || r.Fields[0].Path != "a.0" {
		t.Errorf("the request is %+v", r)
	}
	crash := a.Screens["a"].Elements[3].Double[0].(app.Crash)
	if crash.Line != 11 || crash.Name != "X" {
		t.Errorf("the crash is %+v", crash)
	}
}
