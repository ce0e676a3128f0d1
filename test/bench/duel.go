package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/tiktoken-go/tokenizer"

	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
)

// duel lets us and XcodeBuildMCP do the same on one Virtual Xcode, each on a simulator of its own. Time is real there: who
// waits for a screen to settle pays for it.
type duel struct {
	*lab
	world  []string // the environment of both
	tools  string   // the folder with Apple's names
	broken string   // a project with one error
	count  func(string) (int, error)
}

// ask is a tool and its arguments.
type ask struct {
	tool string
	args map[string]any
}

// side is how one of them does it.
type side struct {
	name        string
	cmd         host.Cmd
	device      string
	list, build ask
	open        []ask // boots the device and shows the list of the shop
	snapshot    ask
	tap         func(seen answer) (ask, error) // a tap on the first button to add something
}

// answer is what a model gets to read: the text, or the structured content, whichever its client forwards.
type answer struct {
	text, structured string
	fails            bool
	took             time.Duration
}

// bout is one thing done by one side: the median time, and what the answer costs.
type bout struct {
	took             time.Duration
	text, structured int // tokens
}

const (
	ourDevice   = "27D5C08A-B643-4E19-8F72-D1E09A63B5C8"
	theirDevice = "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92"
	shop        = "com.iosagent.shop"
)

// tasks are the rows of the table, in the order they are done.
var tasks = []string{"list simulators", "build with one error", "snapshot of the shop", "tap"}

func openDuel(ctx context.Context, l *lab) (*duel, error) {
	d := &duel{
		lab: l, broken: l.path("broken"), world: []string{home.Variable + "=" + l.path("duel"), "IOS_AGENT_VIRTUAL_TIME=real", "HOME=" + l.dir},
	}
	for _, args := range [][]string{{"virtual", "project", "broken", d.broken}, {"virtual", "path"}} {
		out, err := l.host.Run(ctx, d.ours(args...))
		if err != nil {
			return nil, err
		}
		d.tools = strings.TrimSpace(string(out.Stdout))
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err == nil {
		d.count = codec.Count
	}
	return d, err
}

func (d *duel) ours(args ...string) host.Cmd {
	c := d.command("ios-agent", args...)
	c.Env = append(c.Env, d.world...)
	return c
}

func (d *duel) sides(dir string) []side {
	build := func(device, derived string) map[string]any {
		return map[string]any{
			"projectPath": filepath.Join(d.broken, "Broken.xcodeproj"), "scheme": "Broken", "simulatorId": device,
			"derivedDataPath": d.path(derived),
		}
	}
	on := func(more map[string]any) map[string]any {
		args := map[string]any{"udid": ourDevice}
		maps.Copy(args, more)
		return args
	}
	script := filepath.Join(dir, "node_modules/xcodebuildmcp/build/cli.js")
	theirs := host.Cmd{Name: "node", Args: []string{script, "mcp"}, Dir: d.dir, Env: append([]string{
		d.mark, "PATH=" + d.tools + string(os.PathListSeparator) + os.Getenv("PATH"), "XCODEBUILDMCP_AXE_PATH=" + filepath.Join(d.tools, "axe"),
		"XCODEBUILDMCP_SENTRY_DISABLED=true", "XCODEBUILDMCP_ENABLED_WORKFLOWS=simulator,ui-automation,simulator-management,project-discovery",
	}, d.world...)}
	none := map[string]any{}
	return []side{{
		name: "ios-agent", cmd: d.ours("mcp"), device: ourDevice,
		list:  ask{"list_devices", none},
		build: ask{"call_tool", map[string]any{"name": "build_sim", "arguments": build(ourDevice, "ours-derived")}},
		open: []ask{
			{"call_tool", map[string]any{"name": "boot_device", "arguments": on(nil)}},
			{"launch_app", on(map[string]any{"bundle_id": shop})},
			{"tap_element", on(map[string]any{"identifier": "guest-button"})},
		},
		snapshot: ask{"snapshot", on(nil)},
		tap: func(answer) (ask, error) {
			return ask{"tap_element", on(map[string]any{"identifier": "add-coffee"})}, nil
		},
	}, {
		name: "xcodebuildmcp 2.7.0", cmd: theirs, device: theirDevice,
		list:  ask{"list_sims", none},
		build: ask{"build_sim", none},
		open: []ask{
			{"boot_sim", none}, {"session_set_defaults", map[string]any{"bundleId": shop}}, {"launch_app_sim", none},
		},
		snapshot: ask{"snapshot_ui", none},
		tap:      func(seen answer) (ask, error) { return tapRow(seen, "add-coffee") },
	}}
}

// tapRow taps what XcodeBuildMCP lists as ref|action|role|label|value|id.
func tapRow(seen answer, id string) (ask, error) {
	for line := range strings.Lines(seen.text) {
		if row := strings.Split(strings.TrimSpace(line), "|"); len(row) == 6 && row[5] == id {
			return ask{"tap", map[string]any{"elementRef": row[0]}}, nil
		}
	}
	return ask{}, fmt.Errorf("no %s in\n%s", id, seen.text)
}

// fight does everything on both sides and prints it side by side.
func (d *duel) fight(ctx context.Context, dir string, out io.Writer) error {
	sides := d.sides(dir)
	did := make([]map[string]bout, len(sides))
	noticed := make([]bool, len(sides))
	for i, s := range sides {
		var err error
		if did[i], noticed[i], err = d.do(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\n\t")
	for _, s := range sides {
		fmt.Fprintf(table, "%s ms\ttokens as text\tas JSON\t", s.name)
	}
	for _, task := range tasks {
		fmt.Fprintf(table, "\n%s\t", task)
		for _, by := range did {
			b := by[task]
			fmt.Fprintf(table, "%.0f\t%d\t%d\t", inMillis(b.took), b.text, b.structured)
		}
	}
	fmt.Fprint(table, "\na tap that did nothing\t")
	for _, n := range noticed {
		said := "called a success"
		if n {
			said = "noticed"
		}
		fmt.Fprintf(table, "%s\t\t\t", said)
	}
	fmt.Fprintln(table)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nwhat Virtual Xcode lets both pay: %s\n", virtualxcode.Costs())
	return err
}

// do is one side's turn.
func (d *duel) do(ctx context.Context, s side) (did map[string]bout, noticed bool, err error) {
	server, err := d.serve(ctx, s.cmd)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if err := server.initialize(ctx); err != nil {
		return nil, false, err
	}
	if err := d.prepare(ctx, s, server); err != nil {
		return nil, false, err
	}
	did = map[string]bout{}
	steady := func(a ask) func() (ask, error) { return func() (ask, error) { return a, nil } }
	tapping := func() (ask, error) {
		seen, err := server.want(ctx, s.snapshot, false)
		if err != nil {
			return ask{}, err
		}
		return s.tap(seen)
	}
	var worked answer
	for i, next := range []func() (ask, error){steady(s.list), steady(s.build), steady(s.snapshot), tapping} {
		did[tasks[i]], worked, err = d.repeat(ctx, server, next, i == 1)
		if err != nil {
			return did, false, fmt.Errorf("%s: %w", tasks[i], err)
		}
	}
	tap, err := tapping()
	if err == nil {
		_, err = d.host.Run(ctx, d.ours("virtual", "fault", "add", "no-op-tap", "--device", s.device))
	}
	if err != nil {
		return did, false, err
	}
	swallowed, err := server.answer(ctx, tap)
	return did, swallowed.fails || wording(swallowed.text) != wording(worked.text), err
}

// prepare brings the shop's list up, and tells a side that wants it so what is built where.
func (d *duel) prepare(ctx context.Context, s side, server *server) error {
	open := s.open
	if s.device == theirDevice {
		open = append([]ask{{"session_set_defaults", map[string]any{
			"projectPath": filepath.Join(d.broken, "Broken.xcodeproj"), "scheme": "Broken", "simulatorId": s.device,
			"derivedDataPath": d.path("their-derived"),
		}}}, open...)
	}
	for _, a := range open {
		if _, err := server.want(ctx, a, false); err != nil {
			return err
		}
	}
	if s.device != theirDevice {
		return nil
	}
	seen, err := server.want(ctx, s.snapshot, false)
	if err != nil {
		return err
	}
	guest, err := tapRow(seen, "guest-button")
	if err == nil {
		_, err = server.want(ctx, guest, false)
	}
	return err
}

// bouts is how often a thing is done for its median; once more before, which is not counted.
const bouts = 7

func (d *duel) repeat(ctx context.Context, s *server, next func() (ask, error), fails bool) (b bout, last answer, err error) {
	got, err := alternate(bouts+1, func() (time.Duration, error) {
		a, err := next()
		if err == nil {
			last, err = s.want(ctx, a, fails)
		}
		return last.took, err
	})
	if err != nil {
		return b, last, err
	}
	b.took = median(got[0][1:])
	var errs [2]error
	b.text, errs[0] = d.count(last.text)
	b.structured, errs[1] = d.count(last.structured)
	return b, last, errors.Join(errs[:]...)
}

// want is answer for a caller that knows whether the call should fail.
func (s *server) want(ctx context.Context, a ask, fails bool) (answer, error) {
	got, err := s.answer(ctx, a)
	if err == nil && got.fails != fails {
		err = fmt.Errorf("%s: failing is %t: %s", a.tool, got.fails, got.text)
	}
	return got, err
}

// answer calls a tool.
func (s *server) answer(ctx context.Context, a ask) (answer, error) {
	began := time.Now()
	raw, _, err := s.ask(ctx, "tools/call", map[string]any{"name": a.tool, "arguments": a.args})
	got := answer{took: time.Since(began)}
	if err != nil {
		return got, err
	}
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	err = json.Unmarshal(raw, &result)
	for _, part := range result.Content {
		got.text += part.Text
	}
	got.structured, got.fails = string(result.StructuredContent), result.IsError
	return got, err
}

// wording is a text without its numbers: what it says, not of what.
func wording(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}
