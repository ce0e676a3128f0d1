package script

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a scripted agent: it speaks MCP and has a session of its own.
type agent struct {
	tools *mcp.ClientSession
	name  string
}

// client starts an MCP server process for agents of this rig.
func (r *rig) client() *mcp.ClientSession {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "ios-agent"), "mcp", "--tools", "all", "--structured")
	cmd.Env = r.env
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(r.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { session.Close() })
	return session
}

// call uses a tool; a refusal of the tool is an error with its text.
func (a agent) call(ctx context.Context, tool string, args map[string]any) (string, map[string]any, error) {
	given := map[string]any{"session": a.name}
	maps.Copy(given, args)
	got, err := a.tools.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: given})
	if err != nil {
		return "", nil, fmt.Errorf("%s: %s: %w", a.name, tool, err)
	}
	var text strings.Builder
	for _, c := range got.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if got.IsError {
		return text.String(), nil, fmt.Errorf("%s: %s: %s", a.name, tool, text.String())
	}
	raw, err := json.Marshal(got.StructuredContent)
	if err != nil {
		return text.String(), nil, err
	}
	var body map[string]any
	return text.String(), body, json.Unmarshal(raw, &body)
}

// shop is what every agent does: get a phone, log in with its own name, see that name on the screen, give the phone back.
// Every answer must come from that one phone, and no other agent's name may be seen.
func (a agent) shop(ctx context.Context) error {
	udid := ""
	for udid == "" {
		text, got, err := a.call(ctx, "resolve_device", map[string]any{"device_family": "iPhone", "wait_if_busy": true, "wait_timeout": 120,
			"session_id": a.name})
		switch {
		case err == nil:
			udid = got["udid"].(string)
		case !strings.Contains(text, "WAIT_TIMEOUT"):
			return err
		}
	}
	email := a.name + "@example.com"
	for _, step := range []struct {
		tool string
		args map[string]any
	}{
		{"launch_app", map[string]any{"bundle_id": "com.iosagent.shop", "restart": true}},
		{"type_text", map[string]any{"identifier": "email-field", "text": email}},
		{"snapshot", nil},
		{"type_text", map[string]any{"identifier": "password-field", "text": "secret"}},
		{"tap_element", map[string]any{"identifier": "login-button", "expect_change": true}},
	} {
		text, got, err := a.call(ctx, step.tool, step.args)
		if err != nil {
			return err
		}
		meta := got["meta"].(map[string]any)
		if where := meta["device"].(map[string]any)["udid"]; where != udid || meta["session"] != a.name {
			return fmt.Errorf("%s: %s happened on %v for %v", a.name, step.tool, where, meta["session"])
		}
		if step.tool == "snapshot" && (!strings.Contains(text, email) || strings.Count(text, "@example.com") != 1) {
			return fmt.Errorf("%s sees another's screen:\n%s", a.name, text)
		}
	}
	_, _, err := a.call(ctx, "release_device", map[string]any{"udid": udid})
	return err
}

// together runs shop for several agents at the same time.
func together(t *testing.T, agents []agent) {
	t.Helper()
	var all sync.WaitGroup
	for _, a := range agents {
		all.Go(func() {
			if err := a.shop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// phones boots so many phones and leaves them free.
func (r *rig) phones(n int) {
	r.t.Helper()
	path, _ := r.run("virtual", "path")
	for i := range n {
		xcrun := filepath.Join(strings.TrimSpace(string(path)), "xcrun")
		cmd := exec.Command(xcrun, "simctl", "create", fmt.Sprint("iPhone spare ", i), "iPhone 16")
		cmd.Env = r.env
		if out, err := cmd.CombinedOutput(); err != nil {
			r.t.Fatalf("%v %s", err, out)
		}
	}
	out, code := r.run("pool", "ensure", fmt.Sprint(n), "--name", "iPhone spare", "--session", "setup", "--json")
	var got struct {
		Result struct{ Devices []struct{ UDID string } }
	}
	if err := json.Unmarshal(out, &got); err != nil || code != 0 || len(got.Result.Devices) != n {
		r.t.Fatalf("%v %s", err, out)
	}
	for _, d := range got.Result.Devices {
		if out, code := r.run("pool", "release", "--udid", d.UDID, "--session", "setup"); code != 0 {
			r.t.Fatalf("%s", out)
		}
	}
}

// TestTwoAgentsRunSameJourneyAtOnce run the same journey at once, each with a server process of its own, on two phones.
func TestTwoAgentsRunSameJourneyAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.phones(2)
	together(t, []agent{{r.client(), "ada"}, {r.client(), "bob"}})
}

// TestAHundredAgentsShareTenPhones: they wait for each other, and all of them finish.
func TestAHundredAgentsShareTenPhones(t *testing.T) {
	t.Parallel()
	agents, phones := 100, 10
	if testing.Short() {
		agents, phones = 20, 4
	}
	r := newRig(t)
	r.phones(phones)
	var all []agent
	for range 10 {
		client := r.client()
		for range agents / 10 {
			all = append(all, agent{client, fmt.Sprint("agent", len(all))})
		}
	}
	together(t, all)
	if out, _ := r.run("pool", "list", "--claimed", "claimed"); !strings.HasPrefix(string(out), "0 devices") {
		t.Errorf("somebody still has one:\n%s", out)
	}
}
