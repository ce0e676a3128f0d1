package mitm_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
)

// program runs somebody else's client. Where it is missing, the test is skipped; never with CI=true.
func program(t *testing.T, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), tooLong)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// TestCurlWorksThroughProxy: HTTP/1.1 and HTTP/2, trusted by our certificate and by nothing else, with an upload.
func TestCurlWorksThroughProxy(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, believing)
			s := r.server(func(w http.ResponseWriter, req *http.Request) {
				_, _ = io.Copy(io.Discard, req.Body) // a server that answers sooner is not sent all of it
				fmt.Fprint(w, req.ContentLength, " ", req.Header.Get("X-A"))
			}, true)
			option := "--http1.1"
			if http2 {
				option = "--http2"
			}
			got := program(t, "curl", "-sS", option, "--compressed", "--proxy", "http://"+r.address, "--cacert", r.ca.File(),
				"-H", "X-A: 1", "--data", strings.Repeat("x", 3000), "-w", " %{http_version}", s.URL)
			if want := "3000 1 " + map[bool]string{false: "1.1", true: "2"}[http2]; got != want {
				t.Errorf("%q, not %q", got, want)
			}
			f := r.done()
			if f.Request.Protocol != version(http2) || f.Request.Body.Size != 3000 ||
				!strings.HasPrefix(f.Request.Header.Get("User-Agent"), "curl/") {
				t.Errorf("%+v", f.Request)
			}
		})
	}
	t.Run("refuses", func(t *testing.T) {
		r := open(t, nil)
		program(t, "sh", "-c", "curl -sS --proxy http://"+r.address+" https://pinned.example/ || test $? = 60")
		if f := r.failed(); f.Kind != flow.AppRefused || !strings.Contains(f.Error, "pinned.example") {
			t.Errorf("%+v", f)
		}
	})
}

// TestNodeConnectsThroughProxy: its own TLS over a CONNECT, as its agents do.
func TestNodeConnectsThroughProxy(t *testing.T) {
	r := open(t, believing)
	s := r.server(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, "hello ", req.URL.Path) }, true)
	at, err := url.Parse(s.URL)
	must(t, err)
	got := program(t, "node", "-e", `
		const [proxyPort, target, ca] = process.argv.slice(1), http = require("http"), https = require("https"), fs = require("fs");
		http.request({host: "127.0.0.1", port: proxyPort, method: "CONNECT", path: target}).on("connect", (_, socket) => {
			https.get({host: "127.0.0.1", path: "/node", socket, agent: false, ca: fs.readFileSync(ca), headers: {Host: target}}, answer => {
				answer.on("data", d => process.stdout.write(d)).on("end", () => process.exit(0));
			});
		}).end();`, strings.Split(r.address, ":")[1], at.Host, r.ca.File())
	if got != "hello /node" {
		t.Errorf("%q", got)
	}
	if f := r.done(); f.Request.URL != s.URL+"/node" || f.Client.Address == "" {
		t.Errorf("%+v", f.Request)
	}
}
