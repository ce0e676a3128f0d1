package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// lookers is how many sessions look at a large screen: four times as many as the daemon remembers.
const lookers = 60

// gathering is the memory of a daemon after many sessions, each of which looked at its own screen with more elements than an agent sends.
// TestSessionMemoryIsBounded checks that a thousand sessions hold the same; here the processes are real, and garbage counts.
func gathering(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err != nil {
		return nil, err
	}
	app, err := largeApp(l.path("Large.app"))
	if err != nil {
		return nil, err
	}
	err = a.walk(ctx,
		step{"boot_device", `{"sim":"iPhone 16"}`},
		step{"install_app", fmt.Sprintf(`{"app_path":%q}`, app)},
		step{"launch_app", `{"bundle_id":"com.example.large"}`})
	most := figure{}
	for i := 0; err == nil && i < lookers; i++ {
		err = a.call(ctx, "tap_element", `{"identifier":"count"}`)
		other := *a
		other.session = fmt.Sprint("looker-", i)
		err = errors.Join(err, other.call(ctx, "snapshot", ""))
		if now := resident("memory: daemon, 60 sessions on 60 screens of 5000 elements", a.status.PID, 200); now.value >= most.value {
			most = now
		}
	}
	return []figure{most}, err
}

// largeApp writes an app with 6,000 buttons and a count.
func largeApp(path string) (string, error) {
	const info = `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.large</string></dict></plist>`
	var ui strings.Builder
	ui.WriteString("start: first\nstate: {n: 0}\nscreens:\n  first:\n    title: Large\n    scroll: true\n    elements:\n" +
		"    - {button: 'Count {n}', id: count, do: [{add: {n: 1}}]}\n")
	for i := range 12 {
		fmt.Fprintf(&ui, "    - repeat: {count: 500, from: %d, each: {button: 'Item {index}', id: 'item-{index}'}}\n", 500*i)
	}
	return path, errors.Join(
		os.Mkdir(path, 0o700),
		os.WriteFile(filepath.Join(path, "Info.plist"), []byte(info), 0o600),
		os.WriteFile(filepath.Join(path, "ui.yaml"), []byte(ui.String()), 0o600))
}
