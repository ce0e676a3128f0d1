package agent

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// What there are too many parts for is counted, not read.
func TestPartsBeyondLimitAreCounted(t *testing.T) {
	deep := func() *world.Element {
		return &world.Element{Children: []*world.Element{{Children: []*world.Element{{Label: "leaf"}}}}}
	}
	root := &world.Element{}
	for range 60 {
		root.Children = append(root.Children, deep())
	}
	p := parts{levels: 2, left: mostParts}
	read := p.tree(root)
	if len(read.Children) != 50 || p.unread != 10 || p.left != 0 {
		t.Errorf("%d read, %d not, %d parts left", len(read.Children), p.unread, p.left)
	}
	whole := parts{levels: 2, left: mostParts}
	if one := whole.tree(deep()); one.Levels() != 3 || whole.unread != 0 || whole.left != mostParts-1 {
		t.Errorf("%d levels, %d not read, %d parts left", one.Levels(), whole.unread, whole.left)
	}
}

// A client is greeted, and may say which app it is about, while the main queue is held by the request of another one.
func TestHelloSucceedsWhileMainQueueIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New(troubled(t, newStage(), flaw.Fault{Name: flaw.AgentStall, Set: map[string]string{"ms": "30000"}}))
		served := make(chan error, 2)
		open := func() *agentwire.Client {
			near, far := net.Pipe()
			go func() { served <- a.Serve(t.Context(), far) }()
			c := agentwire.NewClient(near)
			if _, err := c.Hello(t.Context(), "", "test"); err != nil {
				t.Fatal(err)
			}
			return c
		}
		first := open()
		go first.Do(t.Context(), &agentwire.GetTargetInfo{})
		synctest.Wait()
		start := time.Now()
		second := open()
		ok(t, second, &agentwire.SetTarget{Bundle: shop})
		if took := time.Since(start); took != 0 {
			t.Errorf("it took %s", took)
		}
		a.Kill()
		first.Close()
		second.Close()
		<-served
		<-served
	})
}
