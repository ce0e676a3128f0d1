package session_test

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// live is the memory in use after a collection.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// buttons are a screen. Two with the same first button are equal.
func buttons(count int, first string) *ui.Screen {
	r := &ui.Node{Type: "Application"}
	for i := range count {
		r.Children = append(r.Children, &ui.Node{
			Type: "Button", Identifier: "button-" + strconv.Itoa(i), Label: "Button " + strconv.Itoa(i),
			Frame: ui.Rect{X: 1, Y: float64(i), W: 9, H: 1},
		})
	}
	r.Children[0].Label, r.Children[0].Identifier = first, ""
	return ui.NewScreen("app", "", r)
}

// shown is a session that is shown a screen, with a ref for each element. It gives the highest.
func shown(s *session.Session, screen *ui.Screen) (last int) {
	s.Refs(func(r *ui.Refs) {
		for _, n := range screen.Root.Children {
			r.Name("D1", screen, n)
		}
		r.Remember("D1", screen)
		last = r.Highest()
	})
	return last
}

// TestSessionMemoryIsBounded: many sessions are shown a screen of 6,000 elements each, the same or another one. What they remember is
// bounded; who lost its refs is told so, and the numbers go on. IOS_AGENT_SOAK_SESSIONS=1000 makes more of them.
func TestSessionMemoryIsBounded(t *testing.T) {
	const nodes, most = 6000, 72 << 20 // what all sessions may hold together, and a little for the sessions themselves
	sessions, _ := strconv.Atoi(cmp.Or(os.Getenv("IOS_AGENT_SOAK_SESSIONS"), "30"))
	for name, first := range map[string]string{"one screen": "Button", "a screen each": "Button %d"} {
		t.Run(name, func(t *testing.T) {
			st := session.NewStore(session.Options{Numbers: &disk{kept: map[string]int{}}})
			screenOf := func(i int) *ui.Screen { return buttons(nodes, strings.ReplaceAll(first, "%d", strconv.Itoa(i))) }
			before := live()
			last := shown(st.Get("s0"), screenOf(0))
			for i := 1; i < sessions; i++ {
				shown(st.Get(fmt.Sprintf("s%d", i)), screenOf(i))
				if i%10 == 0 || i == sessions-1 {
					if held := live() - before; held > most {
						t.Fatalf("%d sessions hold %d MB", i+1, held>>20)
					}
				}
			}
			expired(t, st.Get("s0"), screenOf(0), last)
			st.Get(fmt.Sprintf("s%d", sessions-1)).Refs(func(r *ui.Refs) {
				if _, err := r.Resolve("@e1", "D1", screenOf(sessions-1)); err != nil {
					t.Errorf("the last session lost its refs: %v", err)
				}
			})
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// expired wants the refs of a session to be expired and its screen forgotten, which it is told once. Its next ref is a new one.
func expired(t *testing.T, s *session.Session, screen *ui.Screen, last int) {
	t.Helper()
	s.Refs(func(r *ui.Refs) {
		for _, ref := range []int{1, last / 2, last} {
			_, err := r.Resolve(fmt.Sprintf("@e%d", ref), "D1", screen)
			if f := fault.From(err); f == nil || f.Code != fault.RefExpired || f.Dispatched != fault.NotDispatched || f.Hint == "" {
				t.Errorf("the old ref @e%d: %v", ref, err)
			}
		}
		if r.Shown("D1") != nil || r.Last("D1") != "" || r.Recall("D1", screen.Hash()) != nil {
			t.Error("the screen is remembered")
		}
		if lines, _, known := outline.Since(screen, screen.Hash(), "D1", r); known {
			t.Errorf("since a screen that is forgotten: %q", lines)
		}
		if lines := outline.SinceShown(screen, "D1", r); len(lines) != 1 || !strings.Contains(lines[0], "forgotten") {
			t.Errorf("since a screen that is forgotten: %q", lines)
		}
		ref := r.Name("D1", screen, screen.Root.Children[0])
		if number, err := strconv.Atoi(ref[1:]); err != nil || number <= last {
			t.Errorf("the next ref is %s after e%d", ref, last)
		}
		r.Remember("D1", screen)
		if lines := outline.SinceShown(screen, "D1", r); lines != nil {
			t.Errorf("nothing changed: %q", lines)
		}
	})
}

// TestSameScreenStaysKnownInManySessions: whoever was shown the same screen still knows it, however many they are.
func TestSameScreenStaysKnownInManySessions(t *testing.T) {
	var st session.Store
	var hash string
	for i := range 200 {
		screen := buttons(3000, "Button")
		hash = screen.Hash()
		st.Get(strconv.Itoa(i)).Refs(func(r *ui.Refs) {
			r.Name("D1", screen, screen.Root.Children[7])
			r.Remember("D1", screen)
		})
	}
	for i := range 200 {
		st.Get(strconv.Itoa(i)).Refs(func(r *ui.Refs) {
			screen := r.Recall("D1", hash)
			if screen == nil {
				t.Fatalf("session %d has lost its screen", i)
			}
			if n, err := r.Resolve("@e1", "D1", screen); err != nil || n.Identifier != "button-7" {
				t.Fatalf("session %d: %v", i, err)
			}
		})
	}
}

// TestLongTextsCountTowardsMemoryLimit: few elements with long texts are much memory. What was shown last is remembered however large it
// is.
func TestLongTextsCountTowardsMemoryLimit(t *testing.T) {
	var st session.Store
	before := live()
	show := func(name string, i int, size int) *ui.Screen {
		screen := buttons(20, strings.Repeat("x", size)+strconv.Itoa(i))
		shown(st.Get(name), screen)
		return screen
	}
	for i := range 24 {
		show(strconv.Itoa(i), 0, 4<<20)
	}
	if held := live() - before; held > 72<<20 {
		t.Errorf("24 sessions with 4 MB of text each hold %d MB", held>>20)
	}
	var large *ui.Screen
	for i := range 3 {
		large = show("one", i, 40<<20)
	}
	if held := live() - before; held > 100<<20 {
		t.Errorf("a session with 40 MB of text holds %d MB", held>>20)
	}
	st.Get("one").Refs(func(r *ui.Refs) {
		n, err := r.Resolve(fmt.Sprintf("@e%d", r.Highest()), "D1", large)
		if err != nil || r.Shown("D1").Hash() != large.Hash() {
			t.Errorf("what was shown last is forgotten: %v %v", n, err)
		}
	})
}

// TestConcurrentSessionsGetUniqueRefNumbers: sessions that look and are forgotten at the same time get no number twice.
func TestConcurrentSessionsGetUniqueRefNumbers(t *testing.T) {
	var st session.Store
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name, last := strconv.Itoa(i), 0
			for round := range 6 {
				screen := buttons(3000, fmt.Sprint(i, round))
				given := map[string]bool{}
				st.Get(name).Refs(func(r *ui.Refs) {
					if lines, _, known := outline.Since(screen, screen.Hash(), "D1", r); known {
						t.Errorf("a screen that was never shown: %q", lines)
					}
					highest := r.Highest()
					for _, n := range screen.Root.Children {
						given[r.Name("D1", screen, n)] = true
					}
					if highest < last || len(given) != len(screen.Root.Children) {
						t.Errorf("session %s: %d refs after e%d, which was e%d", name, len(given), highest, last)
					}
					r.Remember("D1", screen)
					last = r.Highest()
				})
			}
		})
	}
	wg.Wait()
}

// TestOldSessionsAreForgotten: after a week, and when there are too many. A ref number is not given out again.
func TestOldSessionsAreForgotten(t *testing.T) {
	for name, numbers := range map[string]session.Numbers{"kept": &disk{kept: map[string]int{}}, "not kept": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := session.NewStore(session.Options{Numbers: numbers})
				defer st.Close()
				old := st.Get("old")
				old.Use(session.Choice{UDID: "D1"})
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

// TestForgottenSessionFreesItsMemory, nor does a call of it that ends later.
func TestForgottenSessionFreesItsMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var st session.Store
		old, before := st.Get("old"), live()
		show := func() { shown(old, buttons(20, strings.Repeat("x", 20<<20))) }
		show()
		if held := live() - before; held < 15<<20 {
			t.Errorf("a session with 20 MB of text holds %d bytes", held)
		}
		time.Sleep(8 * 24 * time.Hour)
		st.Get("new")
		for range 2 {
			if held := live() - before; held > 5<<20 {
				t.Errorf("a session that is forgotten holds %d MB", held>>20)
			}
			show()
		}
		runtime.KeepAlive(old)
	})
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
