package crashes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/telemetry"
)

// Query selects reports. The zero value of a field selects all.
type Query struct {
	App    string // bundle id or process name, in any case
	Device string // udid
	Since  time.Time
	All    bool // all kinds of reports
}

func (q Query) fits(c Crash) bool {
	return (q.App == "" || strings.EqualFold(q.App, c.Bundle) || strings.EqualFold(q.App, c.Process)) &&
		(q.Device == "" || strings.EqualFold(q.Device, c.UDID)) && !c.Time.Before(q.Since)
}

// Group is a set of reports with the same cause.
type Group struct {
	Group   string    `json:"group"`
	Kind    string    `json:"kind"`
	Title   string    `json:"title"` // process, end and place
	Process string    `json:"process"`
	Bundle  string    `json:"bundle_id,omitempty"`
	Count   int       `json:"count"`
	First   time.Time `json:"first_seen"`
	Last    time.Time `json:"last_seen"`
	Newest  string    `json:"crash_id"` // id of its newest report
	UDID    string    `json:"udid,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

// mostKept is the maximum number of reports in a search.
const mostKept = 1000

// Find gives the matching reports, the newest first, and the number of matching reports of other kinds. It looks into the folders
// first.
func (w *Watcher) Find(ctx context.Context, q Query) (found []Crash, others map[string]int, err error) {
	if err := w.Look(ctx); err != nil {
		return nil, nil, err
	}
	docs, _, err := w.o.Store.Documents(ctx, telemetry.DocumentQuery{Kind: Kind, Limit: mostKept})
	if err != nil {
		return nil, nil, err
	}
	others = map[string]int{}
	for _, d := range docs {
		c, err := Read(d)
		if err != nil || !q.fits(c) {
			continue
		}
		if c.Kind != string(crash.Crash) && !q.All {
			others[c.Kind]++
			continue
		}
		found = append(found, c)
	}
	slices.SortStableFunc(found, func(a, b Crash) int { return b.Time.Compare(a.Time) })
	return found, others, nil
}

// Groups groups reports by cause, the newest first. Its input has the same order.
func Groups(all []Crash) []Group {
	out, at := []Group{}, map[string]int{}
	for _, c := range all {
		i, is := at[c.Group]
		if !is {
			i, at[c.Group] = len(out), len(out)
			out = append(out, Group{Group: c.Group, Kind: c.Kind, Title: c.title(), Process: c.Process, Bundle: c.Bundle, Last: c.Time,
				Newest: c.ID, UDID: c.UDID, Reason: c.Reason})
		}
		g := &out[i]
		g.Count++
		g.First = c.Time
		if g.UDID != c.UDID {
			g.UDID = ""
		}
	}
	return out
}

func (c Crash) title() string {
	title := c.Process + " " + c.Ended()
	if len(c.Frames) > 0 {
		title += " in " + c.Frames[0].String()
	}
	return title
}

// Latest is the id of the newest crash.
const Latest = "latest"

// Get gives one report by its id, a prefix of it, or the id of its group; the newest match. The query limits the meaning of latest.
func (w *Watcher) Get(ctx context.Context, id string, q Query) (Crash, error) {
	q.All = q.All || id != Latest
	all, _, err := w.Find(ctx, q)
	if err != nil {
		return Crash{}, err
	}
	if id == Latest && len(all) == 0 {
		return Crash{}, &NotFoundError{ID: id}
	}
	if id == Latest {
		return all[0], nil
	}
	fits := []func(Crash) bool{
		func(c Crash) bool { return c.ID == id },
		func(c Crash) bool { return c.Group == id },
		func(c Crash) bool { return len(id) >= leastPrefix && strings.HasPrefix(c.ID, id) },
	}
	for _, f := range fits {
		if i := slices.IndexFunc(all, f); i >= 0 {
			return all[i], nil
		}
	}
	return Crash{}, &NotFoundError{ID: id, Known: len(all)}
}

const leastPrefix = 4

// NotFoundError says that no report has an id.
type NotFoundError struct {
	ID    string
	Known int // number of all reports
}

func (e *NotFoundError) Error() string {
	if e.ID == Latest {
		return "no crash report found"
	}
	return fmt.Sprintf("unknown crash report %.40q", e.ID)
}

// Fault names the call that lists the reports.
func (e *NotFoundError) Fault() *fault.Fault {
	f := fault.New(fault.CrashNotFound, "%s", e.Error())
	if e.ID == Latest {
		return f.WithHint("%s lists hangs and out-of-memory reports too", hint.Do("list_crashes", "all", true))
	}
	return f.WithHint("%s lists the crash reports", hint.Do("list_crashes"))
}

// Others is the number of reports of other kinds in words: "2 hangs, 1 jetsam".
func Others(count map[string]int) string {
	var words []string
	for kind, n := range count {
		words = append(words, fmt.Sprintf("%d %s", n, kind))
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(a, b) })
	return strings.Join(words, ", ")
}
