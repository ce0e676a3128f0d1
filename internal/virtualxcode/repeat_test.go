package virtualxcode_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/agent"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/soak"
)

// stageOf is where a conversation takes place: a world in this process, or behind the service.
type stageOf interface {
	simctl(args ...string) (stdout, stderr string, exit int)
	chaos(seed uint64, rate float64)
	hire(udid string) (client *agentwire.Client, dismiss func()) // starts an agent
}

// conversation sends the same requests to every stage and returns all answers. An error is an answer too.
func conversation(t *testing.T, s stageOf, seed uint64, rate float64) string {
	t.Helper()
	var script strings.Builder
	run := func(args ...string) string {
		out, errout, exit := s.simctl(args...)
		shown := out
		if len(out) > 2000 {
			shown = fmt.Sprintf("%d bytes, %x", len(out), sha256.Sum256([]byte(out)))
		}
		fmt.Fprintf(&script, "$ simctl %s\nexit %d\n%s\n%s\n", strings.Join(args, " "), exit, shown, errout)
		return out
	}
	s.chaos(seed, rate)
	run("list", "-j", "devices")
	var udid string
	for range 5 { // chaos may refuse some of it
		if udid == "" {
			udid = strings.TrimSpace(run("create", "Mine", "iPhone 15"))
		}
	}
	for range 3 {
		run("boot", udid)
		run("install", udid, "Shop.app")
		run("launch", "--terminate-running-process", udid, "com.iosagent.shop")
	}
	run("spawn", udid, "launchctl", "list")
	a := &talker{stage: s, udid: udid, script: &script}
	defer a.end()
	a.tap("email-field")
	a.say(&agentwire.TypeText{Text: "ada@example.com"})
	a.tap("password-field")
	a.say(&agentwire.TypeText{Text: "secret\n"})
	for range 4 {
		a.say(&agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 3000}})
		a.tap("login-button")
		a.tap("add-coffee")
	}
	a.say(&agentwire.Swipe{StartX: 180, StartY: 500, EndX: 180, EndY: 200})
	a.say(&agentwire.Look{Wait: agentwire.Wait{StableMS: 100, MaxMS: 2000}})
	a.say(&agentwire.GetValue{Selector: "cart-count"})
	run("io", udid, "screenshot", "-")
	run("openurl", udid, "https://example.com")
	run("spawn", udid, "log", "show", "--style", "ndjson")
	run("shutdown", udid)
	run("list")
	return script.String()
}

// talker speaks to an agent, and to the next one when that dies.
type talker struct {
	stage   stageOf
	udid    string
	script  *strings.Builder
	client  *agentwire.Client
	dismiss func()
}

func (a *talker) end() {
	if a.dismiss != nil {
		a.dismiss()
	}
}

func (a *talker) tap(id string) {
	a.say(&agentwire.TapElement{Selector: id, TimeoutMS: new(uint64(500))})
}

func (a *talker) say(req agentwire.Request) {
	if a.client == nil {
		a.end()
		a.client, a.dismiss = a.stage.hire(a.udid)
		a.say2(&agentwire.Hello{Version: agentwire.Version, Client: "test"})
		a.say2(&agentwire.SetTarget{Bundle: "com.iosagent.shop"})
	}
	a.say2(req)
}

// say2 sends one request. Of a lost agent the transcript only says that it was lost: whether the request was sent before is
// not the same in every run.
func (a *talker) say2(req agentwire.Request) {
	if a.client == nil {
		return
	}
	resp, err := a.client.Do(context.Background(), req)
	said, _ := json.Marshal(req) // requests are plain data
	fmt.Fprintf(a.script, "> %s %s\n", req.Opcode(), said)
	switch lost := (*agentwire.SendError)(nil); {
	case errors.As(err, &lost):
		a.client.Close()
		a.client = nil
		fmt.Fprintln(a.script, "lost")
	case err != nil:
		fmt.Fprintln(a.script, err)
	default:
		if w, is := resp.(*agentwire.Welcome); is {
			w.JSON = "" // has the pid
		}
		fmt.Fprintf(a.script, "%T %s\n", resp, describe(resp))
	}
}

func describe(resp agentwire.Response) string {
	switch r := resp.(type) {
	case *agentwire.Value:
		if r.Text != nil {
			return *r.Text
		}
	case *agentwire.Sight:
		return fmt.Sprintf("%+v", *r)
	}
	return ""
}

// inside is a stage in this process.
type inside struct {
	t     *testing.T
	world *world.World
	dir   string
}

func (s inside) simctl(args ...string) (string, string, int) {
	var out, errout bytes.Buffer
	exit := simctl.Run(s.t.Context(), s.world, tool.Call{Args: args, Dir: s.dir, Stdout: &out, Stderr: &errout}.Complete())
	return out.String(), errout.String(), exit
}

func (s inside) chaos(seed uint64, rate float64) {
	if err := s.world.SetChaos(flaw.Chaos{On: true, Seed: seed, Rate: rate}); err != nil {
		s.t.Fatal(err)
	}
}

func (s inside) hire(udid string) (*agentwire.Client, func()) {
	near, far := net.Pipe()
	ended := make(chan struct{})
	a := agent.New(agent.Options{UDID: udid, Screen: s.world, Clock: s.world,
		TakeFault:  func(name string) (flaw.Hit, bool) { return s.world.TakeFault(udid, name) },
		Screenshot: func(ctx context.Context) ([]byte, error) { return picture(ctx, s.world, udid) }})
	go func() {
		defer close(ended)
		_ = a.Serve(s.t.Context(), far) // how it ends is told to the client
	}()
	client := agentwire.NewClient(near)
	return client, func() { client.Close(); <-ended }
}

func picture(ctx context.Context, w *world.World, udid string) ([]byte, error) {
	scene, err := w.Scene(ctx, udid)
	if err != nil {
		return nil, err
	}
	return render.PNG(scene)
}

func start() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC) }

// The same requests to a fresh world get the same answers, byte for byte, chaos and all.
func TestWorldAnswersRepeatForSameSeed(t *testing.T) {
	builtin, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := apps.Write(dir); err != nil {
		t.Fatal(err)
	}
	once := func(seed uint64, rate float64) (text string, hits map[string]uint64) {
		w, err := world.New(world.Options{Clock: world.RequestClock(start()), Preinstalled: builtin})
		if err != nil {
			t.Fatal(err)
		}
		text = conversation(t, inside{t, w, dir}, seed, rate)
		return text, w.Chaos().Hits
	}
	calm, _ := once(1, 0)
	if !strings.Contains(calm, "Cart: 4") || strings.Contains(calm, "lost") {
		t.Fatalf("without chaos:\n%s", calm)
	}
	first, hits := once(42, 0.03)
	other, _ := once(43, 0.03)
	if len(hits) < 3 || first == calm || first == other {
		t.Fatalf("chaos did too little: %v", hits)
	}
	rounds := rounds
	if soak.Asked() {
		rounds *= 5
	}
	for half := range 2 { // worlds do not know of each other
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			t.Parallel()
			for i := range rounds {
				if again, _ := once(42, 0.03); again != first {
					t.Fatalf("run %d differs:\n%s", i, difference(first, again))
				}
			}
		})
	}
}

// difference is the first lines that differ.
func difference(a, b string) string {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return fmt.Sprintf("line %d\n- %.2000s\n+ %.2000s", i+1, left[i], right[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(left), len(right))
}

// outside is a stage behind the service, whose tools are processes.
type outside struct{ *rack }

// simctl is the tool without the folder it happens to run in, which JSON writes with escaped slashes.
func (s outside) simctl(args ...string) (stdout, stderr string, exit int) {
	stdout, stderr, exit = s.rack.simctl(args...)
	places := strings.NewReplacer(s.Dir, "/RACK", strings.ReplaceAll(s.Dir, "/", `\/`), `\/RACK`)
	return places.Replace(stdout), places.Replace(stderr), exit
}

func (s outside) chaos(seed uint64, rate float64) {
	if err := s.Client().SetChaos(s.t.Context(), flaw.Chaos{On: true, Seed: seed, Rate: rate}); err != nil {
		s.t.Fatal(err)
	}
}

func (s outside) hire(udid string) (*agentwire.Client, func()) {
	a, err := s.Client().Agent(s.t.Context(), service.AgentSpec{UDID: udid, PID: os.Getpid()})
	if err != nil {
		s.t.Fatal(err)
	}
	stream, err := a.Stream(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	client := agentwire.NewClient(stream)
	return client, func() { client.Close(); a.Close() }
}

// The same holds through the service and its processes.
func TestServiceAnswersRepeatForSameSeed(t *testing.T) {
	dir := t.TempDir()
	if err := apps.Write(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var first string
	for i := range services {
		r := newRack(t)
		text := conversation(t, outside{r}, 7, 0.03)
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatalf("run %d differs:\n%s", i+1, difference(first, text))
		}
	}
	if r := newRack(t); first == conversation(t, outside{r}, 7, 0) {
		t.Error("chaos did nothing")
	}
}
