package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// TestProxyServesItsOwnUserOnly: another user of the machine gets nothing through the proxy, whether he waits for an answer or not, and
// 1,100 connections that he holds open do not keep its own user from an answer.
func TestProxyServesItsOwnUserOnly(t *testing.T) {
	needRoot(t)
	v := newVictim(t)
	var started struct{ Result struct{ Port int } }
	if err := json.Unmarshal([]byte(v.must("proxy", "start", "--json")), &started); err != nil || started.Result.Port == 0 {
		t.Fatalf("%+v %v", started, err)
	}
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/own" {
			asked.Add(1)
		}
		fmt.Fprint(w, "served")
	}))
	defer s.Close()
	at := fmt.Sprintf("127.0.0.1:%d", started.Result.Port)
	secure := "https://" + s.Listener.Addr().String()
	all := []attempt{{"proxy", at + " " + s.URL}, {"proxy", at + " " + secure}, {"get", "http://" + at + "/ca.pem"}}
	for range 50 {
		all = append(all, attempt{"proxy blindly", at + " " + s.URL})
	}
	if got := gained(t, all); len(got) > 0 {
		t.Errorf("he got %q", got)
	}
	start(t, "crowd", []string{at}).until(t, "holds")
	own := exec.Command("curl", "-sS", "--max-time", fmt.Sprint(patience.Seconds()), "--proxy", "http://"+at, s.URL+"/own")
	own.Dir, own.SysProcAttr = filepath.Dir(v.home), user(victimID)
	if out, err := own.CombinedOutput(); string(out) != "served" || err != nil {
		t.Errorf("got %q, %v for the proxy's own user, want it served", out, err)
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("got %d requests of another user at the server, want none", n)
	}
}
