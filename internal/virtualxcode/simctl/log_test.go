package simctl_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/world"
)

// told is a tool whose device logged one line of each level.
func told(t *testing.T) *rig {
	t.Helper()
	s := on(t)
	for _, level := range []world.Level{world.LevelDebug, world.LevelInfo, world.LevelDefault, world.LevelError, world.LevelFault} {
		e := world.Entry{Level: level, Process: "Shop", PID: 7, Subsystem: shop, Category: "Net", Message: "it is " + string(level)}
		if err := s.world.Log(s.udid(), e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestLogShowFiltersByPredicate(t *testing.T) {
	s := told(t)
	for predicate, want := range map[string]int{
		`process == "Shop"`:                                      5,
		`process == 'Shop' AND messageType == error`:             1,
		`subsystem == "com.iosagent.shop" && messageType == 16`:  0,
		`subsystem BEGINSWITH "com.iosagent"`:                    5,
		`subsystem ENDSWITH[c] "SHOP"`:                           5,
		`category CONTAINS "net"`:                                0,
		`category CONTAINS[c] "net"`:                             5,
		`category CONTAINS[cd] "net"`:                            5,
		`category ==[c] "net"`:                                   5,
		`eventMessage CONTAINS "Fault" OR messageType == "info"`: 2,
		`process == "Shop" AND NOT (eventMessage CONTAINS "Debug" || messageType=="Info")`: 3,
		`!(process == "Shop") AND process != "SpringBoard" AND process != "installd"`:      0,
		`processImagePath CONTAINS "Shop.app"`:                                             5,
		`processID == 7`:                                                                   5,
		`subsystem LIKE "com.*.shop" AND category IN {"UI", "Net"}`:                        5,
		`category IN {'UI'}`:                                                               0,
		`category IN[c] {"ui","net"}`:                                                      5,
		`eventMessage MATCHES "it is (Info|Error)"`:                                        2,
		`eventMessage MATCHES[c] ".* FAULT"`:                                               1,
		`eventMessage LIKE "it is ?ebug"`:                                                  1,
		`process LIKE[c] "sh*" AND processID >= 7 AND processID < 8`:                       5,
		`category CONTAINS[cd] "nét"`:                                                      5,
		"category CONTAINS[cd] \"ne\u0301t\"":                                              5, // the accent apart from its letter
		"category CONTAINS[cd] \"n\u1ec7t\"":                                               5, // a letter with two accents
		`category CONTAINS[c] "nét"`:                                                       0,
		`TRUEPREDICATE AND process == "Shop"`:                                              5,
		`FALSEPREDICATE`:                                                                   0,
		`process == "Sh\"op"`:                                                              0,
	} {
		out := s.ok("spawn", "booted", "log", "show", "--debug", "--style", "ndjson", "--predicate", predicate)
		end := fmt.Sprintf("{\"count\":%d,\"finished\":1}\n", want)
		if got := strings.Count(out, `"eventType"`); got != want || !strings.HasSuffix(out, end) {
			t.Errorf("%s: %d entries, want %d\n%s", predicate, got, want, out)
		}
	}
	for _, bad := range []string{"", "process", `process ==`, `process == "x`, `(process == "x"`, `process == "x" AND`, `colour == "x"`,
		`process LIKES "x"`,
		`"process" == "x"`, `process == "x" )`, "!", "(", "process == 'x' 'y'",
		`process IN {"x"`, `process IN {"x" "y"}`, `process == {"x", "y"}`, `process MATCHES "("`, `process IN`, `process IN {`} {
		if _, _, exit := s.run("spawn", "booted", "log", "show", "--predicate", bad); exit != 64 {
			t.Errorf("%q: exit %d", bad, exit)
		}
	}
}

func TestLogShowFiltersByLevelAndTime(t *testing.T) {
	s := told(t)
	for args, want := range map[string]int{
		"": 3, "--info": 4, "--debug": 5, "--process 7 --info --debug": 5, "--last 1h": 3, "--last boot": 3,
		"--start 2030-01-01": 0, "--end 2020-01-01": 0, "--start 2025-06-09_00:00:00 --end 2025-06-10": 3,
		"--start @1749427200 --end @1749513600": 3, "--start @1893456000": 0,
	} {
		command := []string{"spawn", "booted", "log", "show", "--style=ndjson", "--predicate", `process == "Shop"`}
		for _, a := range strings.Fields(args) {
			command = append(command, strings.ReplaceAll(a, "_", " "))
		}
		if got := strings.Count(s.ok(command...), `"eventType"`); got != want {
			t.Errorf("%q: %d entries, want %d", args, got, want)
		}
	}
	for _, bad := range []string{"--last x", "--last 5y", "--start then", "--level info", "--timeout 1m", "--start @then", "--frobnicate",
		"extra"} {
		if _, _, exit := s.run(append([]string{"spawn", "booted", "log", "show"}, strings.Fields(bad)...)...); exit != 64 {
			t.Errorf("%q: exit %d", bad, exit)
		}
	}
}

// TestLogStylesMatchRecordings: the same pattern matches our lines and those of a recording.
func TestLogStylesMatchRecordings(t *testing.T) {
	s := told(t)
	for style, c := range map[string]struct{ sample, heading, line string }{
		"default": {"oslog/ios-sim-default.log", "Timestamp                       Thread     Type        Activity             PID    TTL  ",
			`^[-\d]{10} [:\d]{8}\.\d{6}[-+]\d{4} 0x[0-9a-f]{1,8} {1,9} (Default|Error|Fault|Info|Debug|Activity) {3,7} ` +
				`0x[0-9a-f]+ +\d+ {1,6} \d    \w+: .*`},
		"compact": {"oslog/watch-launch-compact.log", "Timestamp               Ty Process[PID:TID]",
			`^[-\d]{10} [:\d]{8}\.\d{3} (Df|E |F |A |I |Db) \w+\[\d+:[0-9a-f]+\] .*`},
		"syslog": {"oslog/flutter-sim-syslog-multiline.log", "", `^[-\d]{10} [:\d]{8}\.\d{6}[-+]\d{4}  localhost [\w ]+\[\d+\]: .*`},
	} {
		t.Run(style, func(t *testing.T) {
			line := regexp.MustCompile(c.line)
			data, err := os.ReadFile(filepath.Join(samples(t), c.sample))
			if err != nil {
				t.Fatal(err)
			}
			for from, text := range map[string]string{"the recording": string(data), "ours": s.ok("spawn", "booted", "log", "show",
				"--style", style)} {
				if !strings.Contains(text, c.heading+"\n") {
					t.Errorf("%s has no heading", from)
				}
				for one := range strings.Lines(text) {
					if regexp.MustCompile(`^\d{4}-`).MatchString(one) && !line.MatchString(one) {
						t.Errorf("%s: %q", from, one)
					}
				}
			}
		})
	}
}

func TestNDJSONLogHasKeysOfRecordings(t *testing.T) {
	s := told(t)
	files, err := filepath.Glob(filepath.Join(samples(t), "oslog", "*.ndjson"))
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	read := func(text string) (out []any) {
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "{") || strings.HasPrefix(line, `{"count"`) {
				continue // what show says before and after
			}
			var one map[string]any
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatal(err)
			}
			out = append(out, one)
		}
		return out
	}
	var real []any
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		real = append(real, read(string(data))...)
	}
	have, want := shapes(read(s.ok("spawn", "booted", "log", "show", "--style", "ndjson"))), shapes(real)
	for key := range have {
		if want[key] == 0 {
			t.Errorf("%s is not in the recordings", key)
		}
	}
	for key, n := range want {
		if n == len(real) && have[key] == 0 {
			t.Errorf("%s is missing", key)
		}
	}
}

func TestListappsHasShapeOfRecording(t *testing.T) {
	s := on(t)
	data, err := os.ReadFile(filepath.Join(samples(t), "simctl/listapps-xctrunner.plist.txt"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string) []any {
		var apps map[string]map[string]any
		if _, err := plist.Unmarshal([]byte(text), &apps); err != nil {
			t.Fatal(err)
		}
		var out []any
		for _, a := range apps {
			out = append(out, a)
		}
		return out
	}
	ours := s.ok("listapps", "booted")
	have, want := shapes(read(ours)), shapes(read(string(data)))
	for key := range have {
		if want[key] == 0 {
			t.Errorf("%s is not in the recording", key)
		}
	}
	for key, n := range want {
		if n == 2 && have[key] == 0 {
			t.Errorf("%s is missing", key)
		}
	}
	indent := regexp.MustCompile("(?m)^\t+")
	real := indent.ReplaceAllStringFunc(string(data), func(tabs string) string { return strings.Repeat("    ", len(tabs)) })
	for _, line := range []string{"    \"%s\" =     {\n", "        ApplicationType = User;\n",
		"        GroupContainers =         {\n        };\n", "        SBAppTags =         (\n        );\n    };\n"} {
		a, b := strings.Replace(line, "%s", shop, 1), strings.Replace(line, "%s", ".xctrunner", 1)
		if !strings.Contains(ours, a) || !strings.Contains(real, b) {
			t.Errorf("%q is not in ours, or not in the recording:\n%s", line, ours)
		}
	}
}

// FuzzPredicate: no text makes the parser fail in a way other than an error.
func FuzzPredicate(f *testing.F) {
	f.Add(`process == "Shop" AND NOT (a CONTAINS[c] 'x' || messageType == error)`)
	f.Add(`!(`)
	f.Add(`process IN {"a", 'b'} AND category MATCHES[cd] "(" OR x LIKE "*?"`)
	f.Add("\"\\")
	f.Add("==[")
	f.Fuzz(func(t *testing.T, text string) {
		s := newTool(t)
		s.ok("boot", phone)
		if _, _, exit := s.run("spawn", "booted", "log", "show", "--predicate="+text); exit != 0 && exit != 64 {
			t.Errorf("exit %d", exit)
		}
	})
}

// TestLogPrintsErrorsOfRealTool: each verb knows its own options.
func TestLogPrintsErrorsOfRealTool(t *testing.T) {
	s := told(t)
	for args, want := range map[string]string{
		"show --predictive x":     "log: unrecognized option `--predictive'\nusage: log show [options] <archive>\n   or: log show [options]\n",
		"show --level=info":       "log: unrecognized option `--level'\nusage: log show",
		"show --start":            "log: option `--start' requires an argument\nusage: log show",
		"show --info=yes":         "log: option `--info' doesn't allow an argument\nusage: log show",
		"stream --last 1m":        "log: unrecognized option `--last'\nusage: log stream [options]\n",
		"stream --style ndjson x": "log: Unknown argument 'x'\nusage: log stream",
	} {
		_, errout, exit := s.run(append([]string{"spawn", "booted", "log"}, strings.Fields(args)...)...)
		if exit != 64 || !strings.HasPrefix(errout, want) {
			t.Errorf("%s: exit %d, %q", args, exit, errout)
		}
	}
	for args, want := range map[string]string{
		"--last 1h --predicate FALSEPREDICATE": "Filtering the log data using \"FALSEPREDICATE\"\n" +
			"Skipping info and debug messages, pass --info and/or --debug to include.\n{\"count\":0,\"finished\":1}\n",
		"--last 1h --info --start @1893456000": "{\"count\":0,\"finished\":1}\n",
	} {
		if out := s.ok(append([]string{"spawn", "booted", "log", "show", "--style", "ndjson"}, strings.Fields(args)...)...); out != want {
			t.Errorf("%s: %q", args, out)
		}
	}
}
