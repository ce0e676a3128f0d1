package xcresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/test/samples"
)

func TestSamples(t *testing.T) {
	got := map[string]string{}
	for _, s := range samples.Of(t, "xcresult") {
		t.Run(s.Name, func(t *testing.T) {
			r, err := Read(s.Data)
			if err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			samples.Contains(t, "UUID", string(out), samples.UUIDs(s.Data))
			checkWhole(t, s.Data, r)
			checkCounts(t, s.Data, r)
			text := r.Text(0)
			if text == "" || len(text) > 1600 || len(r.Text(120)) > 120 {
				t.Errorf("text of %d bytes: %s", len(text), text)
			}
			lines := strings.Split(text, "\n")
			got[s.Name] = string(r.Form) + "\n" + strings.Join(lines[:min(6, len(lines))], "\n")
		})
	}
	samples.Golden(t, got)
}

// checkWhole compares the document with what was read of it, written again: nothing may be missing.
func checkWhole(t *testing.T, raw []byte, r *Result) {
	t.Helper()
	if r.Form == FormStored {
		return
	}
	var part any
	for _, p := range []any{r.Summary, r.Tests, r.Details, r.Activities, r.Build, r.Coverage, r.FileCoverage} {
		if !reflect.ValueOf(p).IsNil() {
			part = p
		}
	}
	switch {
	case r.Graph != nil:
		part = r.Graph.Document
	case r.Metrics != nil:
		part = r.Metrics
	case r.Document != nil:
		part = r.Document
	}
	again, err := jsondoc.Encode(part)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := anything(t, raw), anything(t, again); !reflect.DeepEqual(got, want) {
		t.Errorf("written again it is another document:\n%.600s", again)
	}
}

func anything(t *testing.T, b []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

var (
	rawCase    = regexp.MustCompile(`"nodeType"\s*:\s*"Test Case"`)
	rawMessage = regexp.MustCompile(`"nodeType"\s*:\s*"Failure Message"`)
	rawError   = regexp.MustCompile(`"message"\s*:`)
)

func checkCounts(t *testing.T, raw []byte, r *Result) {
	t.Helper()
	if r.Tests != nil {
		cases, messages := r.Tests.Cases(), 0
		for _, c := range cases {
			messages += len(c.Messages)
		}
		if want := len(rawCase.FindAll(raw, -1)); len(cases) != want {
			t.Errorf("%d cases, want %d", len(cases), want)
		}
		if want := len(rawMessage.FindAll(raw, -1)); messages != want {
			t.Errorf("%d messages, want %d", messages, want)
		}
	}
	if b := r.Build; b != nil {
		if got, want := len(b.Errors)+len(b.Warnings)+len(b.AnalyzerWarnings), len(rawError.FindAll(raw, -1)); got != want {
			t.Errorf("%d issues, want %d", got, want)
		}
	}
	if g := r.Graph; g != nil {
		for _, f := range []string{"ActionTestMetadata", "ActionTestSummary", "ActionRecord"} {
			want := strings.Count(string(raw), fmt.Sprintf(`"_name" : "%s"`, f))
			if f == "ActionRecord" && r.Form == FormGraph && len(g.Actions) != want {
				t.Errorf("%d actions, want %d", len(g.Actions), want)
			}
			if f != "ActionRecord" && want > 0 && len(g.Tests) != want {
				t.Errorf("%d tests, want %d", len(g.Tests), want)
			}
		}
	}
}

func TestParseLocationReadsFileLineAndColumn(t *testing.T) {
	for in, want := range map[string]string{
		"file:///a/B%20C.swift#EndingLineNumber=9&StartingColumnNumber=7&StartingLineNumber=19": "/a/B C.swift:20:8",
		"file:///a/b.m#StartingLineNumber=0":                                                    "/a/b.m:1",
		"file:///a/P.xcodeproj":                                                                 "/a/P.xcodeproj",
		"":                                                                                      "",
	} {
		if got := ParseLocation(in).String(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCoverageFormsAreRecognized(t *testing.T) {
	for in, want := range map[string]Form{
		`{"lineCoverage":0.5,"coveredLines":1,"executableLines":2,"targets":[{"name":"A","files":[{"path":"/a",` +
			`"functions":[{"name":"f","lineNumber":3}]}]}]}`: FormCoverage,
		`[{"name":"A","lineCoverage":0.5,"files":[]}]`: FormCoverage,
		`{"/a/b.swift":[{"line":1,"isExecutable":false},{"line":2,"isExecutable":true,"executionCount":3,"subranges":[]}]}`: FormFileCoverage,
		`{"hasCoverage":true,"hasTestResults":false}`: FormOther,
	} {
		r, err := Read([]byte(in))
		if err != nil || r.Form != want || Sniff([]byte(in)) < 50 {
			t.Errorf("%s: %+v, %v, sniffed %d", in, r, err, Sniff([]byte(in)))
			continue
		}
		checkWholeOf(t, in, r)
	}
	for _, in := range []string{"", "{}", `{"devices":{}}`, `[1]`, "[T[K2:_nV5:Arr", "text"} {
		if _, err := Read([]byte(in)); err == nil {
			t.Errorf("%q was read", in)
		}
	}
}

func checkWholeOf(t *testing.T, in string, r *Result) {
	t.Helper()
	if strings.HasPrefix(in, "[{\"name") {
		in = `{"targets":` + in + `}`
	}
	checkWhole(t, []byte(in), r)
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"testNodes":[{"nodeType":"Test Case","result":"Failed","children":[{"nodeType":"Failure Message","name":"a:1: b"}]}]}`,
		`{"issues":{"_type":{"_name":"R"},"errorSummaries":{"_values":[{"message":{"_value":"m"}}]}}}`, `[T[K2:_nV5:Array]K1:aV1:b[S5:Array]]`,
		`{"errorCount":1,"errors":[{"message":"x","sourceURL":"file:///a#StartingLineNumber=1"}]}`, `{"totalTestCount":1,"passedTests":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = Sniff(b)
		r, err := Read(b)
		if err != nil {
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("cannot be written again: %v", err)
		}
		if text := r.Text(200); len(text) > 200 {
			t.Fatalf("%d bytes", len(text))
		}
	})
}
