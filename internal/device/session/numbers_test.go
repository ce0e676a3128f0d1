package session_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ios-agent/internal/device/session"
	"ios-agent/internal/ui"
)

// disk keeps numbers; a write ends when the test lets it.
type disk struct {
	mu      sync.Mutex
	kept    map[string]int
	writes  int
	fails   error
	release chan struct{} // nil: at once
}

func (d *disk) Load(name string) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kept[name], nil
}

func (d *disk) Save(name string, number int) error {
	d.mu.Lock()
	release, fails := d.release, d.fails
	d.mu.Unlock()
	if release != nil {
		<-release
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if fails == nil {
		d.kept[name] = number
		d.writes++
	}
	return fails
}

// look names so many new elements and gives the numbers.
func look(s *session.Session, screen, count int) (numbers []int) {
	root := &ui.Node{Type: "Application"}
	for i := range count {
		root.Children = append(root.Children, &ui.Node{Type: "Button", Identifier: "b" + strconv.Itoa(screen) + "-" + strconv.Itoa(i)})
	}
	sc := ui.NewScreen("app", "", root)
	s.Refs(func(r *ui.Refs) {
		for _, n := range root.Children {
			number, _ := strconv.Atoi(strings.TrimPrefix(r.Name("D1", sc, n), "e"))
			numbers = append(numbers, number)
		}
	})
	return numbers
}

// TestRefNumbersAreUniqueAcrossRestarts: whatever is shown is reserved on the disk first, killed or closed.
func TestRefNumbersAreUniqueAcrossRestarts(t *testing.T) {
	d := &disk{kept: map[string]int{}}
	last := 0
	for life := range 4 {
		st := session.NewStore(session.Options{Numbers: d})
		s := st.Get("ada")
		for i, count := range []int{30, 700, 900, 5000, 1} {
			got := look(s, 10*life+i, count)
			if slices.Min(got) <= last {
				t.Errorf("life %d: %d was given out before; %d was the last one", life, slices.Min(got), last)
			}
			last = slices.Max(got)
			if kept, _ := d.Load("ada"); kept < last {
				t.Errorf("life %d: %d is shown and %d is kept", life, last, kept)
			}
		}
		if life%2 == 0 {
			continue // killed
		}
		if err := st.Close(); err != nil || d.kept["ada"] != last {
			t.Errorf("life %d: %d is kept and not %d: %v", life, d.kept["ada"], last, err)
		}
	}
}

// TestLookDoesNotWaitForHangingDisk: while a write hangs, looks go on with what is reserved.
func TestLookDoesNotWaitForHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{kept: map[string]int{}}
		s := session.NewStore(session.Options{Numbers: d}).Get("ada")
		look(s, 0, 900)
		synctest.Wait()
		d.mu.Lock()
		d.release = make(chan struct{})
		d.mu.Unlock()
		done := make(chan struct{})
		go func() {
			defer close(done)
			look(s, 1, 200)
			look(s, 2, 700)
		}()
		synctest.Wait()
		select {
		case <-done:
		default:
			t.Error("a look waits for the disk")
		}
		close(d.release)
		<-done
	})
}

// TestRefNumbersStayUniqueWhenDiskFails: refs go on, with numbers that no later process gives out.
func TestRefNumbersStayUniqueWhenDiskFails(t *testing.T) {
	d := &disk{kept: map[string]int{"ada": 40}, fails: errors.New("the disk is full")}
	failing := look(session.NewStore(session.Options{Numbers: d}).Get("ada"), 0, 10)
	d.fails = nil
	later := look(session.NewStore(session.Options{Numbers: d}).Get("ada"), 1, 10)
	if slices.Min(later) != 41 || slices.Min(failing) < 100_000_000 {
		t.Errorf("%v, then %v", failing, later)
	}
}
