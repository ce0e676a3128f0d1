package mask_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/fault/mask"
)

// left is a set of a process that begins with the traces of secrets, as a file brings them.
func left(t *testing.T, secrets ...string) *mask.Set {
	t.Helper()
	traces := mask.Traces{Key: bytes.Repeat([]byte{7}, 32)}
	for i, value := range secrets {
		traces.All = append(traces.All, traces.Of(value, mask.Name(string(rune('a'+i)))))
	}
	file, err := json.Marshal(traces)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range secrets {
		if bytes.Contains(file, []byte(value)) {
			t.Errorf("%s has the secret %q", file, value)
		}
	}
	var read mask.Traces
	if err := json.Unmarshal(file, &read); err != nil {
		t.Fatal(err)
	}
	s := &mask.Set{}
	s.AddTraces(read)
	return s
}

func TestTracesHideEveryFormOfASecret(t *testing.T) {
	for _, value := range []string{"hunter2", `ca"na"ry\x`, "a b+&%41", "Канарейка", "über🙂", "123", strings.Repeat("long ", 40)} {
		s := left(t, "another one", value)
		for _, form := range mask.Forms(value) {
			for _, text := range []string{form, "<" + form + ">", strings.ToUpper(form) + form, "\xff" + form + "é" + form} {
				got := s.Text(text)
				if strings.Contains(got, form) || !strings.Contains(got, "$SECRET:b") {
					t.Errorf("%q: got %q, want no %q", text, got, form)
				}
			}
		}
		doc, err := json.Marshal(map[string]string{"v": value})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(s.JSON(doc)); got != `{"v":"$SECRET:b"}` {
			t.Errorf("%s: got %s, want the name in its place", doc, got)
		}
	}
}

func TestTracesLeaveOtherTextsAlone(t *testing.T) {
	s := left(t, "hunter2", "pw1")
	for _, text := range []string{"", "h", "hunter", "hunter3", "xhunte r2", "$SECRET:pw1", "unter2\xff", strings.Repeat("hunter1 ", 500)} {
		if got := s.Text(text); got != text {
			t.Errorf("got %q, want %q as it is", got, text)
		}
	}
	if s.Empty() {
		t.Error("got nothing to hide, want two secrets")
	}
}

// TestKnownSecretReplacesTrace: a process that has the secret finds more of it, such as one that is cut short.
func TestKnownSecretReplacesTrace(t *testing.T) {
	s := left(t, "hunter2-canary")
	if got := s.Text("hunter2-ca…"); got != "hunter2-ca…" {
		t.Errorf("got %q: a trace cannot find what is cut", got)
	}
	s.AddEnv(map[string]string{mask.Prefix + "PW": "hunter2-canary"})
	if got := s.Text("hunter2-ca… hunter2-canary"); got != "$SECRET:pw… $SECRET:pw" {
		t.Errorf("got %q, want what the process knows", got)
	}
	later := &mask.Set{}
	later.Add("hunter2-canary", "$SECRET:x")
	traces := mask.Traces{Key: make([]byte, 32)}
	traces.All = append(traces.All, traces.Of("hunter2-canary", "$SECRET:old"))
	later.AddTraces(traces)
	if got := later.Text("hunter2-canary"); got != "$SECRET:x" {
		t.Errorf("got %q, want what was known first", got)
	}
}
