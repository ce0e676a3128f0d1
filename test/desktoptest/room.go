package desktoptest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/driver/deskapp"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/ops/screen"
)

// Room is the room of desktop programs over a desktop in memory. The processes are real, and do nothing; their windows are in memory.
type Room struct {
	*desktopops.Desktop
	Desk      *Desktop
	Access    access.Access
	Processes *process.Sessions
	Dir       string // of the test's files: pictures, secrets
	Call      *op.Call

	t testing.TB
}

// Begin has a process show the windows of a test app.
func (d *Desktop) Begin(pid int) *App {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Apps[pid] = NewApp()
	return d.Apps[pid]
}

// Open makes the room of the session a. Without a desktop no windows can be seen.
func Open(t testing.TB, desk desktop.Desktop) *Room {
	t.Helper()
	runner, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &Room{t: t, Dir: t.TempDir(), Processes: process.New(process.Options{Start: runner}), Call: &op.Call{Session: "a"}}
	r.Desk, _ = desk.(*Desktop)
	apps := deskapp.New(desk)
	apps.Programs = r.Processes
	p := pool.New(pool.Options{Openers: []pool.Opener{apps}, Implicit: time.Hour})
	r.Access = access.Access{
		Pool: p, Sessions: session.NewStore(session.Options{}), Programs: r.Processes, Getenv: func(string) string { return "" },
	}
	t.Cleanup(func() {
		over, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for _, s := range r.Processes.List("a") {
			if one, err := r.Processes.Get("a", s.ID); err == nil {
				_, err = r.Processes.Stop(over, one)
				if err != nil {
					t.Errorf("ending %s: %v", s.ID, err)
				}
			}
		}
		if err := errors.Join(p.Close(), r.Access.Sessions.Close()); err != nil {
			t.Errorf("closing the pool and the sessions: %v", err)
		}
	})
	r.Desktop = desktopops.New(desktopops.Deps{
		Access: r.Access, Processes: r.Processes, Desk: desk, Secrets: secrets.Of(r.Dir, &mask.Set{}),
		Pictures: screen.New(screen.Deps{Access: r.Access, Home: r.Dir, Now: time.Now}),
	})
	return r
}

// Start launches a program that waits for its end, and shows a window for it.
func (r *Room) Start() (*process.Session, *App) {
	r.t.Helper()
	s, err := r.Launch(r.t.Context(), r.Call, desktopops.DesktopLaunch{Argv: []string{"sleep", "600"}})
	if err != nil {
		r.t.Fatal(err)
	}
	return s, r.Desk.Begin(s.PID)
}

// Child starts a process that nobody launched here, and that waits for its end.
func (r *Room) Child() int {
	r.t.Helper()
	runner, err := host.New(host.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	p, err := runner.Start(r.t.Context(), host.Cmd{Name: "sleep", Args: []string{"600"}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := p.Stop(context.Background()); err != nil {
			r.t.Errorf("ending process %d: %v", p.PID, err)
		}
	})
	return p.PID
}

// ElementID is the id of the first element with a title in a tree that was written down.
func ElementID(t testing.TB, tree, title string) (id string) {
	t.Helper()
	var doc struct{ Nodes []*desktop.Node }
	if err := json.Unmarshal([]byte(tree), &doc); err != nil {
		t.Fatalf("%v: %s", err, tree)
	}
	for _, w := range doc.Nodes {
		w.Walk(func(n *desktop.Node) bool {
			if n.Title == title {
				id = n.ID
			}
			return id == ""
		})
	}
	if id == "" {
		t.Fatalf("no element is called %s", title)
	}
	return id
}
