package atspi

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/test/xdesktop"
)

// saved waits until a file holds a text.
func saved(t *testing.T, file, want string) {
	t.Helper()
	var raw []byte
	defer func() {
		if t.Failed() {
			t.Logf("it has %q", raw)
		}
	}()
	xdesktop.Eventually(t, file+" has "+want, func() (is bool) {
		var err error
		raw, err = os.ReadFile(file)
		return err == nil && strings.TrimRight(string(raw), "\n") == want
	})
}

// TestRealMousepadSavesTypedText: keys replace and save a text; the file is the witness.
func TestRealMousepadSavesTypedText(t *testing.T) {
	s := newStage(t)
	file := filepath.Join(s.Dir(), "notes.txt")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := s.open(s.Run("mousepad", "--disable-server", file))
	area := a.textArea()
	a.must(a.Focus(t.Context(), area.Key))
	a.chord("a", desktop.Command)
	a.must(a.Type(t.Context(), "Grüße, 世界\nsecond line"))
	a.chord("s", desktop.Command)
	saved(t, file, "Grüße, 世界\nsecond line")
}

// textArea waits for the one area that shows.
func (p *player) textArea() (found *desktop.Node) {
	p.t.Helper()
	xdesktop.Eventually(p.t, "a text area", func() bool {
		p.look().Walk(func(n *desktop.Node) bool {
			if n.Role == "AXTextArea" && !n.Hidden {
				found = n
			}
			return found == nil
		})
		return found != nil
	})
	return found
}

// TestRealCalculatorComputesByPressAndClick: 7 × 6 in a GTK 4 program, by presses and by clicks at the reported places.
func TestRealCalculatorComputesByPressAndClick(t *testing.T) {
	s := newStage(t)
	a := s.open(s.Run("gnome-calculator"))
	if !strings.HasPrefix(strings.ToLower(a.tree.Toolkit), "gtk 4.") {
		t.Errorf("toolkit %q", a.tree.Toolkit)
	}
	for _, title := range []string{"7", "×", "6", "="} {
		a.press("AXButton", title)
	}
	shows := func(want string) func() bool {
		return func() (found bool) {
			a.look().Walk(func(n *desktop.Node) bool {
				found = found || strings.HasPrefix(n.Role, "AXText") && n.Value != nil && strings.TrimSpace(*n.Value) == want
				return !found
			})
			return found
		}
	}
	xdesktop.Eventually(t, "it shows 42", shows("42"))
	a.chord("c", desktop.Command)
	xdesktop.Eventually(t, "42 is what it copies", func() bool {
		said, err := s.try("xclip", "-selection", "clipboard", "-t", "UTF8_STRING", "-o")
		return err == nil && strings.TrimSpace(said) == "42"
	})
	a.click(a.find("AXButton", "8"))
	xdesktop.Eventually(t, "a click at the place of a button presses it", shows("8"))
}

// TestRealQtAppSavesTypedText: a text is typed and saved in a Qt program; the file is the witness.
func TestRealQtAppSavesTypedText(t *testing.T) {
	s := newStage(t)
	found, err := filepath.Glob("/usr/lib/*/qt5/examples/widgets/mainwindows/application/application")
	if err != nil || len(found) == 0 {
		t.Fatalf("no Qt example: %v", err)
	}
	file := filepath.Join(s.Dir(), "notes.txt")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := s.open(s.Run(found[0], file))
	if !strings.HasPrefix(a.tree.Toolkit, "Qt ") {
		t.Errorf("toolkit %q", a.tree.Toolkit)
	}
	area := a.textArea()
	if area.Value == nil || strings.TrimSpace(*area.Value) != "old" {
		t.Errorf("the area has %v", area.Value)
	}
	a.must(a.Focus(t.Context(), area.Key))
	a.chord("a", desktop.Command)
	a.must(a.Type(t.Context(), "Grüße, 世界"))
	a.chord("s", desktop.Command)
	saved(t, file, "Grüße, 世界")
}

const form = `<!doctype html><title>Order</title><form method=post>
<label>Customer <input name=customer id=cust></label>
<label>Code <input name=code type=password></label>
<label><input name=gift type=checkbox value=yes> Gift</label>
<label>Quantity <input name=quantity type=range min=0 max=10 value=5></label>
<button>Send order</button></form>`

// TestRealChromiumSubmitsForm: a form is filled and sent; the server's request is the witness.
func TestRealChromiumSubmitsForm(t *testing.T) {
	s := newStage(t)
	got := make(chan string, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.ParseForm() == nil {
			got <- r.PostForm.Encode()
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(form)) // the browser may have left
	}))
	defer server.Close()
	p := s.Run("chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
		"--user-data-dir="+filepath.Join(s.Dir(), "profile"),
		"--force-renderer-accessibility", "--test-type", "--disable-extensions", "--password-store=basic", "--window-size=900,700", server.URL)
	a := s.open(p)
	customer := a.find("AXTextField", "Customer")
	if customer.Identifier != "cust" {
		t.Errorf("identifier %q", customer.Identifier)
	}
	a.must(a.Focus(t.Context(), customer.Key))
	a.must(a.Type(t.Context(), "Zoë 世界 Łódź"))
	code := a.find("AXTextField", "Code")
	a.click(code)
	xdesktop.Eventually(t, "the click gives the field the focus", func() bool { return a.find("AXTextField", "Code").Focused })
	a.must(a.Type(t.Context(), "s3cret"))
	if n := a.find("AXTextField", "Code"); n.Subrole != "AXSecureTextField" || n.Value != nil && strings.Contains(*n.Value, "s3cret") {
		t.Errorf("the password is told: %+v", n)
	}
	a.press("AXCheckBox", "Gift")
	a.must(a.SetNumber(t.Context(), a.find("AXSlider", "Quantity").Key, 8))
	a.press("AXButton", "Send order")
	if sent := <-got; sent != "code=s3cret&customer=Zo%C3%AB+%E4%B8%96%E7%95%8C+%C5%81%C3%B3d%C5%BA&gift=yes&quantity=8" {
		t.Errorf("the server got %s", sent)
	}
}

// TestRealThousandActionsLeaveNoObjects: a thousand actions leave no objects behind, here and in the program.
func TestRealThousandActionsLeaveNoObjects(t *testing.T) {
	s := newStage(t)
	p := s.Run(s.App())
	p.Await("ready")
	a := s.open(p)
	key := a.find("AXButton", "Action").Key
	bold := a.find("AXCheckBox", "Bold")
	size := func() (goroutines, files int) {
		open, err := os.ReadDir("/proc/self/fd")
		a.must(err)
		return runtime.NumGoroutine(), len(open)
	}
	some := func(n int) {
		for i := range n {
			a.must(a.Perform(t.Context(), key, desktop.Press))
			if i%10 == 0 {
				a.click(bold)
				a.look()
			}
		}
	}
	some(50)
	goroutines, files := size()
	some(950)
	p.AwaitLine(func(l string) bool { return l == "clicked 1000" })
	xdesktop.Eventually(t, "goroutines and files are as before", func() bool {
		g, f := size()
		return g <= goroutines+5 && f <= files
	})
	if n := len(a.heard.gens); n > 200 {
		t.Errorf("%d elements are remembered", n)
	}
}

// BenchmarkRealTree: the tree of a large window, by the cache with targeted reads, and call by call.
func BenchmarkRealTree(b *testing.B) {
	s := xdesktop.Start(b)
	d := New(Options{Patience: desktopPatience, Getenv: env()})
	more, err := d.Prepare(b.Context(), s.Getenv)
	if err != nil {
		b.Fatal(err)
	}
	s.Env = append(s.Env, more...)
	p := s.Run("gtk3-widget-factory")
	opened, err := d.Open(b.Context(), p.PID)
	if err != nil {
		b.Fatal(err)
	}
	defer opened.Close()
	a := opened.(*App)
	nodes := 0
	one := func(b *testing.B) {
		nodes = 0
		tree, err := a.Look(b.Context(), desktop.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		tree.Walk(func(*desktop.Node) bool { nodes++; return true })
	}
	xdesktop.Eventually(b, "the window", func() bool { one(b); return nodes > 200 })
	b.Run("cache", func(b *testing.B) {
		for b.Loop() {
			one(b)
		}
		b.ReportMetric(float64(nodes), "elements")
	})
	b.Run("calls", func(b *testing.B) {
		for b.Loop() {
			callByCall(b, a)
		}
	})
}

const desktopPatience = 60_000_000_000

// callByCall reads the same tree as a simple client does: one property after the other.
func callByCall(b *testing.B, a *App) (nodes int) {
	ask := func(r ref, method string, args ...any) any {
		answer, err := a.bus.call(b.Context(), r, method, args...)
		if err != nil {
			return nil
		}
		return unwrapped(answer)
	}
	var walk func(r ref)
	walk = func(r ref) {
		nodes++
		ask(r, getProperty, accessible, "Name")
		ask(r, getProperty, accessible, "Description")
		ask(r, accessible+".GetRole")
		ask(r, accessible+".GetState")
		f := facesOf(ask(r, accessible+".GetInterfaces"))
		if f.has(faceComponent) {
			ask(r, component+".GetExtents", uint32(0))
		}
		if f.has(faceAction) {
			ask(r, action+".GetActions")
		}
		if f.has(faceValue) {
			ask(r, getProperty, value, "CurrentValue")
		}
		if f.has(faceText) {
			if n := whole(ask(r, getProperty, text, "CharacterCount")); n > 0 {
				ask(r, text+".GetText", int32(0), int32(n))
			}
		}
		for _, c := range refsOf(ask(r, accessible+".GetChildren")) {
			walk(c)
		}
	}
	for _, p := range a.names {
		walk(p.root)
	}
	return nodes
}
