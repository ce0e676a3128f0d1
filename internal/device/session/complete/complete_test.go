package complete_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// fields are those of an operation; note is no default's.
func fields(names ...string) (all []op.Field) {
	for _, name := range names {
		all = append(all, op.Field{Name: name})
	}
	return all
}

func store(t *testing.T, values map[string]any) *session.Store {
	t.Helper()
	sessions := session.NewStore(session.Options{})
	if _, err := sessions.Get("a").Defaults("", nil).Set(config.Change{Values: values}); err != nil {
		t.Fatal(err)
	}
	return sessions
}

func input(t *testing.T, text string) op.Input {
	t.Helper()
	in := op.Input{}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	return in
}

func text(t *testing.T, in op.Input) string {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestCallIsCompletedFromTheSessionsDefaults(t *testing.T) {
	values := map[string]any{"scheme": "App", "configuration": "Debug", "env": map[string]any{"A": "1", "B": "2"}}
	all := fields("scheme", "configuration", "env", "note", "simulatorId", "extraArgs")
	for _, c := range []struct {
		what    string
		how     complete.Completion
		session string
		fields  []op.Field
		given   string
		want    string
		sources map[string]string
	}{
		{what: "nothing given", session: "a", fields: fields("scheme", "note"), given: `{}`, want: `{"scheme":"App"}`,
			sources: map[string]string{"scheme": "session"}},
		{what: "the call counts", session: "a", fields: fields("scheme"), given: `{"scheme":"Mine"}`, want: `{"scheme":"Mine"}`},
		{what: "another session", session: "b", fields: all, given: `{}`, want: `{}`},
		{what: "what is no default stays as it is", session: "a", fields: fields("note"), given: `{"note":{"x":[1.50]}}`,
			want: `{"note":{"x":[1.50]}}`},
		{what: "a field that no default may give", how: complete.Completion{CallOnly: []string{"scheme"}}, session: "a",
			fields: fields("scheme", "configuration"), given: `{}`, want: `{"configuration":"Debug"}`,
			sources: map[string]string{"configuration": "session"}},
		{what: "env is merged by name", session: "a", fields: fields("env"), given: `{"env":["B=call","C=x=y"]}`,
			want: `{"env":{"A":"1","B":"call","C":"x=y"}}`},
		{what: "a list", session: "b", fields: fields("extraArgs"), given: `{"extraArgs":["-quiet","x"]}`, want: `{"extraArgs":["-quiet","x"]}`},
		{what: "an old name", how: complete.Completion{OldNames: map[string]string{"old": "scheme"}}, session: "a", fields: fields("scheme"),
			given: `{"old":"Mine"}`, want: `{"scheme":"Mine"}`},
		{what: "an old name that is empty", how: complete.Completion{OldNames: map[string]string{"old": "scheme"}}, session: "b",
			fields: fields("scheme"), given: `{"old":"","scheme":"New"}`, want: `{"scheme":"New"}`},
		{what: "an old and a new name that agree", how: complete.Completion{OldNames: map[string]string{"old": "scheme"}}, session: "b",
			fields: fields("scheme"), given: `{"old":"X","scheme":"X"}`, want: `{"scheme":"X"}`},
		{what: "an old name and an empty new one", how: complete.Completion{OldNames: map[string]string{"old": "scheme"}}, session: "b",
			fields: fields("scheme"), given: `{"old":"X","scheme":""}`, want: `{"scheme":"X"}`},
	} {
		given := input(t, c.given)
		got, err := c.how.From(store(t, values))(&op.Call{Session: c.session}, c.fields, given)
		if err != nil {
			t.Errorf("%s: got %v, want success", c.what, err)
			continue
		}
		if now := text(t, got.Input); now != c.want {
			t.Errorf("%s: got %s, want %s", c.what, now, c.want)
		}
		for name, source := range c.sources {
			if !strings.HasPrefix(got.Sources[name], source) {
				t.Errorf("%s: got %q as the source of %s, want %q", c.what, got.Sources[name], name, source)
			}
		}
		if c.sources == nil && c.what != "env is merged by name" && len(got.Sources) > 0 {
			t.Errorf("%s: got the sources %v, want none", c.what, got.Sources)
		}
		if after := text(t, given); after != text(t, input(t, c.given)) {
			t.Errorf("%s: got the call's own input changed to %s, want %s", c.what, after, c.given)
		}
	}
}

func TestCompletionSourceNamesVariable(t *testing.T) {
	call := &op.Call{Session: "a", Env: map[string]string{"IOS_AGENT_SCHEME": "FromEnv"}}
	got, err := complete.Completion{}.From(session.NewStore(session.Options{}))(call, fields("scheme"), op.Input{})
	if err != nil || text(t, got.Input) != `{"scheme":"FromEnv"}` {
		t.Fatalf("got %s and %v, want the scheme of the environment", text(t, got.Input), err)
	}
	if want := map[string]string{"scheme": "env IOS_AGENT_SCHEME"}; !maps.Equal(got.Sources, want) {
		t.Errorf("got the sources %v, want %v", got.Sources, want)
	}
}

func TestWrongInputsAreRefused(t *testing.T) {
	renamed := complete.Completion{OldNames: map[string]string{"old": "scheme"}}
	for _, c := range []struct {
		what  string
		how   complete.Completion
		given string
		code  fault.Code
		words string
		field string
	}{
		{"two names that differ", renamed, `{"old":"X","scheme":"Y"}`, fault.InvalidInput,
			"scheme and old name the same input but have different values", "old"},
		{"no pair", complete.Completion{}, `{"env":["X"]}`, fault.InvalidInput, `env "X" is not NAME=VALUE`, "env"},
		{"a requirement", complete.Completion{Require: []config.Requirement{{AllOf: []string{"scheme"}, Message: "scheme is required"}}}, `{}`,
			fault.InvalidInput, "scheme is required", ""},
	} {
		_, err := c.how.From(session.NewStore(session.Options{}))(&op.Call{Session: "a"}, fields("scheme", "env"), input(t, c.given))
		f := fault.From(err)
		if f == nil || f.Code != c.code || !strings.Contains(f.Message, c.words) {
			t.Errorf("%s: got %v, want %s: %s", c.what, err, c.code, c.words)
			continue
		}
		if field, _ := f.Details["field"].(string); c.field != "" && field != c.field {
			t.Errorf("%s: got the field %q, want %q", c.what, field, c.field)
		}
	}
	_, err := complete.Completion{}.From(session.NewStore(session.Options{}))(&op.Call{Session: "a"}, nil, op.Input{"x": json.RawMessage("{")})
	if f := fault.From(err); f == nil || f.Code != fault.Internal || !strings.HasPrefix(f.Message, "reading x: ") {
		t.Errorf("an input that is not JSON: got %v, want INTERNAL: reading x", err)
	}
}

func TestSessionDeviceFulfilsRequirement(t *testing.T) {
	how := complete.Completion{Require: []config.Requirement{{OneOf: []string{"simulatorId", "deviceId"}}}}
	all := fields("simulatorId", "deviceId")
	const simulator, phone = "11111111-2222-3333-4444-555555555555", "00008140-000A61C23E04801C"
	for udid, want := range map[string]string{simulator: "simulatorId", phone: "deviceId"} {
		sessions := session.NewStore(session.Options{})
		sessions.Get("a").Use(session.Choice{UDID: udid, Name: "Ann"})
		got, err := how.From(sessions)(&op.Call{Session: "a"}, all, op.Input{})
		if err != nil || text(t, got.Input) != `{"`+want+`":"`+udid+`"}` {
			t.Errorf("%s: got %s and %v, want it as %s", udid, text(t, got.Input), err, want)
		}
	}
	if _, err := how.From(session.NewStore(session.Options{}))(&op.Call{Session: "a"}, all, op.Input{}); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("no device: got %v, want a refusal", err)
	}
}

func TestAdjustChangesRequiredInputs(t *testing.T) {
	how := complete.Completion{
		Require: []config.Requirement{{AllOf: []string{"scheme"}}},
		Adjust: func(given op.Input, s *config.Spec) {
			if given["note"] != nil {
				s.Require = nil
			}
		},
	}
	from := how.From(session.NewStore(session.Options{}))
	if _, err := from(&op.Call{Session: "a"}, fields("scheme", "note"), input(t, `{"note":"x"}`)); err != nil {
		t.Errorf("adjusted: got %v, want success", err)
	}
	if _, err := from(&op.Call{Session: "a"}, fields("scheme", "note"), op.Input{}); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("not adjusted: got %v, want a refusal", err)
	}
}

func TestSessionGetsEachWarningOnce(t *testing.T) {
	sessions := session.NewStore(session.Options{})
	one := op.New(op.Spec{
		Name: "one", Groups: []string{"app"}, Route: "POST /one", Summary: "Do it", Complete: complete.Completion{}.From(sessions),
	}, func(context.Context, *op.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
	env := map[string]string{"IOS_AGENT_ARCH": "vax"}
	for _, c := range []struct {
		session string
		want    int
	}{{"a", 1}, {"a", 0}, {"b", 1}} {
		e := op.NewCatalogue([]op.Op{one}, op.Options{}).Run(t.Context(), "one", op.Call{Session: c.session, Env: env}, []byte("{}"))
		if e.Error != nil || len(e.Meta.Notices) != c.want {
			t.Fatalf("session %s: got %v and the notices %v, want %d", c.session, e.Error, e.Meta.Notices, c.want)
		}
		if c.want == 1 && (e.Meta.Notices[0].Kind != op.Config || !strings.Contains(e.Meta.Notices[0].Text, "IOS_AGENT_ARCH")) {
			t.Errorf("session %s: got %+v, want a notice about the variable", c.session, e.Meta.Notices[0])
		}
	}
}
