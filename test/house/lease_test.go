package house_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// The two sessions: one has the devices, the other tries to drive them.
const (
	holder   = "holder"
	intruder = "intruder"
)

// free are the operations that name a device and need no lease of it, each with its reason.
var free = map[string]string{
	"resolve_device":       "it finds a device and says who has it",
	"claim_device":         "it is how a lease is got: it answers for itself (pool's own tests)",
	"release_device":       "it is about the lease, not about the device: NOT_HOLDER (pool's own tests)",
	"renew_device":         "it is about the lease, not about the device: NOT_HOLDER (pool's own tests)",
	"take_over_device":     "taking it from its holder is what it is for; it wants a reason and is logged",
	"session_set_defaults": "it remembers a name for later calls, which are refused then",
	"export_logs":          "it is told whose lines are meant, and does not touch the device",
	"export_flows":         "it is told whose requests are meant, and does not touch the device",
	"build_sim":            "it compiles for a device and does not touch it",
	"build_device":         "it compiles for a device and does not touch it",
}

// TestSessionCannotDriveDeviceOfOtherSession calls each operation that is not read-only on a device another session holds, on every
// surface. It wants DEVICE_CLAIMED and a world that is as it was. The operations and their inputs come from the catalogue:
// one that is added tomorrow is covered tomorrow.
func TestSessionCannotDriveDeviceOfOtherSession(t *testing.T) {
	t.Parallel()
	shared := newHeld(t)
	for _, o := range shared.Product.Catalogue.Ops() {
		field := deviceField(o)
		if field == "" || o.Hints.Has(op.ReadOnly) || free[o.Name] != "" {
			continue
		}
		wrong := shared.trespass(o, field)
		for _, one := range wrong {
			t.Error(one)
		}
		if len(wrong) > 0 {
			shared = newHeld(t) // the others are not to pay for this one
		}
	}
}

// TestLeaseExceptionsAreInCatalogue keeps names out of the table that the catalogue does not have.
func TestLeaseExceptionsAreInCatalogue(t *testing.T) {
	t.Parallel()
	catalogue := product.Catalogue()
	for name := range free {
		if _, err := catalogue.Lookup(name); err != nil {
			t.Errorf("%s is an exception of the lease test and not in the catalogue", name)
		}
	}
}

// deviceField is the input by which an operation is told its device; empty when it has none.
func deviceField(o op.Op) string {
	for _, f := range o.Fields() {
		if slices.Contains([]string{"udid", "simulatorId", "deviceId"}, f.Name) {
			return f.Name
		}
	}
	return ""
}

// held is a house in which a session holds a simulator with an app in front, and a physical device.
type held struct {
	*house.House
	t     *testing.T
	files house.Files
	udid  string
	state string
}

func newHeld(t *testing.T, options ...house.Options) *held {
	t.Helper()
	h := &held{House: house.New(t, options...), t: t}
	h.files, h.udid = h.Files(), h.Boot(holder, drivertest.Conformance)
	h.Must(holder, "snapshot", nil)
	h.Must(holder, "claim_device", map[string]any{"udid": h.udid})
	h.Must(holder, "claim_device", map[string]any{"udid": house.Physical})
	h.state = h.State()
	return h
}

func (h *held) changed() bool { return h.State() != h.state }

// trespass calls an operation as a session that does not hold the device, and tells what is wrong with the answers.
func (h *held) trespass(o op.Op, field string) (wrong []string) {
	id := h.Product.Catalogue.ID(o)
	input := h.files.Example(o, id)
	input[field] = h.udid
	if field == "deviceId" {
		input[field] = house.Physical
	}
	for _, s := range surfaces {
		code, ok := s.call(h.House, o, input)
		if !ok {
			continue
		}
		if code != string(fault.DeviceClaimed) {
			wrong = append(wrong, fmt.Sprintf("%s by %s with %v: %q, not %s", id, s.name, input, code, fault.DeviceClaimed))
		}
		if h.changed() {
			return append(wrong, fmt.Sprintf("%s by %s with %v changed the world", id, s.name, input))
		}
	}
	return wrong
}

// surfaces are the ways to call an operation; ok is false where an operation is not on a surface. No code is success.
var surfaces = []struct {
	name string
	call func(h *house.House, o op.Op, input map[string]any) (code string, ok bool)
}{
	{"call", func(h *house.House, o op.Op, input map[string]any) (string, bool) {
		e := h.Call(intruder, h.Product.Catalogue.ID(o), input)
		if e.Error == nil {
			return "", true
		}
		return string(e.Error.Code), true
	}},
	{"the command line", byCLI},
	{"REST", byREST},
	{"MCP", byMCP},
}

// byCLI uses the operation's own verb and flags, or call where it has none.
func byCLI(h *house.House, o op.Op, input map[string]any) (string, bool) {
	raw, _ := json.Marshal(input)
	args := []string{"call", h.Product.Catalogue.ID(o), string(raw)}
	if o.Verb != "" {
		args = append(strings.Fields(o.Verb), flags(o, input)...)
	}
	ran := h.CLI(intruder, append(args, "--json")...)
	return codeIn([]byte(ran.Stdout)), true
}

func flags(o op.Op, input map[string]any) (args []string) {
	for _, f := range o.Fields() {
		v, given := input[f.Name]
		switch list := v.(type) {
		case []string:
			for _, item := range list {
				args = append(args, "--"+f.Flag()+"="+item)
			}
		case []map[string]any: // each as JSON
			for _, item := range list {
				raw, _ := json.Marshal(item)
				args = append(args, "--"+f.Flag()+"="+string(raw))
			}
		case []int:
			for _, item := range list {
				args = append(args, fmt.Sprintf("--%s=%d", f.Flag(), item))
			}
		default:
			if given && v != nil {
				args = append(args, fmt.Sprintf("--%s=%v", f.Flag(), v))
			}
		}
	}
	return args
}

func byREST(h *house.House, o op.Op, input map[string]any) (string, bool) {
	if o.Route == "" {
		return "", false
	}
	path := o.Path()
	body := map[string]any{}
	for name, v := range input {
		if mark := "{" + name + "}"; strings.Contains(path, mark) {
			path = strings.ReplaceAll(path, mark, fmt.Sprint(v))
		} else {
			body[name] = v
		}
	}
	send := any(body)
	if o.Method() == http.MethodGet || o.Method() == http.MethodDelete { // they have no body
		query := url.Values{}
		for name, v := range body {
			query.Set(name, fmt.Sprint(v))
		}
		path, send = path+"?"+query.Encode(), nil
	}
	return codeOf(h.REST(intruder, o.Method(), path, send)), true
}

func codeOf(w *httptest.ResponseRecorder) string {
	code := codeIn(w.Body.Bytes())
	if (code == "") != (w.Code == http.StatusOK) {
		return fmt.Sprintf("HTTP %d with code %q", w.Code, code)
	}
	return code
}

func byMCP(h *house.House, o op.Op, input map[string]any) (string, bool) {
	name := toolName(h, o)
	if name == "" {
		return "", false
	}
	r, err := h.Tool(intruder, name, input)
	if err != nil {
		return err.Error(), true
	}
	raw, _ := json.Marshal(r.StructuredContent)
	return codeIn(raw), true
}

// toolName is what an operation is called among all tools; empty when it is none.
func toolName(h *house.House, o op.Op) string {
	tools, err := mcp.Select(h.Product.Catalogue.Ops(), mcp.All)
	if err != nil {
		return ""
	}
	for _, tool := range tools {
		if tool.Op.Family == o.Family && tool.Op.Name == o.Name {
			return tool.Name
		}
	}
	return ""
}

// codeIn is the code of the fault in an answer; empty when there is none.
func codeIn(answer []byte) string {
	var body struct{ Error struct{ Code string } }
	if err := json.Unmarshal(answer, &body); err != nil {
		return fmt.Sprintf("no JSON: %v: %.200s", err, answer)
	}
	return body.Error.Code
}
