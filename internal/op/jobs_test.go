package op_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
)

// long is a catalogue with one long operation that works for a while, and the operations on jobs.
func long(takes time.Duration) *op.Catalogue {
	s := spec()
	s.Long, s.Timeout = true, time.Hour
	work := op.New(s, func(ctx context.Context, c *op.Call, _ in) (out, error) {
		c.Report(op.Event{Message: "half", Done: 1, Total: 2})
		select {
		case <-time.After(takes):
			return out{N: 7}, nil
		case <-ctx.Done():
			return out{}, ctx.Err()
		}
	})
	jobs := &op.Jobs{After: op.JobAfter, Keep: op.JobKeep}
	return op.NewCatalogue(append([]op.Op{work}, jobs.Ops()...), op.Options{Jobs: jobs})
}

const anApp = `{"bundle_id":"a"}`

func call(t *testing.T, c *op.Catalogue, name, input string) (op.JobOut, op.Envelope) {
	t.Helper()
	e := c.Run(t.Context(), name, op.Call{}, []byte(input))
	var o op.JobOut
	if len(e.Result) > 0 {
		if err := json.Unmarshal(e.Result, &o); err != nil {
			t.Fatal(err)
		}
	}
	return o, e
}

func TestShortWorkAnswersDirectly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, e := call(t, long(time.Second), "probe", anApp)
		if e.Error != nil || string(e.Result) != `{"N":7}` {
			t.Errorf("%s %v", e.Result, e.Error)
		}
	})
}

func TestLongWorkBecomesAJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := long(2 * time.Minute)
		start := time.Now()
		job, e := call(t, c, "probe", anApp)
		if e.Error != nil || job.State != op.Running || time.Since(start) != op.JobAfter ||
			!strings.Contains(e.Stdout, hint.Do("job_wait", "job", "job1")) {
			t.Fatalf("%+v after %s: %s", job, time.Since(start), e.Stdout)
		}
		if status, _ := call(t, c, "job_status", `{"job":"`+job.Job+`"}`); status.Message != "half" || status.Total != 2 {
			t.Errorf("%+v", status)
		}
		if wait, _ := call(t, c, "job_wait", `{"job":"`+job.Job+`","timeout":5}`); wait.State != op.Running {
			t.Errorf("%+v", wait)
		}
		if c.Jobs().Active() != 1 {
			t.Error("the job is not counted")
		}
		call(t, c, "job_wait", `{"job":"`+job.Job+`","timeout":45}`)
		wait, e := call(t, c, "job_wait", `{"job":"`+job.Job+`","timeout":45}`)
		if wait.State != op.Done || string(wait.Result) != `{"N":7}` || e.Error != nil || c.Jobs().Active() != 0 {
			t.Errorf("%+v %v", wait, e.Error)
		}
		time.Sleep(op.JobKeep + time.Second)
		if _, e := call(t, c, "job_status", `{"job":"`+job.Job+`"}`); e.Error == nil || e.Error.Code != fault.JobNotFound {
			t.Errorf("still known: %v", e.Error)
		}
	})
}

// TestJobReturnsDocumentUnchanged: what waited for it gets what the operation itself would have said, and no word around it.
func TestJobReturnsDocumentUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := spec()
		s.Long, s.Timeout = true, time.Hour
		const sarif = "{\n  \"runs\": []\n}\n"
		audit := op.New(s, func(context.Context, *op.Call, in) (written, error) {
			time.Sleep(time.Minute)
			return written{nested{sarif}}, nil
		})
		o := virtual()
		o.Jobs = &op.Jobs{After: op.JobAfter, Keep: op.JobKeep}
		c := op.NewCatalogue(append([]op.Op{audit}, o.Jobs.Ops()...), o)
		job, e := call(t, c, "probe", anApp)
		if job.State != op.Running || e.Document {
			t.Fatalf("got %+v, a document: %v; want a job that runs", job, e.Document)
		}
		_, e = call(t, c, "job_wait", `{"job":"`+job.Job+`","timeout":45}`)
		if !e.Document || e.Stdout != sarif {
			t.Errorf("got %q, a document: %v; want the document %q", e.Stdout, e.Document, sarif)
		}
		_, e = call(t, c, "job_status", `{"job":"`+job.Job+`"}`)
		if want := "job1 (probe) is done"; e.Document || !strings.HasPrefix(e.Stdout, want) {
			t.Errorf("its state: got %q, a document: %v; want %q", e.Stdout, e.Document, want)
		}
	})
}

func TestJobContinuesAfterCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := long(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		e := c.Run(ctx, "probe", op.Call{}, []byte(anApp))
		id, _ := e.Error.Details["job"].(string)
		if e.Error.Code != fault.Cancelled || id == "" {
			t.Fatalf("%+v", e.Error)
		}
		time.Sleep(2 * time.Minute)
		if status, _ := call(t, c, "job_status", `{"job":"`+id+`"}`); status.State != op.Done {
			t.Errorf("%+v", status)
		}
	})
}

func TestJobCancelEndsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := long(time.Hour)
		job, _ := call(t, c, "probe", anApp)
		start := time.Now()
		ended, e := call(t, c, "job_cancel", `{"job":"`+job.Job+`"}`)
		if ended.State != op.Stopped || e.Error != nil || time.Since(start) > time.Second {
			t.Errorf("%+v %v", ended, e.Error)
		}
		if _, e := call(t, c, "job_wait", `{"job":"`+job.Job+`"}`); e.Error == nil || e.Error.Code != fault.Cancelled {
			t.Errorf("waiting for a cancelled job: %v", e.Error)
		}
		if _, e := call(t, c, "job_cancel", `{"job":"job99"}`); e.Error == nil || e.Error.Code != fault.JobNotFound {
			t.Errorf("unknown job: %v", e.Error)
		}
	})
}

func TestProgressReachesTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []op.Event
		long(time.Second).Run(t.Context(), "probe", op.Call{}.WithProgress(func(e op.Event) { heard = append(heard, e) }), []byte(anApp))
		if len(heard) != 2 || heard[1].Message != "half" || heard[0].Job == "" {
			t.Errorf("%+v", heard)
		}
	})
}

func TestInputGroupsExcludeOrRequireEachOther(t *testing.T) {
	s := spec()
	s.Exclude, s.Require = [][]string{{"udid", "ref"}}, [][]string{{"udid", "ref"}}
	c := op.NewCatalogue([]op.Op{op.New(s, func(context.Context, *op.Call, in) (out, error) { return out{}, nil })}, op.Options{})
	for input, say := range map[string]string{
		`{"bundle_id":"a"}`:                        "give udid, or ref",
		`{"bundle_id":"a","udid":""}`:              "give udid, or ref",
		`{"bundle_id":"a","udid":"U","ref":"e1"}`:  "udid and ref exclude each other",
		`{"bundle_id":"a","udid":"U","ref":null}`:  "",
		`{"bundle_id":"a","ref":"e1","udid":null}`: "",
	} {
		e := c.Run(t.Context(), "probe", op.Call{}, []byte(input))
		if (e.Error == nil) != (say == "") || e.Error != nil && !strings.Contains(e.Error.Message, say) {
			t.Errorf("%s: %v", input, e.Error)
		}
	}
	o := c.Ops()[0]
	strict, _ := json.Marshal(o.StrictSchema())
	plain, _ := json.Marshal(o.InputSchema())
	if !strings.Contains(string(strict), `"allOf"`) || strings.Contains(string(plain), `"allOf"`) ||
		!strings.Contains(o.GroupsInWords(), "Needs udid or ref") {
		t.Errorf("%s\n%s\n%s", strict, plain, o.GroupsInWords())
	}
}

func TestFamiliesMayShareOperationName(t *testing.T) {
	core, other := spec(), spec()
	other.Family, other.Verb, other.Route = "quern", "", "POST /other"
	fn := func(n int) func(context.Context, *op.Call, struct{}) (out, error) {
		return func(context.Context, *op.Call, struct{}) (out, error) { return out{N: n}, nil }
	}
	c := op.NewCatalogue([]op.Op{op.New(other, fn(2)), op.New(core, fn(1))}, op.Options{})
	for id, want := range map[string]string{"probe": `{"N":1}`, "quern_probe": `{"N":2}`, "core_probe": `{"N":1}`} {
		if e := c.Run(t.Context(), id, op.Call{}, nil); string(e.Result) != want {
			t.Errorf("%s: %s %v", id, e.Result, e.Error)
		}
	}
	if c.ID(c.Ops()[0]) != "quern_probe" || c.ID(c.Ops()[1]) != "probe" {
		t.Errorf("%s %s", c.ID(c.Ops()[0]), c.ID(c.Ops()[1]))
	}
}

// TestJobIsHiddenFromOtherSessions: another session can neither see, wait for nor end it, and is not told its name.
func TestJobIsHiddenFromOtherSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := long(2 * time.Minute)
		if e := c.Run(t.Context(), "probe", op.Call{Session: "mine"}, []byte(anApp)); e.Error != nil {
			t.Fatal(e.Error)
		}
		for _, name := range []string{"job_status", "job_wait", "job_cancel"} {
			e := c.Run(t.Context(), name, op.Call{Session: "other"}, []byte(`{"job":"job1"}`))
			if e.Error == nil || e.Error.Code != fault.JobNotFound || strings.Contains(e.Error.Hint, "job1") {
				t.Errorf("%s: %+v", name, e)
			}
		}
		e := c.Run(t.Context(), "job_wait", op.Call{Session: "mine"}, []byte(`{"job":"job1","timeout":45}`))
		if e.Error != nil || !strings.Contains(string(e.Result), `"running"`) {
			t.Errorf("the job of mine: %+v", e)
		}
		if e := c.Run(t.Context(), "job_cancel", op.Call{Session: "mine"}, []byte(`{"job":"job1"}`)); e.Error != nil {
			t.Error(e.Error)
		}
	})
}

// TestJobsAreBounded: each holds a goroutine and an answer, whoever starts them.
func TestJobsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := long(time.Minute)
		c.Jobs().After = 0
		for range 64 {
			if _, e := call(t, c, "probe", anApp); e.Error != nil {
				t.Fatal(e.Error)
			}
		}
		_, e := call(t, c, "probe", anApp)
		if e.Error == nil || e.Error.Code != fault.TooMany || !strings.Contains(e.Error.Message, "64") {
			t.Errorf("%+v", e.Error)
		}
		for range 10 {
			time.Sleep(2 * time.Minute)
			for range 50 {
				if _, e := call(t, c, "probe", anApp); e.Error != nil {
					t.Fatal(e.Error)
				}
			}
		}
		time.Sleep(2 * time.Minute)
		if _, e := call(t, c, "job_status", `{"job":"job1"}`); e.Error == nil {
			t.Error("all jobs of an hour are remembered")
		}
		if o, e := call(t, c, "job_status", `{"job":"job564"}`); e.Error != nil || o.State != op.Done {
			t.Errorf("the last job: %+v %v", o, e.Error)
		}
	})
}
