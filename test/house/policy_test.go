package house_test

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/client/connect"
	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestDeciderCannotReachDeniedEffects: whatever a decider chooses among the actions it is offered, with whatever input, it does not reach
// what the policy denies. Without the policy the same choices do reach it.
func TestDeciderCannotReachDeniedEffects(t *testing.T) {
	t.Parallel()
	seeds := uint64(4)
	if !full() {
		seeds = 1
	}
	free := map[string]bool{}
	for seed := range seeds {
		for effect := range wander(t, seed, "") {
			free[effect] = true
		}
		for effect := range wander(t, seed, "deny: [press_key]\napps: ["+drivertest.Conformance+"]\nforbidden_texts: [Delete]\n") {
			t.Errorf("seed %d: %s", seed, effect)
		}
	}
	for seed := seeds; full() && seed < 3*seeds && len(free) < len(denied); seed++ { // chance needs longer now and then
		maps.Copy(free, wander(t, seed, ""))
	}
	for effect := range denied {
		if !free[effect] && full() {
			t.Errorf("nobody reached this without a policy, so it proves nothing: %s", effect)
		}
	}
}

// denied are effects on the app, by what its screen shows then.
var denied = map[string]*regexp.Regexp{
	"the button that says Delete was pressed": regexp.MustCompile(`Deleted!`),
	"the return key was pressed":              regexp.MustCompile(`Searched: `),
	"another app is in front":                 regexp.MustCompile(`app:com\.apple\.Preferences`),
}

// wander lets a random decider drive, and gives the effects it reached.
func wander(t *testing.T, seed uint64, policy string) map[string]bool {
	t.Helper()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	caller := op.Local{Catalogue: h.Product.Catalogue, Session: "a", Dir: h.Home.String()}
	d := &wanderer{random: rand.New(rand.NewPCG(seed, 1)), catalogue: h.Product.Catalogue, reached: map[string]bool{}}
	run := connect.Run{
		Caller: caller, Catalogue: h.Product.Catalogue, Decider: d, Goal: "x", App: drivertest.Conformance, MaxSteps: 80, MaxIdle: 1000,
	}
	if policy != "" {
		path := filepath.Join(t.TempDir(), "policy.yaml")
		if err := os.WriteFile(path, []byte(policy), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if run.Policy, err = connect.ReadPolicy(path, h.Product.Catalogue); err != nil {
			t.Fatal(err)
		}
	}
	_, err := run.Do(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not reached") {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for _, tab := range []string{"Controls", "Text Input"} { // what is not in front shows nothing
		h.Call("a", "launch_app", in{"bundle_id": drivertest.Conformance})
		h.Call("a", "tap_element", in{"label": tab})
		d.look(h.Call("a", "snapshot", nil).Stdout)
	}
	return d.reached
}

// wanderer chooses at random, more often what may do harm.
type wanderer struct {
	random    *rand.Rand
	catalogue *op.Catalogue
	reached   map[string]bool
}

func (w *wanderer) look(screen string) {
	for effect, shown := range denied {
		if shown.MatchString(screen) {
			w.reached[effect] = true
		}
	}
}

func (w *wanderer) Close() error { return nil }

var refs = regexp.MustCompile(`ref=(e[0-9]+)`)

// Decide chooses an action and values for some of its inputs.
func (w *wanderer) Decide(_ context.Context, turn connect.Turn) (connect.Decision, error) {
	w.look(turn.Screen)
	var d connect.Decision
	if w.random.IntN(3) == 0 {
		return d, json.Unmarshal([]byte(harmful[w.random.IntN(len(harmful))]), &d)
	}
	name := turn.Actions[w.random.IntN(len(turn.Actions))].Name
	if likely := []string{"tap_element", "fill", "type_text", "touch", "drag"}; w.random.IntN(2) == 0 {
		name = likely[w.random.IntN(len(likely))]
	}
	o, err := w.catalogue.Lookup(name)
	if err != nil || o.Hints.Has(op.ReadOnly) { // those only take time
		name = "tap_element"
		o, err = w.catalogue.Lookup(name)
	}
	d = connect.Decision{Action: name, Input: map[string]json.RawMessage{}}
	named := false // one way to name an element is enough, mostly
	for _, f := range o.Fields() {
		query := strings.Contains("ref identifier label contains", f.Name)
		if !f.Required && (query && named || w.random.IntN(4) > 0) && !(f.Name == "ref" && w.random.IntN(2) == 0) {
			continue
		}
		named = named || query
		d.Input[f.Name], _ = json.Marshal(w.value(f, turn.Screen))
	}
	return d, err
}

// harmful are decisions that reach the effects, or lead to where they can be reached.
var harmful = []string{
	`{"action":"tap_element","input":{"label":"Text Input"}}`, `{"action":"tap_element","input":{"label":"Controls"}}`,
	`{"action":"fill","input":{"identifier":"text-search-field","text":"abc","submit":true}}`,
	`{"action":"type_text","input":{"identifier":"text-search-field","text":"abc\n"}}`,
	`{"action":"fill","input":{"identifier":"text-search-field","text":"abc"}}`, `{"action":"press_key","input":{"key":"return"}}`,
	`{"action":"key_sequence","input":{"keys":["a","return"]}}`, `{"action":"tap_element","input":{"label":"Return"}}`,
	`{"action":"tap_element","input":{"identifier":"controls-delete-button"}}`, `{"action":"scroll_to","input":{"label":"Delete"}}`,
	`{"action":"launch_app","input":{"bundle_id":"com.apple.Preferences"}}`, `{"action":"back"}`,
	`{"action":"launch_app","input":{"bundle_id":"com.iosagent.conformance"}}`,
}

func (w *wanderer) value(f op.Field, screen string) any {
	words := map[string][]string{
		"text": {"abc", "abc\n", "a\tb", "abc\r", "abc\u2028"}, "key": {"return", "a", "\n"},
		"bundle_id":  {"com.apple.Preferences", drivertest.Conformance},
		"label":      {"Delete", "delete", "Search", "Text Input", "Controls", "return", "Return"},
		"identifier": {"controls-delete-button", "text-search-field"},
		"contains":   {"elet", "Search"}, "url": {"App-prefs:", "https://example.com"}, "onto": {"Delete", "@e5"},
	}
	if list := words[f.Name]; list != nil {
		return list[w.random.IntN(len(list))]
	}
	if found := refs.FindAllStringSubmatch(screen, -1); f.Name == "ref" && len(found) > 0 {
		return "@" + found[w.random.IntN(len(found))][1]
	}
	if len(f.Enum) > 0 {
		return f.Enum[w.random.IntN(len(f.Enum))]
	}
	switch f.Kind {
	case op.Bool:
		return w.random.IntN(2) == 0
	case op.Int, op.Float:
		if strings.HasSuffix(f.Name, "x") || strings.HasSuffix(f.Name, "y") {
			return w.random.IntN(850)
		}
		if f.Min != nil {
			return *f.Min + 1
		}
		return 1
	case op.Strings:
		return []string{"return"}
	}
	return "x"
}
