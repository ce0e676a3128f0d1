package house_test

import (
	"log/slog"
	"strings"
	"testing"

	"ios-agent/internal/fault/mask"
	"ios-agent/internal/op"
	"ios-agent/test/house"
)

// TestTypedSecretsStaySecretAfterARestart: a client types secrets that only its environment has. The daemon is restarted, and clients
// without the variables look at the screen, have the app print what was typed, and read the logs: nothing that leaves the process has one
// of them, and no file below the home.
func TestTypedSecretsStaySecretAfterARestart(t *testing.T) {
	t.Parallel()
	out := &outside{t: t}
	h := house.New(t, house.Options{Log: slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	udid := h.Boot("a", "com.iosagent.shop")
	for name, value := range canaries {
		h.Must("a", "launch_app", in{"bundle_id": "com.iosagent.shop"})
		h.Must("a", "fill", in{"identifier": "password-field", "text": "not a secret"})
		client := op.Call{Session: "a", Dir: h.Home.String(), Env: map[string]string{mask.Prefix + strings.ToUpper(name): value}}
		e := h.Product.Catalogue.Run(t.Context(), "fill", client, []byte(`{"identifier":"email-field","text":"$SECRET:`+name+`"}`))
		if e.Error != nil {
			t.Fatal(e.Text())
		}
		out.say("typed", e)
		h.RestartAfter(func() { out.files(h.Home.String(), "") })
		out.say("the screen", h.Call("b", "snapshot", in{"udid": udid}))
		h.Must("a", "logs_start", in{"app": "com.iosagent.shop"}) // what is printed before it listens may be missing
		out.say("printed", h.Call("a", "tap_element", in{"identifier": "login-button"}))
		out.say("logs", h.Call("b", "read_logs", in{"all": true}))
		out.say("summary", h.Call("b", "summarize_logs", in{"all": true}))
		h.Restart()
		out.say("logs of the one before", h.Call("b", "read_logs", in{"all": true, "limit": 1000}))
	}
	out.files(h.Home.String(), "")
	said := string(out.bytes())
	for _, shown := range []string{`"value":"$SECRET:`, `"message":"sign-in failed for $SECRET:`} {
		if n := strings.Count(said, shown); n < len(canaries) {
			t.Errorf("got %s %d times, want %d at least: are the screen and what the app prints looked at?", shown, n, len(canaries))
		}
	}
	for name, value := range canaries {
		for _, form := range mask.Forms(value) {
			if i := strings.Index(said, form); i >= 0 {
				t.Errorf("%s as %q: …%s…", name, form, said[max(0, i-300):min(len(said), i+len(form)+60)])
				break
			}
		}
	}
}
