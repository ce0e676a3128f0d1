package simctl

import (
	"strings"
	"testing"
)

const bootedError = `An error was encountered processing the command (domain=com.apple.CoreSimulator.SimError, code=405):
Unable to boot device in current state: Booted
`

const notRunningError = `An error was encountered processing the command (domain=NSPOSIXErrorDomain, code=3):
Simulator device failed to terminate com.example.app.
found nothing to terminate
Underlying error (domain=NSPOSIXErrorDomain, code=3):
	The request to terminate "com.example.app" failed. found nothing to terminate
	found nothing to terminate
`

func TestParseErrorReadsDomainCodeAndState(t *testing.T) {
	for name, c := range map[string]struct {
		in, domain, message, state, raw, shown string
		code, depth                            int
	}{
		"state": {
			in: bootedError, domain: DomainSim, code: 405, depth: 1, state: "Booted",
			message: "Unable to boot device in current state: Booted",
			shown:   "Unable to boot device in current state: Booted (com.apple.CoreSimulator.SimError 405)",
		},
		"on one line": {
			in:     strings.Replace(bootedError, ":\n", ": ", 1),
			domain: DomainSim, code: 405, depth: 1, state: "Booted",
			message: "Unable to boot device in current state: Booted",
			shown:   "Unable to boot device in current state: Booted (com.apple.CoreSimulator.SimError 405)",
		},
		"two words": {
			in:     "An error was encountered processing the command (domain=a, code=-1):\nX in current state: Shutting Down.\n",
			domain: "a", code: -1, depth: 1, state: "Shutting Down", message: "X in current state: Shutting Down.",
			shown: "X in current state: Shutting Down. (a -1)",
		},
		"underlying, after noise": {
			in: "getpwuid_r did not find a match\n" + notRunningError, domain: DomainPOSIX, code: 3, depth: 2,
			raw:     "getpwuid_r did not find a match",
			message: "Simulator device failed to terminate com.example.app.\nfound nothing to terminate",
			shown:   "Simulator device failed to terminate com.example.app. found nothing to terminate (NSPOSIXErrorDomain 3)",
		},
		"no message": {
			in:     "An error was encountered processing the command (domain=b, code=2):\nUnderlying error (domain=c, code=4):\n\tdeep\n",
			domain: "b", code: 2, depth: 2, shown: "deep (b 2)",
		},
		"two of them": {
			in:     bootedError + "----\n" + bootedError,
			domain: DomainSim, code: 405, depth: 1, state: "Booted",
			message: "Unable to boot device in current state: Booted\n----", raw: strings.TrimSpace(bootedError),
			shown: "Unable to boot device in current state: Booted ---- (com.apple.CoreSimulator.SimError 405)",
		},
		"only text": {in: "Invalid device: nope\n", depth: 1, raw: "Invalid device: nope", shown: "Invalid device: nope"},
	} {
		t.Run(name, func(t *testing.T) {
			e := ParseError([]byte(c.in))
			depth := 0
			for u := e; u != nil; u = u.Underlying {
				depth++
			}
			if e.Domain != c.domain || e.Code != c.code || e.Message != c.message || e.Raw != c.raw || depth != c.depth {
				t.Errorf("got %+v, depth %d", e, depth)
			}
			if e.State() != c.state || e.Error() != c.shown {
				t.Errorf("state %q, shown %q", e.State(), e)
			}
		})
	}
	if e := ParseError([]byte(" \n")); e != nil {
		t.Errorf("blank: %+v", e)
	}
}

func FuzzParseError(f *testing.F) {
	for _, s := range []string{bootedError, notRunningError, bootedError + notRunningError, "Invalid device: nope", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e := ParseError(b)
		if (e == nil) != (strings.TrimSpace(string(b)) == "") {
			t.Fatalf("%q: %+v", b, e)
		}
		if e != nil && e.Domain == "" && e.Underlying == nil && e.Message == "" && e.Raw == "" {
			t.Fatalf("%q was lost", b)
		}
		_, _ = e.State(), e.Has("a", 1)
	})
}
