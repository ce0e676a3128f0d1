package xctest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// builder is an xcodebuild that takes as long to build as the test wants.
type builder struct {
	t       *testing.T
	began   chan struct{} // gets a value at each build
	proceed chan string   // a line of output; closed: the build ends
	ended   chan struct{} // gets a value when a build is interrupted

	mu     sync.Mutex
	builds []string // their arguments
}

func (b *builder) program(name string) host.Main {
	if filepath.Base(name) != "xcodebuild" {
		return nil
	}
	return b.run
}

func (b *builder) run(ctx context.Context, in host.Invocation) int {
	if in.Args[0] == "-version" {
		fmt.Fprintln(in.Stdout, "Xcode 26.0\nBuild version 17A324")
		return 0
	}
	b.mu.Lock()
	b.builds = append(b.builds, strings.Join(in.Args, " "))
	b.mu.Unlock()
	b.began <- struct{}{}
	for {
		select {
		case line, more := <-b.proceed:
			if !more {
				return b.product(in)
			}
			fmt.Fprintln(in.Stdout, line)
		case <-ctx.Done():
			b.ended <- struct{}{}
			return 1
		}
	}
}

// product writes what a build leaves, as Xcode 26 does it for a scheme with a test plan.
func (b *builder) product(in host.Invocation) int {
	dir := filepath.Join(in.Args[slices.Index(in.Args, "-derivedDataPath")+1], "Build/Products")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "IosAgentUITests_Plan_iphonesimulator26.0-arm64.xctestrun"), nil, 0o600); err != nil {
		b.t.Error(err)
	}
	return 0
}

func newKit(t *testing.T) (*xctest.Kit, *builder) {
	t.Helper()
	b := &builder{t: t, began: make(chan struct{}), proceed: make(chan string), ended: make(chan struct{}, 1)}
	h, err := host.New(host.Options{Inside: b.program})
	if err != nil {
		t.Fatal(err)
	}
	k := &xctest.Kit{Host: h, Root: t.TempDir(), ID: "sources", Write: func(dir, _ string) error {
		return os.Mkdir(filepath.Join(dir, "IosAgent.xcodeproj"), 0o700)
	}}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return k, b
}

// caller is a caller that waits for the agent.
type caller struct {
	heard chan string
	done  chan error
	run   string
}

func call(ctx context.Context, k *xctest.Kit, w xctest.Want) *caller {
	c := &caller{heard: make(chan string, 100), done: make(chan error, 1)}
	ctx = device.WithProgress(ctx, func(words string) { c.heard <- words })
	go func() {
		var err error
		c.run, err = k.Products(ctx, w)
		c.done <- err
	}()
	return c
}

func simulator() xctest.Want { return xctest.Want{SDK: "iphonesimulator", UDID: "U1"} }

// The first caller's deadline passes during the build, and the second caller leaves. Neither ends the build, both faults say that it
// continues, and later callers get its product.
func TestBuildOutlivesItsCallers(t *testing.T) {
	k, b := newKit(t)
	late, pass := context.WithCancel(t.Context())
	first := call(impatience{late}, k, simulator())
	<-b.began
	if words := <-first.heard; !strings.Contains(words, "building the agent, once for this Xcode") {
		t.Errorf("the first caller hears %q", words)
	}
	gone, leave := context.WithCancel(t.Context())
	second := call(gone, k, simulator())
	third := call(t.Context(), k, simulator())
	<-second.heard
	<-third.heard
	pass()
	leave()
	for c, code := range map[*caller]fault.Code{first: fault.Timeout, second: fault.Cancelled} {
		f := fault.From(<-c.done)
		if f.Code != code || !strings.Contains(f.Message, "building the agent") || !strings.Contains(f.Hint, hint.Do("agent_start")) {
			t.Errorf("%s: %s (%s), want %s", f.Code, f.Message, f.Hint, code)
		}
	}
	b.proceed <- "Ld /p/IosAgent normal (in target 'IosAgent' from project 'IosAgent')"
	if words := <-third.heard; !strings.Contains(words, "linking") {
		t.Errorf("the third caller hears %q", words)
	}
	close(b.proceed)
	if err := <-third.done; err != nil || !strings.HasSuffix(third.run, "iphonesimulator26.0-arm64.xctestrun") {
		t.Fatalf("%s, %v", third.run, err)
	}
	fourth := call(t.Context(), k, simulator())
	if err := <-fourth.done; err != nil || fourth.run != third.run {
		t.Errorf("%s, %v", fourth.run, err)
	}
	if len(b.builds) != 1 || !strings.Contains(b.builds[0], "platform=iOS Simulator,id=U1") {
		t.Errorf("built %q", b.builds)
	}
}

// The daemon's end is the build's end.
func TestKitCloseEndsItsBuild(t *testing.T) {
	k, b := newKit(t)
	waiting := call(t.Context(), k, simulator())
	<-b.began
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	<-b.ended
	if err := <-waiting.done; !fault.Is(err, fault.Cancelled) {
		t.Errorf("the caller gets %v", err)
	}
	if _, err := k.Products(t.Context(), simulator()); !fault.Is(err, fault.Cancelled) {
		t.Errorf("the next caller gets %v", err)
	}
}

// Who wants it built again joins the build under way, and else gets a new one.
func TestAgainForcesNewBuild(t *testing.T) {
	k, b := newKit(t)
	first := call(t.Context(), k, simulator())
	<-b.began
	again := simulator()
	again.Again = true
	second := call(t.Context(), k, again)
	<-second.heard
	close(b.proceed)
	for _, c := range []*caller{first, second} {
		if err := <-c.done; err != nil {
			t.Fatal(err)
		}
	}
	third := call(t.Context(), k, again)
	<-b.began
	if err := <-third.done; err != nil || len(b.builds) != 2 {
		t.Errorf("%d builds, %v", len(b.builds), err)
	}
}
