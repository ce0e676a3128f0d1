package webdriver

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
)

// session is a client's session, with the lease of a device. mu guards the fields below it; the server guards the counters of use.
type session struct {
	id     string
	name   string // of the product's session
	caller op.Caller
	folder Folder

	udid, device, os, family string
	simulator                bool
	booted                   bool           // for it
	given                    map[string]any // the capabilities, as matched
	agent                    bool           // an Appium server created it, for which we are WebDriverAgent
	patience                 time.Duration  // how long it may be unused; 0: unlimited

	busy    int       // guarded by the server's mutex
	last    time.Time // likewise
	renewed time.Time // likewise

	mu       sync.Mutex
	implicit time.Duration
	script   time.Duration
	load     time.Duration
	settings map[string]json.RawMessage
	at       place  // set by the client
	logged   string // the cursor after the last log lines in an answer
}

// How long a session may be unused, unless its capabilities say otherwise. Sessions of an Appium server may wait longer: that server ends
// idle sessions of its clients itself.
const (
	usualPatience = 60 * time.Second
	agentPatience = 10 * time.Minute
)

// newSession creates a session: capabilities, the lease of a device, the app.
func newSession(ctx context.Context, q *request) (any, error) {
	wants, err := match(q.body)
	if err != nil {
		return nil, err
	}
	if q.device != "" {
		wants.udid, wants.name = "", q.device
	}
	if err := q.room(); err != nil {
		return nil, err
	}
	one, err := q.open(op.WithClient(ctx, client), wants)
	q.mu.Lock()
	q.making--
	closed := q.closed
	if err == nil && !closed {
		one.last, one.renewed = q.Now(), q.Now()
		q.sessions[one.id] = one
	}
	q.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if closed {
		_ = one.release(context.WithoutCancel(ctx)) // the server ends
		return nil, fail(unexpectedlyOver, "the server ends")
	}
	return map[string]any{"sessionId": one.id, "capabilities": one.capabilities()}, nil
}

// room reserves a place for a session.
func (s *Server) room() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fail(unexpectedlyOver, "the server ends")
	}
	if len(s.sessions)+s.making >= mostSessions {
		return fail(tooManySessions, "session limit reached (%d)", mostSessions).
			hinted("delete one with DELETE /session/ID, or wait until an unused one has ended")
	}
	s.making++
	return nil
}

// open takes the lease and starts the app. If a step fails, it gives the device back.
func (s *Server) open(ctx context.Context, w wanted) (*session, error) {
	id := strings.ToLower(rand.Text())
	one := &session{
		id: id, name: "webdriver-" + id[:8], given: w.given, agent: w.agent, patience: w.patience,
		script: 30 * time.Second, load: 300 * time.Second, implicit: w.implicit, settings: map[string]json.RawMessage{},
	}
	var err error
	if one.caller, err = s.Connect(one.name); err != nil {
		return nil, creating(err)
	}
	if err := one.claim(ctx, s, w); err != nil {
		return nil, creating(err)
	}
	one.folder = s.Folder
	err = s.Folder.note(one)
	if err == nil {
		err = one.begin(ctx, w, s.Token != "")
	}
	if err != nil {
		one.undo(context.WithoutCancel(ctx))
		return nil, creating(err)
	}
	return one, nil
}

// undo gives the device back in its earlier state: if it was booted for this session, it is shut down. The first error is reported.
func (one *session) undo(ctx context.Context) {
	if one.booted {
		_ = one.on(op.WithClient(ctx, client), "shutdown_device", nil, nil)
	}
	_ = one.release(ctx)
}

// creating is an error during the creation of a session.
func creating(err error) error {
	f, is := err.(*failure)
	if !is {
		f = of(err)
	}
	if f.kind != invalidArgument || f.code != "" {
		f.kind = notCreated
	}
	return f
}

// claim finds the requested device and takes its lease; a device that is shut down is booted.
func (one *session) claim(ctx context.Context, s *Server, w wanted) error {
	input := map[string]any{"session_id": one.name, "auto_boot": true, "boot_timeout": 300}
	udid, name := w.udid, w.name
	if s.Device != "" {
		ours, err := one.agreed(ctx, s.Device, udid) // with a udid, the name is only a wish, as in Appium
		if err != nil {
			return err
		}
		udid, name = "", ours
	}
	if udid == "" && name == "" {
		of, err := s.project(ctx)
		if err == nil {
			udid, err = of.lend(ctx, one.name, w)
		}
		if err != nil {
			return err
		}
	}
	var known *listed
	if named := cmp.Or(udid, name); named != "" {
		found, err := one.lookUp(ctx, named)
		if err != nil {
			return err
		}
		known = found
	}
	switch {
	case known != nil:
		input["udid"], input["device_type"] = known.UDID, known.Type
	case udid != "":
		input["udid"] = udid
	case name != "":
		input["name"] = name
	}
	if named := cmp.Or(udid, name); w.agent && named != "" {
		s.replace(ctx, named)
	}
	if w.version != "" && known == nil {
		input["os_version"] = w.version
	}
	var got struct {
		UDID, Name string
		OS         string `json:"os_version"`
		WasBooted  bool   `json:"was_booted"`
	}
	if err := one.call(ctx, "resolve_device", input, &got); err != nil {
		return err
	}
	one.udid, one.device, one.os, one.booted = got.UDID, got.Name, got.OS, !got.WasBooted
	one.family = "iPhone"
	if known == nil {
		known, _ = one.lookUp(ctx, got.UDID) // only its family is missing
	}
	if known != nil {
		one.family, one.simulator = known.Family, known.Type == "simulator"
	}
	return nil
}

// replace ends the earlier session of an Appium server on a device, as WebDriverAgent does: it has only one.
func (s *Server) replace(ctx context.Context, named string) {
	s.mu.Lock()
	var before *session
	for id, each := range s.sessions {
		if each.agent && (strings.EqualFold(each.udid, named) || strings.EqualFold(each.device, named)) {
			before = each
			delete(s.sessions, id)
		}
	}
	s.mu.Unlock()
	if before != nil {
		_ = before.release(ctx) // the following claim reports any error
	}
}

// listed is a device of the list.
type listed struct {
	UDID, Name, State string
	OS                string `json:"os_version"`
	Family            string `json:"device_family"`
	Type              string `json:"device_type"`
	Available         bool   `json:"is_available"`
}

// lookUp finds a device by its udid, or by a unique name; nil if none matches, because the pool resolves other names.
func (one *session) lookUp(ctx context.Context, named string) (*listed, error) {
	var out struct{ Devices []listed }
	if err := one.call(ctx, "list_devices", nil, &out); err != nil {
		return nil, err
	}
	var by []*listed
	for i := range out.Devices {
		d := &out.Devices[i]
		if strings.EqualFold(d.UDID, named) {
			return d, nil
		}
		if strings.EqualFold(d.Name, named) {
			by = append(by, d)
		}
	}
	if len(by) == 1 {
		return by[0], nil
	}
	return nil, nil
}

// agreed is the device for a server with a fixed device and capabilities that may name one too: both must mean the same.
func (one *session) agreed(ctx context.Context, ours, given string) (string, error) {
	if given == "" || strings.EqualFold(ours, given) {
		return ours, nil
	}
	known, err := one.lookUp(ctx, given)
	if err != nil {
		return "", err
	}
	if known != nil && strings.EqualFold(known.Name, ours) {
		return known.UDID, nil
	}
	return "", fail(notCreated, "the capabilities name the device %q, and this server is for %q", given, ours).
		hinted("leave the udid out of the capabilities, or serve all devices with " + hint.Command("ios-agent webdriver"))
}

// begin installs and launches the app of the capabilities.
func (one *session) begin(ctx context.Context, w wanted, trusted bool) error {
	bundle := w.bundle
	if w.app != "" {
		if !trusted {
			return fail(notCreated, "only a client with the token may install an app").
				hinted("require a token with " + hint.Command("ios-agent webdriver") + ", or install the app with " +
					hint.Do("install_app", "app_path", "PATH.app") + " and name its bundleId")
		}
		var out struct {
			Bundle string `json:"bundle_id"`
		}
		if err := one.call(ctx, "install_app", map[string]any{"app_path": w.app, "udid": one.udid}, &out); err != nil {
			return err
		}
		bundle = cmp.Or(bundle, out.Bundle)
	}
	if bundle == "" || !w.launch {
		return nil
	}
	return one.start(ctx, bundle, starting{args: w.args, env: w.env, restart: w.restart})
}

// release gives the device back. It does nothing if another session has the lease by now.
func (one *session) release(ctx context.Context) error {
	err := one.call(op.WithClient(ctx, client), "release_device", map[string]any{"udid": one.udid, "session_id": one.name}, nil)
	if err == nil || over(err) {
		one.folder.forget(one)
		return nil
	}
	return err
}

// renew extends the lease of a session that may be unused for long.
func (one *session) renew(ctx context.Context) error {
	return one.call(op.WithClient(ctx, client), "renew_device", map[string]any{"udid": one.udid, "session_id": one.name}, nil)
}

// call runs an operation on the session's device and decodes its result. If the operation becomes a job, call waits for it.
func (one *session) call(ctx context.Context, name string, input map[string]any, into any) error {
	if input == nil {
		input = map[string]any{}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return fail(invalidArgument, "%s: %v", name, err)
	}
	e := one.caller.Call(ctx, name, raw, nil)
	var job struct{ Job, Operation, State string }
	for e.Error == nil && json.Unmarshal(e.Result, &job) == nil && job.Job != "" && job.Operation == name && job.State == op.Running {
		raw, _ := json.Marshal(map[string]any{"job": job.Job}) // a string can always be encoded
		e = one.caller.Call(ctx, "job_wait", raw, nil)
		var done struct{ Result json.RawMessage }
		if json.Unmarshal(e.Result, &done) == nil && len(done.Result) > 0 {
			e.Result = done.Result
		}
		job.Job = ""
	}
	if e.Error != nil {
		return of(e.Error)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(e.Result, into); err != nil {
		return of(fault.New(fault.Internal, "cannot read the answer of %s: %w", name, err))
	}
	return nil
}

// on is call for an operation that takes the device.
func (one *session) on(ctx context.Context, name string, input map[string]any, into any) error {
	if input == nil {
		input = map[string]any{}
	}
	input["udid"] = one.udid
	return one.call(ctx, name, input, into)
}

func deleteSession(ctx context.Context, q *request) (any, error) {
	q.forget(q.session)
	return nil, q.session.release(ctx)
}

func getSession(_ context.Context, q *request) (any, error) { return q.session.capabilities(), nil }

func listSessions(_ context.Context, q *request) (any, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := []any{}
	for id, one := range q.sessions {
		all = append(all, map[string]any{"id": id, "capabilities": one.capabilities()})
	}
	return all, nil
}

// status is available to every client, before a session exists.
func status(_ context.Context, q *request) (any, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	ready := len(q.sessions)+q.making < mostSessions && !q.closed
	out := map[string]any{
		"ready": ready, "message": "ios-agent is ready to accept commands", "state": "success",
		"build": map[string]any{"version": q.Version, "productBundleIdentifier": "ios-agent", "time": ""},
		"os":    map[string]any{"name": "iOS", "version": "", "testmanagerdVersion": 0},
		"ios":   map[string]any{"ip": "127.0.0.1"}, "device": "iphone",
	}
	for _, one := range q.sessions {
		out["os"] = map[string]any{"name": "iOS", "version": numeric(one.os), "testmanagerdVersion": 0}
		out["device"] = strings.ToLower(one.family)
	}
	return out, nil
}

// numeric is a version without the name of its system.
func numeric(os string) string {
	words := strings.Fields(os)
	if len(words) == 0 {
		return os
	}
	return words[len(words)-1]
}
