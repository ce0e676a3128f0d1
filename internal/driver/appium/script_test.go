package appium

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ios-agent/internal/ui"
)

// dom is a page as small as the script needs one, in JavaScript.
const dom = `
const box = (x, y, w, h) => ({left: x, top: y, width: w, height: h});
const make = (tag, attributes, b, ...children) => {
  const el = Object.assign({nodeType: 1, tagName: tag.toUpperCase(), childNodes: [], shadowRoot: null, id: attributes.id || '', style: {},
    isContentEditable: false, getBoundingClientRect: () => b}, attributes.is || {});
  el.getAttribute = (n) => n in attributes ? attributes[n] : null;
  el.hasAttribute = (n) => n in attributes;
  el.ownerDocument = document;
  for (const c of children) {
    const child = typeof c === 'string' ? {nodeType: 3, data: c, box: b, ownerDocument: document} : c;
    child.parentElement = el;
    el.childNodes.push(child);
  }
  Object.defineProperty(el, 'textContent', {get: () => el.childNodes.map((c) => c.data || c.textContent).join('')});
  return el;
};
globalThis.document = {title: 'A page', getElementById: (id) => id === 'named' ? {textContent: 'By another'} : null,
  createRange: () => { let of; return {selectNodeContents: (n) => { of = n; }, getBoundingClientRect: () => of.box}; }};
globalThis.location = {href: 'https://example.com/'};
globalThis.window = {innerWidth: 390, innerHeight: 600, visualViewport: {offsetLeft: 0, offsetTop: 5, width: 390, height: 600}};
globalThis.getComputedStyle = (el) => ({visibility: 'visible', display: el.style.display || 'block', opacity: '1'});
const focus = make('input', {id: 'name', placeholder: 'Your name', is: {type: 'text', value: 'Ada'}}, box(0, 40, 200, 30));
document.activeElement = focus;
document.body = make('body', {}, box(0, 0, 390, 600),
  make('h1', {}, box(0, 0, 390, 30), '  Hello\n  there '),
  make('p', {}, box(0, 0, 0, 0), 'nobody sees this'),
  make('div', {is: {style: {display: 'none'}}}, box(0, 0, 9, 9), 'nor this'),
  make('script', {}, box(0, 0, 9, 9), 'let x'),
  focus,
  make('input', {'aria-label': 'Password', is: {type: 'password', value: 'secret'}}, box(0, 80, 200, 30)),
  make('input', {'aria-labelledby': 'named', is: {type: 'checkbox', checked: true}}, box(0, 120, 20, 20)),
  make('input', {is: {type: 'hidden', value: 'token'}}, box(0, 0, 9, 9)),
  make('button', {is: {disabled: true}}, box(0, 150, 100, 30), make('b', {}, box(0, 150, 10, 10), 'Send')),
  make('a', {href: '/x'}, box(0, 190, 100, 20), 'More'),
  make('div', {role: 'button', title: 'Menu'}, box(0, 220, 40, 40)));
`

// TestPageScriptReportsVisibleElements runs the script on a small page with node: it reports visible and touchable elements, without
// passwords and hidden text.
func TestPageScriptReportsVisibleElements(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no node:", err)
		}
		t.Skip("there is no node: the script runs in browsers only")
	}
	run := dom + "const run = function () {" + walk + "};\nconsole.log(JSON.stringify(run(100, 40)));"
	cmd := exec.CommandContext(t.Context(), node, "-")
	cmd.Stdin = strings.NewReader(run)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got page
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var lines []string
	for _, e := range got.Elements {
		line := e.Type + "|" + e.Label + "|" + e.Identifier + "|" + e.Value + "|" + e.Placeholder
		if e.Disabled {
			line += "|disabled"
		}
		if e.Focused {
			line += "|focused"
		}
		lines = append(lines, line)
	}
	want := []string{
		"StaticText|Hello there|||", "TextField||name|Ada|Your name|focused", "SecureTextField|Password|||", "Switch|By another||1|",
		"Button|Send||||disabled", "Link|More|||", "Button|Menu|||",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if strings.Contains(string(out), "secret") || strings.Contains(string(out), "token") {
		t.Errorf("the script tells what it must not:\n%s", out)
	}
	if got.Top != 5 || got.Width != 390 || got.Title != "A page" {
		t.Errorf("%+v", got)
	}
}

// TestPageElementsStayInsideWebView: the elements of a page stay inside its view and have the types that pages may have.
func TestPageElementsStayInsideWebView(t *testing.T) {
	frame := ui.Rect{X: 0, Y: 100, W: 400, H: 300}
	g := page{Width: 400, Height: 300, Elements: []webElement{
		{Type: "Button", Label: "Inside", X: 10, Y: 10, W: 80, H: 40},
		{Type: "Button", Label: "Over the tab bar", X: 10, Y: 600, W: 80, H: 40},
		{Type: "Alert", Label: "The system asks", X: 10, Y: 10, W: 80, H: 40},
		{Type: "Application", Label: "Another app", X: 10, Y: 10, W: 80, H: 40},
	}}
	nodes := g.nodes(frame)
	if len(nodes) != 2 || nodes[0].Hidden || !nodes[1].Hidden || nodes[0].Frame != (ui.Rect{X: 10, Y: 110, W: 80, H: 40}) {
		for _, n := range nodes {
			t.Errorf("%+v", n)
		}
	}
	for range mostWeb {
		g.Elements = append(g.Elements, webElement{Type: "StaticText", Label: "x", W: 1, H: 1})
	}
	if n := len(g.nodes(frame)); n > mostWeb {
		t.Errorf("%d elements", n)
	}
}
