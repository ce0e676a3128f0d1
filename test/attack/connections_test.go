package attack

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// patience is what an honest caller waits, beside 500 connections that are up to nothing good, on a busy machine.
const patience = 20 * time.Second

// TestOpenConnectionsDoNotBlockClients holds 500 connections open: silent ones, some that send a header byte by byte, some that send no
// body, and event streams that nobody reads. An honest client is answered all the while, on the port and on the socket, and when they go
// the daemon has given everything back.
func TestOpenConnectionsDoNotBlockClients(t *testing.T) {
	v := newVictim(t)
	v.must("boot", "--sim", "iPhone 16")
	s := v.status()
	address, key := strings.TrimPrefix(s.URL, "http://"), v.key()
	before := files(s.PID)
	kinds := []string{
		"", // silent
		"GET /api/v1/device/list HTTP/1.1\r\nHost: " + address + "\r\nX-Slow: ",
		"POST /api/v1/ui/tap HTTP/1.1\r\nHost: " + address + "\r\nX-API-Key: " + key + "\r\nContent-Length: 1000\r\n\r\n{",
		"GET /api/v1/events HTTP/1.1\r\nHost: " + address + "\r\nX-API-Key: " + key + "\r\n\r\n",
		"GET /api/v1/events HTTP/1.1\r\nHost: " + address + "\r\nX-API-Key: wrong\r\n\r\n",
	}
	var open []net.Conn
	for i := range 500 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		defer c.Close()
		open = append(open, c)
		kind := kinds[i%len(kinds)]
		if _, err := io.WriteString(c, kind); err != nil {
			t.Fatal(err)
		}
	}
	honest := &http.Client{Timeout: patience}
	for i := range 10 {
		for j, c := range open {
			if j%len(kinds) == 1 {
				_, _ = c.Write([]byte("x")) // the header goes on
			}
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/device/list", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", key)
		resp, err := honest.Do(req)
		if err != nil {
			t.Fatalf("an honest call, %d: %v", i, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body) // only its end counts
		if resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Fatalf("an honest call, %d: %s", i, resp.Status)
		}
		began := time.Now()
		v.must("list-sims")
		if took := time.Since(began); took > patience {
			t.Errorf("a command took %s", took)
		}
	}
	if n := v.status().Calls; n < 500/len(kinds) {
		t.Errorf("only %d calls are under way: does nobody watch the events?", n)
	}
	if peak := files(s.PID); peak != 0 && peak < before+400 {
		t.Errorf("%d files before, %d now: were they held?", before, peak)
	}
	for _, c := range open {
		c.Close()
	}
	honest.CloseIdleConnections()
	deadline := time.After(time.Minute)
	for tick := time.NewTicker(50 * time.Millisecond); files(s.PID) > before+10; {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d files before, %d now", before, files(s.PID))
		}
	}
}

// files is how many files a process has open; 0 where that is not told.
func files(pid int) int {
	found, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(found)
}
