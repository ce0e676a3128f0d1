package axe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// node is an element as AXe prints it; the order of the fields is the order of the keys.
type node struct {
	AXFrame         string   `json:"AXFrame"`
	AXUniqueID      *string  `json:"AXUniqueId"`
	Frame           frame    `json:"frame"`
	RoleDescription string   `json:"role_description"`
	AXLabel         *string  `json:"AXLabel"`
	ContentRequired bool     `json:"content_required"`
	Type            string   `json:"type"`
	Title           *string  `json:"title"`
	Help            *string  `json:"help"`
	CustomActions   []string `json:"custom_actions"`
	AXValue         *string  `json:"AXValue"`
	Enabled         bool     `json:"enabled"`
	Role            string   `json:"role"`
	Children        []node   `json:"children"`
	Subrole         *string  `json:"subrole"`
	PID             int      `json:"pid"`
}

type frame struct {
	Y      float64 `json:"y"`
	X      float64 `json:"x"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// kind is what CoreSimulator's accessibility calls an element type.
type kind struct{ name, role, description, subrole string }

// kinds are the types that CoreSimulator exposes as elements of their own; containers are not among them.
var kinds = map[string]kind{
	"Button":            {"Button", "AXButton", "button", ""},
	"StaticText":        {"StaticText", "AXStaticText", "text", ""},
	"TextField":         {"TextField", "AXTextField", "text field", ""},
	"SecureTextField":   {"TextField", "AXTextField", "secure text field", "AXSecureTextField"},
	"SearchField":       {"TextField", "AXTextField", "search text field", "AXSearchField"},
	"TextView":          {"TextArea", "AXTextArea", "text entry area", ""},
	"Switch":            {"CheckBox", "AXCheckBox", "switch", "AXSwitch"},
	"Slider":            {"Slider", "AXSlider", "slider", ""},
	"Image":             {"Image", "AXImage", "image", ""},
	"Link":              {"Link", "AXLink", "link", ""},
	"Icon":              {"Button", "AXButton", "button", ""},
	"ActivityIndicator": {"ProgressIndicator", "AXBusyIndicator", "busy indicator", ""},
	"ProgressIndicator": {"ProgressIndicator", "AXProgressIndicator", "progress indicator", ""},
	"PickerWheel":       {"Slider", "AXSlider", "adjustable", ""},
	"Key":               {"Button", "AXButton", "keyboard key", "AXKeyboardKey"},
	// A tab bar is one group: what is in it cannot be seen. Reports of this gap go back to 2022.
	"TabBar": {"Group", "AXGroup", "tab bar", ""},
}

func describe(c call) error {
	root, err := c.look()
	if err != nil {
		return err
	}
	pid := 0
	app := newNode(root, kind{"Application", "AXApplication", "application", ""}, pid)
	app.Children = flatten(root, pid)
	if at := c.args.options["--point"]; at != "" {
		return describePoint(c, app, at)
	}
	return printJSON(c, []node{app})
}

// describePoint prints the element at a point, or null.
func describePoint(c call, app node, at string) error {
	x, y, ok := strings.Cut(at, ",")
	px, errX := strconv.ParseFloat(x, 64)
	py, errY := strconv.ParseFloat(y, 64)
	if !ok || errX != nil || errY != nil {
		return fmt.Errorf("the point '%s' is not x,y", at)
	}
	var hit any
	for _, n := range app.Children {
		if (world.Rect{X: n.Frame.X, Y: n.Frame.Y, W: n.Frame.Width, H: n.Frame.Height}).Contains(world.Point{X: px, Y: py}) {
			hit = n
		}
	}
	return printJSON(c, hit)
}

// look is the tree of the app in front.
func (c call) look() (*world.Element, error) {
	root, _, err := c.world.Snapshot(c.ctx, c.args.options["--udid"], "")
	if err == nil && root == nil {
		err = fmt.Errorf("no application is in front")
	}
	return root, err
}

// flatten lists the elements that CoreSimulator exposes; a group hides what is in it.
func flatten(e *world.Element, pid int) []node {
	nodes := []node{}
	for _, child := range e.Children {
		k, exposed := kinds[child.Type]
		if exposed {
			nodes = append(nodes, newNode(child, k, pid))
		}
		if child.Type != "TabBar" && child.Type != "Button" {
			nodes = append(nodes, flatten(child, pid)...)
		}
	}
	return nodes
}

func newNode(e *world.Element, k kind, pid int) node {
	f := e.Frame
	return node{
		AXFrame:    fmt.Sprintf("{{%v, %v}, {%v, %v}}", f.X, f.Y, f.W, f.H),
		AXUniqueID: text(e.Identifier), Frame: frame{f.Y, f.X, f.W, f.H}, RoleDescription: k.description,
		AXLabel: text(e.Label), Type: k.name, CustomActions: []string{}, AXValue: value(e), Enabled: !e.Disabled,
		Role: k.role, Children: []node{}, Subrole: text(k.subrole), PID: pid,
	}
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// value is what the element holds; an empty field shows its placeholder there.
func value(e *world.Element) *string {
	if e.Value == "" {
		return text(e.Placeholder)
	}
	return text(e.Value)
}

var keyColon = regexp.MustCompile(`(?m)^(\s*"[A-Za-z_]+"):`)

// printJSON writes as Apple's encoder does: a space before the colon, slashes escaped.
func printJSON(c call, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	out := keyColon.ReplaceAll(b.Bytes(), []byte("$1 :"))
	_, err := c.stdout.Write(bytes.ReplaceAll(out, []byte("/"), []byte(`\/`)))
	return err
}
