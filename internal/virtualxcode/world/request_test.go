package world_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/urlsession"
	"ios-agent/internal/virtualxcode/world"
)

// network is a urlsession.Sender that answers when it is told to.
type network struct {
	mu     sync.Mutex
	seen   []urlsession.Request
	answer func(context.Context, urlsession.Request) (urlsession.Response, error)
}

func (n *network) Fetch(ctx context.Context, r urlsession.Request) (urlsession.Response, error) {
	n.mu.Lock()
	n.seen = append(n.seen, r)
	n.mu.Unlock()
	return n.answer(ctx, r)
}

func (n *network) requests() []urlsession.Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.seen)
}

func says(status int, body string) func(context.Context, urlsession.Request) (urlsession.Response, error) {
	return func(context.Context, urlsession.Request) (urlsession.Response, error) {
		return urlsession.Response{Status: status, Body: body}, nil
	}
}

const caller = `start: a
state: {busy: false, status: 0, body: "", problem: "", id: "", count: 0, ok: false, said: "", who: ada}
screens:
  a:
    elements:
      - button: Go
        id: go
        do:
          - request:
              method: POST
              url: "http://shop.test/orders?who={who}"
              headers: {X-Who: "{who}"}
              body: '{{"who": "{who}"}'
              timeout: 5
              busy: busy
              status: status
              text: body
              error: problem
              json: {order.id: id, items.1.count: count, done: ok}
              do: [{set: {said: "{said}done "}}]
              else: [{set: {said: "{said}failed "}}]
      - {button: Tick, id: tick, do: [{after: {seconds: 1, do: [{set: {said: "{said}tick "}}]}}]}
      - {spinner: "", id: spinner, visible: {busy: true}}
      - {text: "{said}{status} {id} {count} {ok} {problem}", id: says}
`

func calling(t *testing.T, n *network, o world.LaunchOptions) *driver {
	t.Helper()
	b, err := app.Load("Small.app", []byte(`{CFBundleIdentifier = "com.example.small"; CFBundleName = Small; CFBundleVersion = 7;}`),
		[]byte(caller))
	if err != nil {
		t.Fatal(err)
	}
	d := drive(t, world.Options{Preinstalled: []*app.Bundle{b}, Web: n})
	t.Cleanup(d.Close)
	_, err = d.Launch(t.Context(), d.udid, b.ID, o)
	d.must(err)
	return d
}

func TestRequestIsSentAndItsAnswerArrives(t *testing.T) {
	n := &network{answer: says(201, `{"order": {"id": "A7"}, "items": [{}, {"count": 3}], "done": true}`)}
	d := calling(t, n, world.LaunchOptions{})
	d.tap("go")
	if d.now("spinner") == nil {
		t.Error("nothing turns while it waits")
	}
	d.pass(time.Second)
	d.want("says", "done 201 A7 3 true ")
	if d.now("spinner") != nil {
		t.Error("it still turns")
	}
	seen := n.requests()
	if len(seen) != 1 || seen[0].Method != "POST" || seen[0].URL != "http://shop.test/orders?who=ada" || seen[0].Body != `{"who": "ada"}` ||
		seen[0].Proxy != "" ||
		!slices.Contains(seen[0].Headers, urlsession.Header{Name: "X-Who", Value: "ada"}) || !strings.HasPrefix(seen[0].Headers[0].Value,
		"Small/7 CFNetwork/") {
		t.Errorf("sent was %+v", seen)
	}
}

func TestFailedRequestsShowTheirError(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(context.Context, urlsession.Request) (urlsession.Response, error)
		want   string
	}{
		"a refusal": {says(500, "{}"), "failed 500  0 false "},
		"no connection": {func(context.Context, urlsession.Request) (urlsession.Response, error) {
			return urlsession.Response{}, &urlsession.Error{Code: urlsession.NoConnection}
		}, "failed 0  0 false Could not connect to the server."},
		"another error": {func(context.Context, urlsession.Request) (urlsession.Response, error) {
			return urlsession.Response{}, errors.New("odd")
		}, "failed 0  0 false The network connection was lost."},
		"no JSON":         {says(200, "<html>"), "done 200  0 false "},
		"the wrong types": {says(200, `{"order": {"id": {"a": 1}}, "items": [1, {"count": "x"}], "done": 1}`), `done 200 {"a":1} 0 false `},
	} {
		t.Run(name, func(t *testing.T) {
			d := calling(t, &network{answer: c.answer}, world.LaunchOptions{})
			d.tap("go")
			d.pass(time.Second)
			d.want("says", c.want)
		})
	}
}

// TestWorldTimeWaitsForNetworkAnswer lets the network be slow: what is seen at a time of the world does not depend on it.
func TestWorldTimeWaitsForNetworkAnswer(t *testing.T) {
	release := make(chan struct{})
	n := &network{answer: func(ctx context.Context, _ urlsession.Request) (urlsession.Response, error) {
		select {
		case <-release:
			return urlsession.Response{Status: 200}, nil
		case <-ctx.Done():
			return urlsession.Response{}, ctx.Err()
		}
	}}
	d := calling(t, n, world.LaunchOptions{})
	d.tap("tick")
	d.tap("go")
	d.pass(100 * time.Millisecond)
	if d.now("spinner") == nil { // does not wait: it is too early for an answer
		t.Error("the answer came too early")
	}
	d.pass(2 * time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := d.Snapshot(ctx, d.udid, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that nobody waits for gives %v", err)
	}
	looked := make(chan string)
	go func() {
		root, _, err := d.Snapshot(t.Context(), d.udid, "")
		if err != nil {
			looked <- err.Error()
			return
		}
		for e := range root.All() {
			if e.Identifier == "says" {
				looked <- e.Label
			}
		}
	}()
	close(release)
	if got := <-looked; got != "done tick 200  0 false " {
		t.Errorf("it says %q", got)
	}
}

func TestRequestOfAnEndedAppIsCancelled(t *testing.T) {
	ended := make(chan struct{})
	n := &network{answer: func(ctx context.Context, _ urlsession.Request) (urlsession.Response, error) {
		<-ctx.Done()
		close(ended)
		return urlsession.Response{}, ctx.Err()
	}}
	d := calling(t, n, world.LaunchOptions{})
	d.tap("go")
	d.must(d.Terminate(t.Context(), d.udid, "com.example.small"))
	<-ended
	d.pass(time.Minute)
	d.root()
}

func TestPendingRequestFailsAfterARestart(t *testing.T) {
	store := &memory{}
	n := &network{answer: func(ctx context.Context, _ urlsession.Request) (urlsession.Response, error) {
		<-ctx.Done()
		return urlsession.Response{}, ctx.Err()
	}}
	b, err := app.Load("Small.app", []byte(`{CFBundleIdentifier = "com.example.small"; CFBundleName = Small;}`), []byte(caller))
	if err != nil {
		t.Fatal(err)
	}
	d := drive(t, world.Options{Preinstalled: []*app.Bundle{b}, Web: n, Store: store})
	d.launch(b.ID)
	d.tap("go")
	d.Close()
	d.World = newWorld(t, world.Options{Preinstalled: []*app.Bundle{b}, Web: n, Store: store})
	d.want("says", "failed 0  0 false The network connection was lost.")
}

func TestRequestUsesProxyOfDeviceOrLaunch(t *testing.T) {
	for name, c := range map[string]struct {
		device string
		env    map[string]string
		want   string
	}{
		"none":              {},
		"the device's":      {device: "http://127.0.0.1:9101", want: "http://127.0.0.1:9101"},
		"the launch's":      {"http://127.0.0.1:9101", map[string]string{"HTTP_PROXY": "http://127.0.0.1:8080"}, "http://127.0.0.1:8080"},
		"without a scheme":  {env: map[string]string{"http_proxy": "127.0.0.1:8080"}, want: "http://127.0.0.1:8080"},
		"another scheme's":  {env: map[string]string{"HTTPS_PROXY": "http://127.0.0.1:8080"}},
		"not for this host": {env: map[string]string{"HTTP_PROXY": "http://127.0.0.1:8080", "NO_PROXY": "a.test, shop.test"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := &network{answer: says(200, "{}")}
			d := calling(t, n, world.LaunchOptions{Env: c.env})
			d.must(d.SetProxy(t.Context(), d.udid, c.device))
			d.tap("go")
			d.pass(time.Second)
			d.root()
			if seen := n.requests(); len(seen) != 1 || seen[0].Proxy != c.want {
				t.Errorf("sent was %+v", seen)
			}
		})
	}
	d := calling(t, &network{answer: says(200, "{}")}, world.LaunchOptions{})
	if err := d.SetProxy(t.Context(), d.udid, "nonsense"); err == nil {
		t.Error("nonsense is a proxy")
	}
}

func TestShopOrdersFromTheServerInItsEnvironment(t *testing.T) {
	n := &network{answer: says(503, "closed")}
	d := drive(t, world.Options{Web: n})
	t.Cleanup(d.Close)
	_, err := d.Launch(t.Context(), d.udid, shop, world.LaunchOptions{Env: map[string]string{"SHOP_API": "https://shop.test/api"}})
	d.must(err)
	d.tap("guest-button")
	d.tap("add-tea")
	d.tap("open-cart")
	d.tap("checkout")
	d.waitFor("order-problem", true, time.Second)
	d.want("order-problem", "The shop could not take the order.")
	n.answer = says(201, `{"order": "B2"}`)
	d.tap("checkout")
	d.waitFor("thank-you", true, time.Second)
	d.want("order-number", "Order B2")
	if seen := n.requests(); len(seen) != 2 || seen[0].URL != "https://shop.test/api/orders" ||
		seen[0].Body != `{"items": 1, "email": ""}` {
		t.Errorf("sent was %+v", seen)
	}
}

func TestAirplaneModeStopsRequests(t *testing.T) {
	n := &network{answer: says(200, "{}")}
	d := calling(t, n, world.LaunchOptions{})
	d.must(d.Configure(t.Context(), d.udid, func(s *world.Settings) error { s.Switches = map[string]bool{"airplane": true}; return nil }))
	d.tap("go")
	d.want("says", "failed 0  0 false The Internet connection appears to be offline.")
	if len(n.requests()) != 0 {
		t.Error("something was sent")
	}
}

// TestRealClockDeliversAnswerWhenItArrives lets nobody wait for the network: what it has not answered is not there yet.
func TestRealClockDeliversAnswerWhenItArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{answer: func(context.Context, urlsession.Request) (urlsession.Response, error) {
			time.Sleep(3 * time.Second)
			return urlsession.Response{Status: 200}, nil
		}}
		b, err := app.Load("Small.app", []byte(`{CFBundleIdentifier = "com.example.small"; CFBundleName = Small;}`), []byte(caller))
		if err != nil {
			t.Fatal(err)
		}
		d := drive(t, world.Options{Preinstalled: []*app.Bundle{b}, Web: n, Clock: world.RealClock()})
		defer d.Close()
		d.launch(b.ID)
		d.tap("go")
		time.Sleep(2 * time.Second)
		if d.now("spinner") == nil {
			t.Error("the answer came too early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		d.want("says", "done 200  0 false ")
	})
}

func TestSlowRequestTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{answer: func(ctx context.Context, _ urlsession.Request) (urlsession.Response, error) {
			<-ctx.Done()
			return urlsession.Response{}, ctx.Err()
		}}
		d := calling(t, n, world.LaunchOptions{}) // five seconds
		d.tap("go")
		d.pass(time.Second)
		if d.now("spinner") == nil {
			t.Error("it did not wait as long as it should")
		}
		d.pass(5 * time.Second)
		d.want("says", "failed 0  0 false The request timed out.")
	})
}
