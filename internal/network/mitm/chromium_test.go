package mitm_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
)

// TestChromiumLoadsPageThroughProxy: a real browser loads a page through the proxy, whose authority it trusts; the page posts, and speaks
// over a WebSocket. For `make test-chromium`, which gets one.
func TestChromiumLoadsPageThroughProxy(t *testing.T) {
	chromium := os.Getenv("IOS_AGENT_CHROMIUM")
	if chromium == "" {
		t.Skip("IOS_AGENT_CHROMIUM names no Chromium; `make test-chromium` gets one")
	}
	r := open(t, believing)
	shown := make(chan string, 1)
	s := r.server(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<script>
				const say = text => fetch("/shown", {method: "POST", body: text});
				(async () => {
					const answer = await fetch("/order", {method: "POST", body: "tea"});
					const text = await answer.text();
					const socket = new WebSocket("wss://" + location.host + "/echo");
					socket.onopen = () => socket.send("from the page");
					socket.onerror = () => say("the socket failed");
					socket.onmessage = m => say(text + "; " + m.data);
				})().catch(e => say("failed: " + e));
			</script>`)
		case "/order":
			body, _ := io.ReadAll(req.Body)
			fmt.Fprintf(w, "ordered %s", body)
		case "/echo":
			echo(nil)(w, req)
		case "/shown":
			body, _ := io.ReadAll(req.Body)
			shown <- string(body)
		default:
			http.NotFound(w, req)
		}
	}, true)
	said := browse(t, chromium, r, s.URL+"/")
	select {
	case got := <-shown:
		if got != "ordered tea; from the page" {
			t.Errorf("the page got %q", got)
		}
	case <-time.After(tooLong):
		t.Fatalf("the page says nothing; Chromium says\n%s", said())
	}
	order := r.wait("the order", func(f flow.Flow) bool { return f.State == flow.Done && strings.HasSuffix(f.Request.URL, "/order") })
	if order.Request.Method != http.MethodPost || string(order.Request.Body.Content) != "tea" || order.Request.Protocol != version(true) ||
		!strings.Contains(order.Request.Header.Get("User-Agent"), "Chrome") || string(order.Response.Body.Content) != "ordered tea" {
		t.Errorf("%+v %+v", order.Request, order.Response)
	}
	socket := r.wait("the WebSocket", func(f flow.Flow) bool { return strings.HasSuffix(f.Request.URL, "/echo") && len(f.Messages) >= 2 })
	if string(socket.Messages[0].Data) != "from the page" {
		t.Errorf("%+v", socket.Messages)
	}
}

// browse opens a page until the test ends. said is what Chromium printed, when it has ended.
func browse(t *testing.T, chromium string, r *rig, page string) (said func() string) {
	t.Helper()
	key := sha256.Sum256(r.ca.Certificate().RawSubjectPublicKeyInfo)
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--proxy-server=http://"+r.address, "--proxy-bypass-list=<-loopback>", "--remote-debugging-port=0",
		"--ignore-certificate-errors-spki-list="+base64.StdEncoding.EncodeToString(key[:]), page)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = tooLong
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	end := sync.OnceFunc(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	t.Cleanup(end)
	return func() string { end(); return out.String() }
}
