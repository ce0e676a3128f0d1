package session_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// TestManySessions: many sessions look at a screen of 6,000 elements each. What they remember is bounded; who lost its refs is
// told so, and the numbers go on.
func TestManySessions(t *testing.T) {
	const sessions, nodes, most = 100, 6000, 200 << 20
	st := session.NewStore(session.Options{Numbers: &disk{kept: map[string]int{}}})
	root := func() *ui.Node {
		r := &ui.Node{Type: "Application"}
		for i := range nodes {
			r.Children = append(r.Children, &ui.Node{
				Type: "Button", Identifier: "button-" + strconv.Itoa(i), Label: "Button " + strconv.Itoa(i),
				Frame: ui.Rect{X: 1, Y: float64(i), W: 9, H: 1},
			})
		}
		return r
	}
	number := func(name string) (last int) {
		screen := ui.NewScreen("app", "", root())
		st.Get(name).Refs(func(r *ui.Refs) {
			for _, n := range screen.Root.Children {
				r.Name("D1", screen, n)
			}
			r.Remember("D1", screen)
			last = r.Highest()
		})
		return last
	}
	first := number("s0")
	for i := 1; i < sessions; i++ {
		number(fmt.Sprintf("s%d", i))
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > most {
		t.Errorf("%d sessions hold %d MB", sessions, m.HeapAlloc>>20)
	}
	screen := ui.NewScreen("app", "", root())
	st.Get("s0").Refs(func(r *ui.Refs) {
		_, err := r.Resolve("@e1", "D1", screen)
		if f := fault.From(err); f == nil || f.Code != fault.RefExpired {
			t.Errorf("an old ref: %v", err)
		}
		if ref := r.Name("D1", screen, screen.Root.Children[0]); ref != fmt.Sprintf("e%d", first+1) {
			t.Errorf("the next ref is %s after e%d", ref, first)
		}
	})
	st.Get("s99").Refs(func(r *ui.Refs) {
		if _, err := r.Resolve("@e1", "D1", screen); err != nil {
			t.Errorf("the last session lost its refs: %v", err)
		}
	})
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

// TestOldSessionsAreForgotten: after a week, and when there are too many. A ref number is not given out again.
func TestOldSessionsAreForgotten(t *testing.T) {
	for name, numbers := range map[string]session.Numbers{"kept": &disk{kept: map[string]int{}}, "not kept": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := session.NewStore(session.Options{Numbers: numbers})
				defer st.Close()
				old := st.Get("old")
				old.Use("D1")
				was := look(old, 0, 10)
				time.Sleep(4 * 24 * time.Hour)
				if st.Get("other"); st.Get("old") != old {
					t.Error("a session is forgotten after days")
				}
				time.Sleep(8 * 24 * time.Hour)
				st.Get("another")
				again := st.Get("old")
				if again == old || again.Device() != "" {
					t.Error("a session is remembered after a week without a call")
				}
				if now := look(again, 1, 1); now[0] <= was[len(was)-1] {
					t.Errorf("e%d was given out again", now[0])
				}
				if late := look(old, 2, 1); late[0] <= was[len(was)-1] { // a call that began before
					t.Errorf("e%d was given out again", late[0])
				}
				for i := range 10_100 {
					time.Sleep(time.Millisecond)
					st.Get(strconv.Itoa(i))
				}
				if st.Get("old") == again {
					t.Error("there is no bound for the number of sessions")
				}
			})
		})
	}
}

// TestProjectsAreBounded: the folder comes with a call.
func TestProjectsAreBounded(t *testing.T) {
	var st session.Store
	s, dir := st.Get("a"), t.TempDir()
	for i := range 100 {
		s.Defaults(fmt.Sprintf("%s/%d", dir, i), nil)
	}
	if n := s.Projects(); n > 16 {
		t.Errorf("the defaults of %d folders are remembered", n)
	}
}
