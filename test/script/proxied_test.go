package script

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// proxied sends a request through a proxy of this machine and wants a status: proxied PORT URL STATUS
func proxied(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: proxied PORT URL STATUS")
	}
	transport := &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:" + args[0]})}
	answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Get(args[1])
	ts.Check(err)
	ts.Check(answer.Body.Close())
	if strconv.Itoa(answer.StatusCode) != args[2] {
		ts.Fatalf("%s is %d, not %s", args[1], answer.StatusCode, args[2])
	}
}
