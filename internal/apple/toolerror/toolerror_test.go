package toolerror

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/test/samples"
)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"tool-errors", "xcodebuild", "ui-describe"}, Sniff, Read,
		func(t *testing.T, s samples.Sample, r *Report) string {
			heads := bytes.Count(s.Data, []byte("(domain=")) + bytes.Count(s.Data, []byte("ERROR: ")) +
				bytes.Count(s.Data, []byte("xcodebuild: error: "))
			n := len(r.Chain())
			for _, o := range r.Others {
				n += len(o.Chain())
			}
			if heads > 0 && n != heads {
				t.Errorf("%d errors, want %d", n, heads)
			}
			if want := bytes.Count(s.Data, []byte("{ platform:")); want != len(r.Destinations.Requested)+len(r.Destinations.Available)+
				len(r.Destinations.Ineligible) {
				t.Errorf("destinations %+v, want %d", r.Destinations, want)
			}
			return ""
		})
}

func TestErrorFormatsAreParsed(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		check func(*Report) bool
	}{
		"simctl": {
			"noise\nAn error was encountered processing the command (domain=A, code=4):\nfirst\nsecond\nUnderlying error (domain=B, " +
				"code=-5):\n\tdeep\n",
			func(r *Report) bool {
				return r.Tool == "simctl" && r.Domain == "A" && r.Code == 4 && r.Message == "first" && r.Details[0] == "second" &&
					r.Underlying.Code == -5 && r.Underlying.Message == "deep" && r.Noise[0] == "noise"
			},
		},
		"devicectl, nested without the word": {
			"ERROR: The application failed to launch. (com.apple.dt.CoreDeviceError error 10002 (0x2712))\n         BundleIdentifier " +
				"= com.a\n       ----------------------------------------\n" +
				"       The request to open \"com.a\" failed. (FBSOpenApplicationServiceErrorDomain error 1.)\n         " +
				"NSLocalizedFailureReason = Locked (\"x\").\n         BSErrorCodeDescription = RequestDenied\n" +
				"       ----------------------------------------\n       The operation couldn’t be completed. " +
				"(FBSOpenApplicationErrorDomain error 7.)\n         NSLocalizedRecoverySuggestion = Unlock it.\n",
			func(r *Report) bool {
				u := r.Underlying
				return r.Code == 10002 && r.Info["BundleIdentifier"] == "com.a" && u.Domain == "FBSOpenApplicationServiceErrorDomain" &&
					u.Reason == `Locked ("x").` &&
					u.Info["BSErrorCodeDescription"] == "RequestDenied" && u.Underlying.Code == 7 && u.Underlying.Suggestion == "Unlock it." &&
					u.Underlying.Domain == "FBSOpenApplicationErrorDomain"
			},
		},
		"devicectl, wrapped": {
			"ERROR: CoreDeviceService was unable to locate a device matching the\n       requested device identifier. " +
				"(com.apple.dt.CoreDeviceError error 1011)\n",
			func(r *Report) bool {
				return r.Code == 1011 && r.Message == "CoreDeviceService was unable to locate a device matching the requested device "+
					"identifier." && r.Underlying == nil
			},
		},
		"devicectl, no domain": {
			"ERROR: Command timeout of 20.0 seconds exceeded.\n",
			func(r *Report) bool {
				return r.Tool == "devicectl" && r.Message == "Command timeout of 20.0 seconds exceeded."
			},
		},
		"xcrun": {
			"xcrun: error: unable to find utility \"simctl\", not a developer tool or in PATH\nexit code 72\n",
			func(r *Report) bool {
				return r.Tool == "xcrun" && strings.HasPrefix(r.Message, "unable to find") && r.Exit == 72 && r.Meaning != ""
			},
		},
		"xcode-select": {
			"xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory '/x' is a command line tools instance\n",
			func(r *Report) bool { return r.Tool == "xcode-select" && strings.Contains(r.Message, "'/x'") },
		},
		"xcodebuild with a reason": {
			"xcodebuild: error: Failed to build project A with scheme B.\n\tReason: no\n\tRecovery suggestion: try\n\tmore\n",
			func(r *Report) bool { return r.Reason == "no" && r.Suggestion == "try" && r.Details[0] == "more" },
		},
		"argument parser": {
			"Error: Unknown option '--bogus'\nUsage: axe describe-ui --udid <udid>\n  See 'axe describe-ui --help' for more information.\n",
			func(r *Report) bool {
				return r.Tool == "axe" && r.Message == "Unknown option '--bogus'" && len(r.Usage) == 2
			},
		},
		"object": {
			`2016-09-23 02:11:05.516 xcodebuild[1317:5775] Error Domain=A Code=1 "The request to open "x" failed." ` +
				`UserInfo={NSUnderlyingError=0x7 {Error Domain=B Code=-6 "Not, found" UserInfo={K=v, NSLocalizedRecoverySuggestion=Do ` +
				`it.}}, Z=9}` + "\n",
			func(r *Report) bool {
				return r.Tool == "xcodebuild" && r.Domain == "A" && r.Message == `The request to open "x" failed.` &&
					r.Underlying.Code == -6 && r.Underlying.Message == "Not, found" && r.Underlying.Info["K"] == "v"
			},
		},
		"plain": {
			"Invalid device: nope\n",
			func(r *Report) bool { return r.Tool == "simctl" && r.Message == "Invalid device: nope" },
		},
		"nothing known": {
			"it broke\nbadly\n",
			func(r *Report) bool { return r.Message == "it broke" && r.Details[0] == "badly" },
		},
	} {
		r, err := Read([]byte(c.in))
		if err != nil || !c.check(r) {
			b, _ := json.MarshalIndent(r, "", " ")
			t.Errorf("%s: %v\n%s", name, err, b)
		}
		if name != "nothing known" && name != "object" && Sniff([]byte(c.in)) < 50 {
			t.Errorf("%s: sniffed %d", name, Sniff([]byte(c.in)))
		}
	}
	if _, err := Read([]byte(" \n")); err == nil {
		t.Error("blank was read")
	}
	if r := Of("xcodebuild", 65, nil); r.Exit != 65 || r.Meaning == "" || r.Tool != "xcodebuild" {
		t.Errorf("%+v", r)
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, "An error was encountered processing the command (domain=A, code=4):\nx\nUnderlying error "+
		"(domain=B, code=5):\n\ty\n",
		"ERROR: a (b.c error 1.)\n         K = v\n----\nERROR: d (e error 2.)\n", "xcodebuild: error: a:\n\t\t{ platform:iOS }\n",
		`Error Domain=A Code=1 "x" UserInfo={K=v, L={Error Domain=B Code=2}}`, "Error: x\nUsage: y\n", "----\n----\n")
}
