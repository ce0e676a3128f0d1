package debugger

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/lazyregexp"
)

// Watchpoint stops the program when it accesses the memory of a variable.
type Watchpoint struct {
	ID       int    `json:"watchpoint"`
	Variable string `json:"variable"`
	On       string `json:"on"` // change, read or access
}

// The kinds of access that stop the program.
const (
	OnChange = "change"
	OnRead   = "read"
	OnAccess = "access"
)

// watchOptions are LLDB's options; its default is a change.
var watchOptions = map[string]string{OnChange: "", OnRead: "--watch read ", OnAccess: "--watch read_write "}

// unwatchAll is the command that removes all watchpoints, also the watchpoints of lldb commands.
const unwatchAll = "watchpoint delete --force"

// watches reports whether a command of LLDB may set a watchpoint: command names may be shortened.
func watches(command string) bool { return strings.HasPrefix(strings.TrimSpace(command), "w") }

var (
	watchMade = lazyregexp.New(`Watchpoint created: Watchpoint (\d+):`)
	watchStop = lazyregexp.New(`^watchpoint (\d+)$`)
	watchWas  = lazyregexp.New(`old value: (.*)`)
	watchIs   = lazyregexp.New(`new value: (.*)`)
)

// Watch sets a watchpoint on a variable, or a part of one, of a frame of the paused program. The processor supports few watchpoints,
// usually four. A watchpoint on a local variable keeps watching its place on the stack after the function has returned.
func (d *Debugger) Watch(ctx context.Context, index int, path, on string) (w Watchpoint, err error) {
	if err := noPath("variable", path); err != nil {
		return w, err
	}
	err = d.inFrame(ctx, index, func(f Frame) error {
		said, err := d.printed(ctx, f.id, "watchpoint set variable "+watchOptions[on]+path)
		if err != nil {
			return err
		}
		made := watchMade.FindStringSubmatch(said)
		if made == nil {
			_, why, _ := strings.Cut(said, "error: ")
			return fault.New(fault.InvalidInput, "lldb cannot watch %.80q: %s", path, brief(strings.TrimSpace(why))).With("field", "variable").
				WithHint("%s lists the variables; %s removes a watchpoint", hint.Do("debug_vars"), hint.Do("debug_unwatch", "watchpoint", "ID"))
		}
		w = Watchpoint{number(made[1]), path, on}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.watches = slices.DeleteFunc(slices.Clone(d.watches), func(one Watchpoint) bool { return one.Variable == path })
		d.watches = append(d.watches, w)
		return nil
	})
	return w, err
}

// Unwatch removes a watchpoint.
func (d *Debugger) Unwatch(ctx context.Context, id int) (w Watchpoint, err error) {
	err = d.inTurn(ctx, func() error {
		all := d.Watchpoints()
		i := slices.IndexFunc(all, func(one Watchpoint) bool { return one.ID == id })
		if i < 0 {
			return fault.New(fault.InvalidInput, "unknown watchpoint %d; this debugger has %d", id, len(all)).With("field", "watchpoint").
				WithHint("%s lists the watchpoints", sessions())
		}
		w = all[i]
		if _, err := d.printed(ctx, 0, "watchpoint delete "+strconv.Itoa(id)); err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.watches = slices.Delete(all, i, i+1)
		return nil
	})
	return w, err
}

// Watchpoints are the watchpoints that Watch has set.
func (d *Debugger) Watchpoints() []Watchpoint {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.watches)
}

// watched adds the variable and its values to the reason of a stop at a watchpoint.
func (d *Debugger) watched(ctx context.Context, reason string) string {
	met := watchStop.FindStringSubmatch(reason)
	if met == nil {
		return reason
	}
	i := slices.IndexFunc(d.Watchpoints(), func(w Watchpoint) bool { return strconv.Itoa(w.ID) == met[1] })
	if i < 0 {
		return reason
	}
	reason += ": " + d.Watchpoints()[i].Variable
	said, err := d.printed(ctx, 0, "watchpoint list --verbose "+met[1])
	was, is := watchWas.FindStringSubmatch(said), watchIs.FindStringSubmatch(said)
	switch {
	case err != nil || is == nil:
		return reason
	case was == nil:
		return fmt.Sprintf("%s is %s", reason, brief(is[1]))
	}
	return fmt.Sprintf("%s was %s and is %s", reason, brief(was[1]), brief(is[1]))
}
