package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/web"
	"ios-agent/internal/virtualxcode/world"
)

// seen is what a server saw.
type seen struct {
	mu    sync.Mutex
	lines []string
}

func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf("%s %s %s", r.Method, r.URL, body))
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, `{"order": "W-1"}`)
}

func (s *seen) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines
}

// TestShopsOrderGoesThroughTheProxy orders in a virtual device, to a server that does not exist, through a proxy on
// this machine: the app's, and then the device's.
func TestShopsOrderGoesThroughTheProxy(t *testing.T) {
	for name, how := range map[string]func(w *world.World, udid, proxy string) world.LaunchOptions{
		"the app's": func(_ *world.World, _, proxy string) world.LaunchOptions {
			return world.LaunchOptions{Env: map[string]string{"HTTP_PROXY": proxy}}
		},
		"the device's": func(w *world.World, udid, proxy string) world.LaunchOptions {
			if err := w.SetProxy(t.Context(), udid, proxy); err != nil {
				t.Fatal(err)
			}
			return world.LaunchOptions{Env: map[string]string{}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := &seen{}
			server := httptest.NewServer(proxy)
			defer server.Close()
			bundles, err := apps.Builtin()
			check(t, err)
			w, err := world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0)), Preinstalled: bundles, Web: web.Web{}})
			check(t, err)
			defer w.Close()
			udid := w.Devices()[0].UDID
			check(t, w.Boot(t.Context(), udid))
			o := how(w, udid, server.URL)
			o.Env["SHOP_API"] = "http://shop.invalid/api"
			_, err = w.Launch(t.Context(), udid, "com.iosagent.shop", o)
			check(t, err)
			for _, id := range []string{"guest-button", "add-mug", "open-cart", "checkout"} {
				tap(t, w, udid, id)
			}
			if order := find(t, w, udid, "order-number"); order == nil || order.Label != "Order W-1" {
				t.Errorf("the app says %+v", order)
			}
			if got := proxy.all(); len(got) != 1 || got[0] != `POST http://shop.invalid/api/orders {"items": 1, "email": ""}` {
				t.Errorf("the proxy saw %q", got)
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, w *world.World, udid, id string) *world.Element {
	t.Helper()
	check(t, w.Sleep(t.Context(), time.Second))
	root, _, err := w.Snapshot(t.Context(), udid, "")
	check(t, err)
	for e := range root.All() {
		if e.Identifier == id {
			return e
		}
	}
	return nil
}

func tap(t *testing.T, w *world.World, udid, id string) {
	t.Helper()
	e := find(t, w, udid, id)
	if e == nil {
		t.Fatalf("there is no %s", id)
	}
	check(t, w.Tap(t.Context(), udid, e.Frame.Centre()))
}
