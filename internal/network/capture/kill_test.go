package capture_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/spool"
	"ios-agent/internal/telemetry"
)

// TestMain plays the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("IOS_AGENT_TEST_CAPTURE"); dir != "" {
		flood(dir)
	}
	os.Exit(m.Run())
}

// flood is proxy and daemon in one: it stores flows for ever, and prints the number of each that surely is stored.
func flood(dir string) {
	store := telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db")})
	c := capture.New(capture.Options{Store: store, Spool: filepath.Join(dir, "spool"), Bodies: filepath.Join(dir, "bodies")})
	w, err := spool.NewWriter(spool.Options{Dir: filepath.Join(dir, "spool"), SegmentBytes: 20_000, Written: c.Ring})
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			got, err := c.Wait(context.Background(), flow.Filter{Path: "/told"}, store.Last())
			if err != nil {
				panic(err)
			}
			fmt.Println(got.Told)
		}
	}()
	for i := 1; ; i++ {
		f := order(fmt.Sprintf("f_%d", i), 200)
		f.Told, f.Request.URL = i, "https://shop.example/told"
		w.Tell(f)
		if i%20 == 0 {
			w.Flush()
		}
		if i%500 == 0 { // else the spool would be full some time
			if err := c.Sync(context.Background()); err != nil {
				panic(err)
			}
		}
	}
}

// TestFlowsSurviveKillWhileStoring: after a kill -9 of both, the next daemon has every flow that was written, each once: none is missing
// between, and none was taken twice.
func TestFlowsSurviveKillWhileStoring(t *testing.T) {
	h := &home{t: t, dir: t.TempDir(), now: order("", 0).Started}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "IOS_AGENT_TEST_CAPTURE="+h.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	safe := 0
	for lines := bufio.NewScanner(out); safe < 500 && lines.Scan(); {
		if _, err := fmt.Sscan(lines.Text(), &safe); err != nil {
			t.Error(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	h.open(capture.Options{})
	all, total := h.query(flow.Filter{}, capture.Page{Limit: 1 << 20})
	if total < safe || len(all) != total {
		t.Fatalf("%d flows are there, %d were stored", total, safe)
	}
	for i := range all {
		if all[i].Told != i+1 {
			t.Fatalf("flow %d is %s", i+1, all[i].ID)
		}
	}
	if last := h.store.Last(); last > int64(total)+1 { // the store says in one line that the daemon was killed
		t.Errorf("%d numbers for %d flows", last, total)
	}
}
