package swiftcheck

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/lazyregexp"
)

// TestResult is how a test of a package ended.
type TestResult struct {
	Passed, Skipped bool // neither: it failed
	Reason          string
	Seconds         float64
	Failures        []Issue // without the folder of the file

	ended, several bool
}

// longestTests is the time limit for building and running the tests of a target.
const longestTests = 10 * time.Minute

// withSwift are modules that come with Swift on every platform.
var withSwift = append([]string{foundation, "XCTest", "Testing", "Dispatch", "FoundationEssentials", "FoundationNetworking", "Observation",
	"RegexBuilder", "Synchronization"}, alwaysThere...)

// MissingModule is the first module that files import and that does not come with Swift, or "". A package with it cannot be built here.
func MissingModule(files, own []string) string {
	for _, file := range files {
		data, err := regularfile.Read(file, maxSource)
		if err != nil {
			return filepath.Base(file)
		}
		imports, _ := needsOf(string(data))
		for _, name := range imports {
			if !slices.Contains(withSwift, name) && !slices.Contains(own, name) {
				return name
			}
		}
	}
	return ""
}

// Tests runs the tests of a target with swift test and returns their results by printed name: Class.test of XCTest, and the name or the
// quoted display name of Swift Testing. Scratch is the folder for products. The error says why no test ran.
func (c Checker) Tests(ctx context.Context, dir, scratch, target string) (map[string]TestResult, error) {
	res, err := c.Run.Run(ctx, host.Cmd{Name: filepath.Join(filepath.Dir(c.Swift), "swift"), Timeout: longestTests, MaxOutput: 4 * mostOutput,
		Args: []string{"test", "--package-path", dir, "--scratch-path", scratch, "--filter", "^" + target + `\.`}})
	var exit *host.ExitError
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	results := testsIn(string(res.Stdout) + "\n" + string(res.Stderr))
	if err != nil && (!errors.As(err, &exit) || len(results) == 0) {
		return nil, &unusable{err.Error()}
	}
	return results, nil
}

// Lines of swift test.
var (
	classTest   = lazyregexp.New(`^Test Case '([\w.]+)' (started|passed|failed|skipped)(?: \(([\d.]+) seconds\))?`)
	classFailed = lazyregexp.New(`^(.+?):(\d+): error: ([\w.]+) : (.*)$`)
	classSkip   = lazyregexp.New(`^.+?:\d+: ([\w.]+) : Test skipped - (.*)$`)
	swiftTest   = lazyregexp.New(`^\S+ Test (".*"|[^"\s].*?\)) (started|passed|failed|skipped|recorded an issue)(.*)$`)
	swiftPlace  = lazyregexp.New(` at (.+?):(\d+):(\d+): (.*)$`)
	swiftTook   = lazyregexp.New(` after ([\d.]+) seconds`)
)

// testsIn reads results from the output of swift test. A test that starts and does not end has failed.
func testsIn(output string) map[string]TestResult {
	all := map[string]TestResult{}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := classTest.FindStringSubmatch(line); m != nil {
			end(all, m[1], m[2], m[3], "")
		} else if m := classFailed.FindStringSubmatch(line); m != nil {
			fail(all, m[3], Issue{File: filepath.Base(m[1]), Line: number(m[2]), Column: 1, Message: m[4]})
		} else if m := classSkip.FindStringSubmatch(line); m != nil {
			r := all[m[1]]
			r.Reason = m[2]
			all[m[1]] = r
		} else if m := swiftTest.FindStringSubmatch(line); m != nil {
			if place := swiftPlace.FindStringSubmatch(m[3]); place != nil && strings.HasPrefix(m[2], "recorded") {
				fail(all, m[1], Issue{File: place[1], Line: number(place[2]), Column: number(place[3]), Message: place[4]})
				continue
			}
			took := ""
			if after := swiftTook.FindStringSubmatch(m[3]); after != nil {
				took = after[1]
			}
			end(all, m[1], m[2], took, strings.Trim(strings.TrimPrefix(m[3], ":"), ` ".`))
		}
	}
	for name, r := range all {
		if r.several {
			delete(all, name)
		} else if !r.ended {
			r.Failures = append(r.Failures, Issue{Message: "the test process ended in this test"})
			all[name] = r
		}
	}
	return all
}

// end records the start or the end of a test. Two tests of one name are not distinguished in the output.
func end(all map[string]TestResult, name, how, took, reason string) {
	r, known := all[name]
	switch how {
	case "started":
		r.several = known
	case "passed":
		r.ended, r.Passed = true, true
	case "failed":
		r.ended = true
	case "skipped":
		r.several = known && r.ended
		r.ended, r.Skipped = true, true
		if reason != "" {
			r.Reason = reason
		}
	}
	if seconds, err := strconv.ParseFloat(took, 64); err == nil {
		r.Seconds = seconds
	}
	all[name] = r
}

func fail(all map[string]TestResult, name string, i Issue) {
	r := all[name]
	r.Failures = append(r.Failures, i)
	all[name] = r
}
