package xctrace_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/internal/virtualxcode/xctrace"
)

func TestListDevicesPrintsSections(t *testing.T) {
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0))})
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	run := func(line string) int {
		c := tool.Call{Args: strings.Fields(line), Stdout: &out, Stderr: &errs}
		return xctrace.Xctrace{Call: c, World: w, Mac: "My Mac", MacID: "M", Version: "16.4 (16F6)"}.Run()
	}
	if exit := run("list devices"); exit != 0 {
		t.Fatal(exit, errs.String())
	}
	const head = "== Devices ==\nMy Mac (M)\nAda’s iPhone (18.5) (00008140-000A61C23E04801C)\n\n" +
		"== Devices Offline ==\nGrace’s iPad (18.5) (00008130-001474A90C82001C)\n\n== Simulators ==\nApple TV 4K (3rd generation) " +
		"Simulator (18.5) ("
	if !strings.HasPrefix(out.String(), head) || strings.Contains(out.String(), "15.5") {
		t.Errorf("%s", out.String())
	}
	for line, exit := range map[string]int{"version": 0, "record": 1, "list sandwiches": 2, "frobnicate": 2} {
		if got := run(line); got != exit {
			t.Errorf("%s: %d", line, got)
		}
	}
}
