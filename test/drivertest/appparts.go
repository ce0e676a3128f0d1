package drivertest

import (
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// appParts install, launch and end apps and follow what they print and log.
func appParts() []part {
	return []part{
		needs("apps", func(b *bench, d device.Inventory) {
			apps, err := d.List(b.ctx)
			b.must(err)
			if !slices.ContainsFunc(apps, func(a device.App) bool { return a.Bundle == Conformance }) {
				b.t.Errorf("apps %+v", apps)
			}
			b.refuses(d.Uninstall(b.ctx, "com.no.such"), fault.AppNotFound)
		}),
		needs("launch and end apps", launchAndEnd),
		needs("end processes", func(b *bench, d device.Processes) {
			pid, err := get[device.Apps](b).Launch(b.ctx, Conformance, device.Launch{Restart: true})
			b.must(err)
			b.must(d.EndProcess(b.ctx, pid))
			if still := b.pid(); still != 0 {
				b.t.Errorf("process %d still runs", still)
			}
			b.refuses(d.EndProcess(b.ctx, pid), fault.AppTerminate)
		}),
		needs("console", followConsole),
		needs("log", func(b *bench, d device.Logs) {
			line, await := b.waiting("Conformance launched contract")
			s, err := d.FollowLog(b.ctx, device.LogFilter{Subsystems: []string{Conformance}}, line)
			if fault.Is(err, fault.Unsupported) { // a log without subsystems says so, and is followed by its process
				followPlain(b, d)
				return
			}
			b.must(err)
			_, err = get[device.Apps](b).Launch(b.ctx, Conformance, device.Launch{Restart: true, Args: []string{"-mode", "contract"}})
			b.must(err)
			await()
			b.ends(s)
			_, err = d.FollowLog(b.ctx, device.LogFilter{Subsystems: []string{`a" OR "1" == "1`}}, line)
			b.refuses(err, fault.InvalidInput)
			followEvents(b, d)
		}),
		needs("log of before", showPast),
	}
}

// followPlain follows what one app logs, as text.
func followPlain(b *bench, d device.Logs) {
	name, err := d.LogName(b.ctx, Conformance)
	b.must(err)
	line, await := b.waiting("Conformance launched contract")
	s, err := d.FollowLog(b.ctx, device.LogFilter{Process: name, Level: device.LogInfo}, line)
	b.must(err)
	_, err = get[device.Apps](b).Launch(b.ctx, Conformance, device.Launch{Restart: true, Args: []string{"-mode", "contract"}})
	b.must(err)
	await()
	b.ends(s)
	_, err = d.LogName(b.ctx, "com.no.such")
	b.refuses(err, fault.AppNotFound)
}

// followEvents follows what one app logs, as JSON. A name that tries to leave its quotes finds nothing and nobody else's lines.
func followEvents(b *bench, d device.Logs) {
	name, err := d.LogName(b.ctx, Conformance)
	b.must(err)
	var strange []string
	other, err := d.FollowLog(b.ctx, device.LogFilter{Process: `x" OR process != "y\`, Events: true},
		func(line string) { strange = append(strange, line) })
	b.must(err)
	line, await := b.waiting(`"eventMessage":"Conformance launched events"`)
	s, err := d.FollowLog(b.ctx, device.LogFilter{Process: name, Level: device.LogInfo, Events: true}, line)
	b.must(err)
	_, err = get[device.Apps](b).Launch(b.ctx, Conformance, device.Launch{Restart: true, Args: []string{"-mode", "events"}})
	b.must(err)
	await()
	b.ends(s)
	b.ends(other)
	if len(strange) > 0 {
		b.t.Errorf("a name got out of its quotes: %q", strange)
	}
	_, err = d.LogName(b.ctx, "com.no.such")
	b.refuses(err, fault.AppNotFound)
}

// showPast shows what an app logged before anybody followed it, and only what is asked for.
func showPast(b *bench, d device.PastLog) {
	name, err := get[device.Logs](b).LogName(b.ctx, Conformance)
	b.must(err)
	_, err = get[device.Apps](b).Launch(b.ctx, Conformance, device.Launch{Restart: true, Args: []string{"-mode", "past"}})
	b.must(err)
	count := func(what device.LogFilter, since time.Time) (n int) {
		b.t.Helper()
		b.must(d.ShowLog(b.ctx, what, since, func(line string) {
			if strings.Contains(line, `"eventMessage":"Conformance launched past"`) {
				n++
			}
		}))
		return n
	}
	long := time.Unix(0, 0)
	if n := count(device.LogFilter{Process: name, Level: device.LogInfo, Events: true}, long); n != 1 {
		b.t.Errorf("%d lines of the launch", n)
	}
	for what, n := range map[string]int{
		"another process": count(device.LogFilter{Process: `x" OR process != "y\`, Level: device.LogInfo, Events: true}, long),
		"a higher level":  count(device.LogFilter{Process: name, Level: device.LogDefault, Events: true}, long),
		"a later time":    count(device.LogFilter{Process: name, Level: device.LogInfo, Events: true}, time.Now().AddDate(1, 0, 0)),
	} {
		if n != 0 {
			b.t.Errorf("%s: %d lines", what, n)
		}
	}
	b.refuses(d.ShowLog(b.ctx, device.LogFilter{Subsystems: []string{`a" OR "1" == "1`}}, long, func(string) {}), fault.InvalidInput)
}

// launchAndEnd launches an app twice, and ends it twice.
func launchAndEnd(b *bench, d device.Apps) {
	launch := func(how device.Launch) int {
		b.t.Helper()
		pid, err := d.Launch(b.ctx, Conformance, how)
		b.must(err)
		return pid
	}
	first := launch(device.Launch{Restart: true})
	if same := launch(device.Launch{}); first == 0 || same != first {
		b.t.Errorf("second launch: process %d became %d, want the same process", first, same)
	}
	if other := launch(device.Launch{Restart: true}); other == first || other != b.pid() {
		b.t.Errorf("process %d, then %d; it runs as %d", first, other, b.pid())
	}
	b.must(d.Terminate(b.ctx, Conformance))
	if still := b.pid(); still != 0 {
		b.t.Errorf("process %d still runs", still)
	}
	b.must(d.Terminate(b.ctx, Conformance)) // again: a no-op
	_, err := d.Launch(b.ctx, "com.no.such", device.Launch{})
	b.refuses(err, fault.AppNotFound, fault.AppLaunchFailed)
}

// followConsole launches an app whose console it follows. The app is the one to look at, prints what its environment says,
// and ends with the stream.
func followConsole(b *bench, d device.Console) {
	if buttons, err := device.As[device.Buttons](b.d); err == nil {
		b.must(buttons.Press(b.ctx, "home", 0))
	}
	line, await := b.waiting("hello from Conformance contract")
	s, pid, err := d.LaunchConsole(b.ctx, Conformance, device.Launch{Env: map[string]string{"GREETING": "contract"}}, line)
	b.must(err)
	await()
	if now := b.pid(); now == 0 || pid != 0 && pid != now {
		b.t.Errorf("launched as process %d, runs as %d", pid, now)
	}
	if _, err := device.As[device.Eyes](b.d); err == nil {
		if shown := b.look(); shown.App != Conformance {
			b.t.Errorf("the app in front is %s", shown.App)
		}
	}
	b.ends(s)
	if still := b.pid(); still != 0 {
		b.t.Errorf("the app still runs as process %d", still)
	}
	b.endsWithItsApp(d)
	_, _, err = d.LaunchConsole(b.ctx, "com.no.such", device.Launch{}, line)
	b.refuses(err, fault.AppNotFound, fault.AppLaunchFailed)
}

// endsWithItsApp fails unless the stream ends when the app does.
func (b *bench) endsWithItsApp(d device.Console) {
	b.t.Helper()
	s, _, err := d.LaunchConsole(b.ctx, Conformance, device.Launch{}, func(string) {})
	b.must(err)
	b.must(get[device.Apps](b).Terminate(b.ctx, Conformance))
	<-s.Done()
	b.must(s.Close())
}

// isOff fails unless everything that needs a running device says that it is off.
func (b *bench) isOff() {
	b.t.Helper()
	if eyes, err := device.As[device.Eyes](b.d); err == nil {
		_, err := eyes.Observe(b.ctx, device.Wait{})
		b.refuses(err, fault.DeviceNotBooted)
	}
	if logs, err := device.As[device.Logs](b.d); err == nil {
		_, err := logs.FollowLog(b.ctx, device.LogFilter{}, func(string) {})
		b.refuses(err, fault.DeviceNotBooted)
	}
	if past, err := device.As[device.PastLog](b.d); err == nil {
		b.refuses(past.ShowLog(b.ctx, device.LogFilter{}, time.Now(), func(string) {}), fault.DeviceNotBooted)
	}
	if console, err := device.As[device.Console](b.d); err == nil {
		_, _, err := console.LaunchConsole(b.ctx, Conformance, device.Launch{}, func(string) {})
		b.refuses(err, fault.DeviceNotBooted)
	}
}
