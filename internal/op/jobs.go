package op

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/oneline"
)

// Jobs runs work that outlives a call. The work of a long operation belongs to its job from the start; the call only waits for the job, and
// returns with the job's id when the wait gets too long for its client.
type Jobs struct {
	// After is the maximum time that a call waits for its job.
	After time.Duration
	// Keep is the time for which callers can ask about a finished job.
	Keep time.Duration

	mu   sync.Mutex
	last int
	jobs map[string]*job
	left map[string]bool // traces of callers that left before their job began
}

// The usual times of a daemon. Clients of agents give up on a call after a minute or two.
const (
	JobAfter = 45 * time.Second
	JobKeep  = time.Hour
)

// The states of a job.
const (
	Running   = "running"
	Done      = "done"
	FailedJob = "failed"
	Stopped   = "cancelled"
)

type job struct {
	id, op  string
	session string
	trace   string
	mark    mark // mark of its answer
	started time.Time
	cancel  context.CancelCauseFunc
	done    chan struct{}

	mu        sync.Mutex
	event     Event
	answer    Envelope // when the job is done
	listeners map[int]func(Event)
	heard     int // number of listeners so far
}

var errCancelled = fault.New(fault.Cancelled, "the job was cancelled")

// run starts a job for a call and waits for it, at most for After.
func (j *Jobs) run(ctx context.Context, x *Exchange) Envelope {
	x.Mode = Job
	session, name := x.Call.Session, x.Name // read here, because the job owns the exchange from its start
	one, leave, err := j.start(ctx, x)
	if err != nil {
		return x.end(ctx, Failed(err, Meta{Session: session}))
	}
	defer leave()
	if j.After <= 0 {
		return one.still() // a caller that does not wait gets the job's id, even if the job is quick
	}
	wait := time.NewTimer(j.After)
	defer wait.Stop()
	select {
	case <-one.done:
		return one.answer
	case <-wait.C:
		return one.still()
	case <-ctx.Done():
		f := fault.New(fault.Cancelled, "the client closed the connection; %s continues as job %s", name, one.id).With("job", one.id)
		return Failed(f, Meta{Session: session})
	}
}

// The limits of jobs. Each running job holds a goroutine, usually a program, and its answer.
const (
	mostRunning = 64  // over all sessions
	mostDone    = 200 // finished jobs that callers can still ask about; the oldest is removed first
)

func (j *Jobs) start(ctx context.Context, x *Exchange) (one *job, leave func(), err error) {
	call := *x.Call // a copy with the caller's listener; the work itself reports to the job
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	j.mu.Lock()
	if err := j.room(); err != nil {
		j.mu.Unlock()
		cancel(nil)
		return nil, nil, err
	}
	j.last++
	one = &job{
		id: fmt.Sprintf("job%d", j.last), op: x.Name, session: call.Session, trace: call.Trace, started: time.Now(),
		mark: mark(x.catalogue.o.Mark), cancel: cancel, done: make(chan struct{}), listeners: map[int]func(Event){},
	}
	if j.jobs == nil {
		j.jobs = map[string]*job{}
	}
	j.jobs[one.id] = one
	if j.left[call.Trace] {
		delete(j.left, call.Trace)
		cancel(errCancelled)
	}
	j.mu.Unlock()
	leave = one.listen(call.Report)
	one.report(Event{Message: x.Name + " began"})
	x.Job, x.Call.progress = one.id, one.report
	go func() {
		defer cancel(nil)
		e := x.catalogue.perform(own, x)
		one.mu.Lock()
		one.answer = e
		one.mu.Unlock()
		close(one.done)
		time.AfterFunc(j.Keep, func() { j.forget(one.id) })
	}()
	return one, leave, nil
}

// room refuses a job beyond the limit, and removes the oldest finished job. The caller holds the lock.
func (j *Jobs) room() error {
	var oldest *job
	done := 0
	for _, one := range j.jobs {
		if one.state() == Running {
			continue
		}
		if done++; oldest == nil || one.started.Before(oldest.started) {
			oldest = one
		}
	}
	if done >= mostDone {
		delete(j.jobs, oldest.id)
	}
	if running := len(j.jobs) - min(done, mostDone-1); running >= mostRunning {
		return fault.New(fault.TooMany, "job limit reached: %d of %d are running", running, mostRunning).
			WithHint("wait for one with %s, or end one with %s", hint.Do("job_wait", "job", "JOB"), hint.Do("job_cancel", "job", "JOB"))
	}
	return nil
}

// Active counts the running jobs; a daemon does not exit while there are any.
func (j *Jobs) Active() int {
	n := 0
	for _, one := range j.all() {
		if one.state() == Running {
			n++
		}
	}
	return n
}

// Running returns a session's running jobs, the oldest first.
func (j *Jobs) Running(session string) []JobOut {
	running := slices.DeleteFunc(j.all(), func(one *job) bool { return one.session != session || one.state() != Running })
	slices.SortFunc(running, func(a, b *job) int { return a.started.Compare(b.started) })
	outs := make([]JobOut, len(running))
	for i, one := range running {
		outs[i] = one.out()
	}
	return outs
}

// CancelTrace ends the job of the call with that trace, now or as soon as it begins: the message that the caller has left may arrive before
// its call.
func (j *Jobs) CancelTrace(trace string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, one := range j.jobs {
		if one.trace == trace {
			one.cancel(errCancelled)
			return
		}
	}
	if j.left == nil || len(j.left) > mostLeft {
		j.left = map[string]bool{}
	}
	j.left[trace] = true
}

// mostLeft is the maximum number of remembered callers whose call has not come.
const mostLeft = 1000

// CancelAll cancels every job and waits until all have ended or ctx has.
func (j *Jobs) CancelAll(ctx context.Context) {
	for _, one := range j.all() {
		one.cancel(errCancelled)
	}
	for _, one := range j.all() {
		select {
		case <-one.done:
		case <-ctx.Done():
			return
		}
	}
}

func (j *Jobs) all() []*job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Collect(maps.Values(j.jobs))
}

func (j *Jobs) forget(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.jobs, id)
}

// find returns a job of the session. It hides the jobs of other sessions and their ids.
func (j *Jobs) find(session, id string) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if one, ok := j.jobs[id]; ok && one.session == session {
		return one, nil
	}
	var own []string
	for name, one := range j.jobs {
		if one.session == session {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	f := fault.New(fault.JobNotFound, "this session has no job %q", id).With("field", "job")
	if len(own) == 0 {
		return nil, f.WithHint("this session has no jobs; name the session of the job with %s", hint.Field("session"))
	}
	return nil, f.WithHint("the jobs of this session: %s", strings.Join(own, ", "))
}

func (o *job) report(e Event) {
	o.mu.Lock()
	e.Job = o.id
	o.event = e
	listeners := slices.Collect(maps.Values(o.listeners))
	o.mu.Unlock()
	for _, hear := range listeners {
		hear(e)
	}
}

// listen adds a listener to the job's progress; leave removes it.
func (o *job) listen(hear func(Event)) (leave func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.heard++
	n := o.heard
	o.listeners[n] = hear
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.listeners, n)
	}
}

func (o *job) state() string {
	select {
	case <-o.done:
	default:
		return Running
	}
	switch {
	case o.answer.Error == nil:
		return Done
	case o.answer.Error.Code == fault.Cancelled:
		return Stopped
	}
	return FailedJob
}

// JobOut is the state of a job, and its result once it is done.
type JobOut struct {
	Job       string          `json:"job"`
	State     string          `json:"state"`
	Operation string          `json:"operation"`
	Message   string          `json:"message,omitempty"`
	Done      float64         `json:"done,omitempty"`
	Total     float64         `json:"total,omitempty"`
	ElapsedMS int64           `json:"elapsed_ms"`
	Result    json.RawMessage `json:"result,omitempty"` // of the operation, once it is done

	text     string `lines:"ours"`
	document bool   // the answer is the text alone
	fault    *fault.Fault
}

// Text is the operation's own text when the job is done.
func (o JobOut) Text() string {
	if o.State == Running {
		return fmt.Sprintf("%s (%s) is running: %s\nnote: wait for it with %s, end it with %s",
			o.Job, o.Operation, o.Message, hint.Do("job_wait", "job", o.Job), hint.Do("job_cancel", "job", o.Job))
	}
	if o.document {
		return o.text
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s) is %s\n%s", o.Job, o.Operation, o.State, o.text))
}

// Document reports whether the text is a document of the operation, for programs that waited for it.
func (o JobOut) Document() bool { return o.document }

// Fault is the operation's own fault.
func (o JobOut) Fault() *fault.Fault { return o.fault }

func (o *job) out() JobOut {
	state := o.state()
	o.mu.Lock()
	defer o.mu.Unlock()
	out := JobOut{
		Job: o.id, State: state, Operation: o.op, Message: o.event.Message, Done: o.event.Done, Total: o.event.Total,
		ElapsedMS: time.Since(o.started).Milliseconds(),
	}
	if state != Running {
		out.Result, out.text, out.fault = o.answer.Result, o.mark.off(o.answer.Stdout), o.answer.Error
	}
	return out
}

// tell adds to a call about the job everything that the job's own answer has beside its result, such as notices.
func (o *job) tell(c *Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c.notices = append(c.notices, o.answer.Meta.Notices...)
	if c.exchange != nil {
		c.exchange.answered = o.answer.Meta.Step
	}
	c.Outside = o.state() != Running && o.answer.Meta.Toolchain == ""
}

// still is the answer to a call whose job runs longer than the call waits.
func (o *job) still() Envelope {
	out := o.out()
	e := Succeeded(out, Meta{Session: o.session})
	e.Stdout = oneline.Legible(oneline.Draw(out, JobOut.Text))
	return e
}

type jobIn struct {
	Job string `json:"job" doc:"the job's name, such as job3" cli:"arg"`
}

type jobWaitIn struct {
	jobIn
	Timeout float64 `json:"timeout,omitempty" doc:"seconds to wait at most" default:"30" min:"0" max:"45" unit:"s"`
}

// Ops are the operations on jobs.
func (j *Jobs) Ops() []Op {
	groups := []string{"job"}
	return []Op{
		New(Spec{Name: "job_status", Groups: groups, Route: "GET /api/v1/jobs/{job}", Hints: ReadOnly | Idempotent,
			Summary: "Show the state of a job", Next: []string{"job_wait", "job_cancel"}, Examples: []string{"job-status job3"}}, j.status),
		New(Spec{Name: "job_wait", Groups: groups, Route: "POST /api/v1/jobs/{job}/wait", Hints: ReadOnly | Idempotent,
			Summary: "Wait for a job and give its result; a job that takes longer is still running", Timeout: time.Minute,
			Examples: []string{"job-wait job3"}}, j.wait),
		New(Spec{Name: "job_cancel", Groups: groups, Route: "POST /api/v1/jobs/{job}/cancel", Hints: Idempotent,
			Summary: "End a job", Examples: []string{"job-cancel job3"}}, j.end),
	}
}

func (j *Jobs) status(_ context.Context, c *Call, in jobIn) (JobOut, error) {
	one, err := j.find(c.Session, in.Job)
	if err != nil {
		return JobOut{}, err
	}
	one.tell(c)
	out := one.out()
	out.fault = nil // asking about a failed job succeeds
	return out, nil
}

func (j *Jobs) wait(ctx context.Context, c *Call, in jobWaitIn) (JobOut, error) {
	one, err := j.find(c.Session, in.Job)
	if err != nil {
		return JobOut{}, err
	}
	defer one.listen(c.Report)()
	limit := time.NewTimer(time.Duration(in.Timeout * float64(time.Second)))
	defer limit.Stop()
	select {
	case <-one.done:
	case <-limit.C:
	case <-ctx.Done():
		return JobOut{}, ctx.Err()
	}
	one.tell(c)
	out := one.out()
	if out.State != Running && one.answer.Document {
		out.text, out.document = one.answer.Stdout, true
	}
	return out, nil
}

func (j *Jobs) end(ctx context.Context, c *Call, in jobIn) (JobOut, error) {
	one, err := j.find(c.Session, in.Job)
	if err != nil {
		return JobOut{}, err
	}
	one.cancel(errCancelled)
	select {
	case <-one.done:
	case <-ctx.Done():
		return JobOut{}, ctx.Err()
	}
	one.tell(c)
	out := one.out()
	out.fault = nil
	return out, nil
}
