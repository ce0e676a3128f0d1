package script

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// cost is what one script took. Scripts run beside each other, so the figures are told and never judged: they say where
// to look, and a slow machine is not a bug.
type cost struct {
	script string
	took   time.Duration
	starts int // of the binary by the script itself
}

// beyond is what a script took besides starting the binary.
func (c cost) beyond(start time.Duration) time.Duration {
	return max(0, c.took-time.Duration(c.starts)*start)
}

// costs collects what the scripts took.
type costs struct {
	mu   sync.Mutex
	done []cost
}

var spent costs

// runs are the lines of a script that start the binary, by its own name or as one of Apple's tools.
var runs = regexp.MustCompile(`(?m)^(?:! )?(?:ios-agent|exec) `)

// measure notes what a script takes from now on until it ends.
func (c *costs) measure(env *testscript.Env) {
	began := time.Now()
	env.Defer(func() {
		took := time.Since(began)
		name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
		text, err := os.ReadFile(name + ".txtar")
		if err != nil {
			env.T().Log(err) // the figure would be wrong, the script was not
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.done = append(c.done, cost{name, took, len(runs.FindAllIndex(text, -1))})
	})
}

// print tells what the suite took, what a script takes beyond starting the binary, and which take most.
func (c *costs) print(w io.Writer, whole time.Duration) {
	if len(c.done) == 0 {
		return
	}
	start := startOfBinary()
	slices.SortFunc(c.done, func(a, b cost) int { return cmp.Compare(b.beyond(start), a.beyond(start)) })
	fmt.Fprintf(w, "scripts: %d in %s; a start of the binary takes %s; beyond its starts a script takes %s (median)\n",
		len(c.done), whole.Round(10*time.Millisecond), start.Round(time.Millisecond), c.done[len(c.done)/2].beyond(start).Round(time.Millisecond))
	for _, one := range c.done[:min(5, len(c.done))] {
		fmt.Fprintf(w, "    %-14s %8s beyond %d starts\n", one.script, one.beyond(start).Round(time.Millisecond), one.starts)
	}
}

// startOfBinary is how long the binary takes to do nothing: the median of a few runs.
func startOfBinary() time.Duration {
	var all []time.Duration
	for range 5 {
		began := time.Now()
		if err := exec.Command(filepath.Join(bin, "ios-agent"), "--version").Run(); err != nil {
			return 0
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
