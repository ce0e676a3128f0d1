package network_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ops/network"
)

// TestUpstreamCAMakesPrivateServerTrusted: the file of an authority is read once, and a host may do without a certificate.
func TestUpstreamCAMakesPrivateServerTrusted(t *testing.T) {
	w := newWire(t)
	plain := w.server.URL
	private := httptest.NewTLSServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(out, "private")
	}))
	t.Cleanup(private.Close)
	host := strings.TrimPrefix(private.URL, "https://")
	file := filepath.Join(w.dir, "company.pem")
	block := pem.Block{Type: "CERTIFICATE", Bytes: private.Certificate().Raw}
	if err := os.WriteFile(file, pem.EncodeToMemory(&block), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Refused("proxy_start", `{"upstream_ca":"/nowhere.pem"}`, fault.PathError, "the authority of servers")
	w.Must("proxy_start", `{}`, nil)
	w.Must("proxy_map", fmt.Sprintf(`{"pattern":"~u /private","to":%q}`, private.URL), nil)
	want := func(when string, code int) {
		t.Helper()
		if got, text := w.ask("GET", "/private", ""); got != code {
			t.Errorf("%s: got %d %q from %s by way of %s, want %d", when, got, text, private.URL, plain, code)
		}
	}
	want("at first", 502)
	var got network.ProxyOut
	e := w.Must("proxy_set", fmt.Sprintf(`{"upstream_ca":%q}`, file), &got)
	if got.CA != file || !strings.Contains(e.Stdout, "\ntrusts: ") {
		t.Errorf("got %+v and\n%s\nwant the file", got, e.Stdout)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	want("with its authority, whose file is gone since", 200)
	w.Must("proxy_set", `{"upstream_ca":""}`, nil)
	want("without its authority", 502)
	if e = w.Must("proxy_set", fmt.Sprintf(`{"insecure_upstream":[%q]}`, host), &got); len(got.Insecure) != 1 ||
		!strings.Contains(e.Stdout, "\nunchecked certificates: "+host) {
		t.Errorf("got\n%s\nwant the host", e.Stdout)
	}
	want("unchecked", 200)
	w.Must("proxy_set", `{"insecure_upstream":[]}`, nil)
	want("checked again", 502)
	w.Refused("proxy_set", `{"insecure_upstream":["*"]}`, fault.InvalidInput, "*")
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Refused("proxy_set", fmt.Sprintf(`{"upstream_ca":%q}`, file), fault.InvalidInput, "no certificate in PEM")
}
