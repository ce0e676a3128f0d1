package simctl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apple "ios-agent/internal/apple/simctl"
	"ios-agent/internal/virtualxcode/world"
)

const lookup = "An error was encountered processing the command (domain=com.apple.CoreSimulator.SimError, code=405):\n" +
	"Unable to lookup in current state: Shutdown\n"

// on is a tool with a booted device that has Shop.
func on(t *testing.T) *rig {
	t.Helper()
	s := newTool(t)
	s.ok("boot", phone)
	s.ok("install", "booted", "Shop.app")
	for name, content := range map[string]string{
		"push.json": `{"aps":{"alert":"Hi"},"Simulator Target Bundle":"com.iosagent.shop"}`, "bad.json": "{", "empty.json": "{}",
		"bare.json": `{"aps":{}}`,
		"big.json":  `{"aps":{"alert":"` + strings.Repeat("x", 5000) + `"}}`, "a.png": "png", "a.txt": "text", "ca.pem": "certificate",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestVerbsPrintExpectedOutput runs each line on the same device, in order: a command, what it prints, how it exits.
func TestVerbsPrintExpectedOutput(t *testing.T) {
	s := on(t)
	for _, c := range []struct {
		args string // ~ is a space
		out  string // a regular expression in which ROOT is the world's folder
		err  string // likewise
		exit int
	}{
		{"ui booted appearance", "light\n", "", 0},
		{"ui booted appearance dark", "", "", 0},
		{"ui booted appearance", "dark\n", "", 0},
		{"ui booted appearance pink", "", "Usage: simctl ui .*\n", 22},
		{"ui booted content_size increment", "", "", 0},
		{"ui booted content_size", "extra-large\n", "", 0},
		{"ui booted content_size huge", "", "Usage: .*\n", 22},
		{"ui booted increase_contrast enabled", "", "", 0},
		{"ui booted increase_contrast", "enabled\n", "", 0},
		{"ui booted colour", "", "Usage: .*\n", 22},
		{"status_bar booted override --time 9:41 --batteryLevel=100 --dataNetwork wifi", "", "", 0},
		{"status_bar booted list", "Current Status Bar Overrides:\n=+\nTime: 9:41\nDataNetworkType: wifi\nBattery Level: 100\n", "", 0},
		{"status_bar booted override --batteryLevel 101", "", "Invalid value for --batteryLevel: 101\n", 22},
		{"status_bar booted override", "", "Usage: .*\n", 22},
		{"status_bar booted clear", "", "", 0},
		{"status_bar booted list", "Current Status Bar Overrides:\n=+\n", "", 0},
		{"location booted set 52.5,13.4", "", "", 0},
		{"location booted set here", "", "Invalid coordinate: here\n", 22},
		{"location booted list", "Apple\nCity Bicycle Ride\nCity Run\nFreeway Drive\n", "", 0},
		{"location booted run City~Run", "", "", 0},
		{"location booted run Moon", "", "Unknown scenario: Moon\n", 22},
		{"location booted start --speed=20 1,1 2,2", "", "", 0},
		{"location booted start 1,1", "", "Usage: .*\n", 22},
		{"location booted clear", "", "", 0},
		{"privacy booted grant photos com.iosagent.shop", "", "", 0},
		{"privacy booted revoke all com.iosagent.shop", "", "", 0},
		{"privacy booted reset all", "", "", 0},
		{"privacy booted grant photos", "", "Usage: .*\n", 22},
		{"privacy booted grant mind com.iosagent.shop", "", "Usage: .*\n", 22},
		{"keychain booted add-root-cert ca.pem", "", "", 0},
		{"keychain booted add-cert none.pem", "", "(?s).*NSPOSIXErrorDomain, code=2.*none.pem\n", 2},
		{"keychain booted reset", "", "", 0},
		{"addmedia booted a.png", "", "", 0},
		{"addmedia booted a.txt", "", "Unsupported file type: a.txt\n", 22},
		{"addmedia booted none.png", "", "(?s).*code=2.*\n", 2},
		{"push booted push.json", "Notification sent to 'com.iosagent.shop'\n", "", 0},
		{"push booted com.iosagent.shop bare.json", "Notification sent to 'com.iosagent.shop'\n", "", 0},
		{"push booted bare.json", "", "Invalid push payload: .*Simulator Target Bundle.*\n", 22},
		{"push booted com.example.no bare.json", "", "(?s).*code=2.*com.example.no\n", 2},
		{"push booted bad.json", "", "Invalid JSON in push payload: .*\n", 22},
		{"push booted empty.json", "", "Invalid push payload: .*aps.*\n", 22},
		{"push booted big.json", "", "The push payload is too large: .*\n", 22},
		{"openurl booted https://example.com", "", "", 0},
		{"openurl booted foo://bar", "", "An error .*domain=LSApplicationWorkspaceErrorDomain, code=115\\):\nSimulator device failed " +
			"to open foo://bar.\n(?s).*", 115},
		{"pbsync host booted", "", "", 0},
		{"pbpaste booted", "", "", 0},
		{"get_app_container booted com.iosagent.shop", "ROOT/Devices/.*/data/Containers/Bundle/Application/[0-9A-F-]{36}/Shop.app\n", "",
			0},
		{"get_app_container booted com.iosagent.shop data", "ROOT/Devices/.*/data/Containers/Data/Application/[0-9A-F-]{36}\n", "", 0},
		{"get_app_container booted com.iosagent.shop groups", "", "", 0},
		{"get_app_container booted com.iosagent.shop group.none", "", "(?s).*code=2.*", 2},
		{"get_app_container booted com.example.no", "", "(?s).*NSPOSIXErrorDomain, code=2.*", 2},
		{"getenv booted SIMULATOR_UDID", "6C2A8F51-.*\n", "", 0},
		{"getenv booted NOTHING", "", "", 1},
		{"appinfo booted com.iosagent.shop", "(?s){\n    ApplicationType = User;\n.*}\n", "", 0},
		{"spawn booted true", "", "", 0},
		{"spawn booted /usr/bin/launchctl list", "PID\tStatus\tLabel\n(?s).*", "", 0},
		{"spawn booted launchctl bootout", "", "Unrecognized subcommand: .*\n", 64},
		{"spawn booted frobnicate", "", "simctl: error: unable to find utility \"frobnicate\", not on the device\n", 72},
		{"spawn booted log show --style weird", "", "log: Invalid style 'weird'\n", 64},
		{"spawn booted log show --predicate process", "", "log: Bad predicate .*\n", 64},
		{"spawn booted defaults read com.iosagent.shop", "", "(?s).*does not exist\n+", 1},
		{"spawn booted defaults write com.iosagent.shop debug -bool YES", "", "", 0},
		{"spawn booted defaults read com.iosagent.shop debug", "1\n", "", 0},
		{"icloud_sync booted", "", "", 0},
		{"logverbose booted enable", "", "", 0},
		{"logverbose maybe", "", "Usage: .*\n", 22},
		{"diagnose -b --output out --no-archive", "(?s)Collecting diagnostics.*out/simctl_diagnose_.*\n", "", 0},
		{"diagnose -b --output out", "(?s)Collecting.*\\.tar\\.gz\n", "", 0},
		{"runtime list", "(?s)== Disk Images ==\n-- iOS --\n.*Total Disk Images: .*", "", 0},
		{"runtime match list -j", "(?s){\n  \"appletvos18.5\" : {\n    \"chosenRuntimeBuild\".*}\n", "", 0},
		{"runtime delete all", "", "simctl: Virtual Xcode does not support runtime delete yet.\n", 1},
		{"runtime dance", "", "Usage: .*\n", 22},
		{"help pair", "Create a new watch and phone pair.\nUsage: simctl pair <watch device> <phone device>\n", "", 0},
		{"help dance", "(?s)usage: simctl .*", "Unrecognized subcommand: dance\n", 1},
		{"pair Apple~Watch~Series~10~(46mm) iPhone~15", "", "(?s).*code=401.*already paired\n", 145},
		{"pair iPhone~15 iPhone~15", "", "(?s).*code=402.*\n", 146},
		{"unpair A50D83C1-7E42-4B96-9F0A-3C68E1D7B25F", "", "", 0},
		{"unpair A50D83C1-7E42-4B96-9F0A-3C68E1D7B25F", "", "Invalid device pair: .*\n", 148},
		{"pair Apple~Watch~Series~10~(46mm) iPhone~15", "[0-9A-F-]{36}\n", "", 0},
		{"pair_activate none", "", "Invalid device pair: none\n", 148},
		{"upgrade booted iOS26.0", "", "(?s).*code=405.*\n", 149},
		{"upgrade iPhone~15 iOS16.4", "", "(?s).*code=403.*\n", 147},
		{"io booted enumerate", "(?s)Port:\n.*Default width: 1206\n.*", "", 0},
		{"io booted dance", "", "Usage: .*\n", 22},
		{"uninstall booted com.iosagent.shop", "", "", 0},
		{"uninstall booted com.iosagent.shop", "", "", 0},
		{"listapps booted", "{\n}\n", "", 0},
		{"erase booted", "", regexp.QuoteMeta("An error was encountered processing the command " +
			"(domain=com.apple.CoreSimulator.SimError, code=405):\n" +
			"Unable to erase contents and settings in current state: Booted\n"), 149},
		{"shutdown booted", "", "", 0},
		{"erase all", "", "", 0},
		{"create Mine iPhone~16 iOS18.5", "[0-9A-F-]{36}\n", "", 0},
		{"create Mine2 iPhone~16", "[0-9A-F-]{36}\n",
			regexp.QuoteMeta("No runtime specified, using 'iOS 26.0 (26.0 - 23A343) - com.apple.CoreSimulator.SimRuntime.iOS-26-0'\n"), 0},
		{"create Mine3 Nokia", "", "Invalid device type: Nokia\n", 161},
		{"create Mine3 iPhone~16 iOS9", "", "Invalid runtime: iOS9\n", 162},
		{"create Mine3 iPhone~16 iOS16.4", "", "(?s).*code=403\\):\nIncompatible device\n", 147},
		{"upgrade Mine iOS26.0", "", "", 0},
		{"clone Mine Twin", "[0-9A-F-]{36}\n", "", 0},
		{"rename Twin Other", "", "", 0},
		{"rename Twin Other", "", "Invalid device: Twin\n", 148},
		{"delete Other Mine2", "", "", 0},
		{"delete unavailable", "", "", 0},
		{"list devices unavailable", "(?s).*-- visionOS 2.5 --\n", "", 0},
		{"boot Mine", "", "", 0},
		{"delete all", "", "", 0},
		{"list pairs", "== Device Pairs ==\n", "", 0},
		{"delete", "", "Usage: simctl delete .*\n", 22},
	} {
		var args []string
		for _, a := range strings.Fields(c.args) {
			args = append(args, strings.ReplaceAll(a, "~", " "))
		}
		out, errout, exit := s.run(args...)
		whole := func(pattern, text string) bool {
			return regexp.MustCompile(`^(?:` + strings.ReplaceAll(pattern, "ROOT", regexp.QuoteMeta(s.root)) + `)$`).MatchString(text)
		}
		if exit != c.exit || !whole(c.out, out) || !whole(c.err, errout) {
			t.Errorf("simctl %s: exit %d, want %d\n%s%s", c.args, exit, c.exit, out, errout)
		}
		if e := apple.ParseError([]byte(errout)); strings.HasPrefix(errout, "An error") &&
			(e.Domain == "" || e.Raw != "" || e.Code&0xFF != exit) {
			t.Errorf("simctl %s: the production parser reads %+v", c.args, e)
		}
	}
}

func TestVerbsRefuseShutDownDevice(t *testing.T) {
	s := newTool(t)
	for _, args := range []string{
		"addmedia U a.png", "appinfo U x", "get_app_container U x", "getenv U HOME", "io U enumerate", "io U recordVideo a.mov",
		"keychain U reset", "listapps U", "location U clear", "openurl U https://x", "pbcopy U", "pbpaste U", "privacy U reset all",
		"push U x.json", "spawn U true", "status_bar U list", "ui U appearance", "uninstall U x", "launch U x",
	} {
		if _, errout, exit := s.run(strings.Fields(strings.Replace(args, "U", s.udid(), 1))...); errout != lookup || exit != 149 {
			t.Errorf("simctl %s: exit %d\n%s", args, exit, errout)
		}
	}
}

func TestPasteboardsSyncBetweenHostAndDevices(t *testing.T) {
	s := on(t)
	s.input = "from outside\n"
	s.ok("pbcopy", "booted")
	if out := s.ok("pbpaste", "booted"); out != s.input {
		t.Errorf("pasted %q", out)
	}
	s.ok("pbsync", "booted", "host")
	s.ok("boot", "iPhone 15")
	s.ok("pbsync", "host", "iPhone 15")
	if out := s.ok("pbpaste", "iPhone 15"); out != s.input {
		t.Errorf("pasted %q", out)
	}
	s.input = `{"aps":{}}`
	if out := s.ok("push", "booted", shop, "-"); out != "Notification sent to 'com.iosagent.shop'\n" {
		t.Errorf("push printed %q", out)
	}
}

func TestDeviceRecordsURLsPushesAndMedia(t *testing.T) {
	s := on(t)
	s.ok("openurl", "booted", "https://example.com/a")
	s.ok("push", "booted", "push.json")
	s.ok("privacy", "booted", "grant", "photos", shop)
	s.ok("location", "booted", "set", "52.5,13.4")
	s.ok("addmedia", "booted", "a.png")
	got, err := s.world.Settings(s.udid())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Opened) != 1 || len(got.Pushes) != 1 || got.Privacy[shop]["photos"] != world.Granted || got.Location.Latitude != 52.5 {
		t.Errorf("the settings are %+v", got)
	}
	if data, err := os.ReadFile(got.Media[0]); err != nil || string(data) != "png" || filepath.Base(got.Media[0]) != "IMG_0001.PNG" {
		t.Errorf("the photo %s is %q, %v", got.Media[0], data, err)
	}
	app := strings.TrimSpace(s.ok("get_app_container", "booted", shop, "app"))
	if _, err := os.Stat(filepath.Join(app, "Info.plist")); err != nil {
		t.Error(err)
	}
}

// launchctl list has what runs, as launchd labels it, and nothing that ended.
func TestLaunchctlListsRunningProcesses(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	s.ok("install", phone, "Shop.app")
	s.ok("install", phone, "Conformance.app")
	s.ok("launch", phone, shop)
	s.ok("launch", phone, "com.iosagent.conformance")
	runner, err := s.world.RunTests(t.Context(), s.udid(), 4711, "com.example.uitests.xctrunner")
	if err != nil {
		t.Fatal(err)
	}
	list := func() string { return s.ok("spawn", phone, "launchctl", "list") }
	app := func(bundle string) *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\d+\t0\tUIKitApplication:` + regexp.QuoteMeta(bundle) + `\[[0-9a-f]{4}\]\[rb-legacy\]$`)
	}
	all := list()
	for _, want := range []*regexp.Regexp{
		regexp.MustCompile(`^PID\tStatus\tLabel\n`), regexp.MustCompile(`(?m)^\d+\t0\tcom\.apple\.SpringBoard$`), app(shop),
		app("com.iosagent.conformance"), regexp.MustCompile(`(?m)^4711\t0\tUIKitApplication:com\.example\.uitests\.xctrunner\[1267\]`),
	} {
		if !want.MatchString(all) {
			t.Errorf("no %s in:\n%s", want, all)
		}
	}
	s.ok("terminate", phone, shop)
	s.ok("terminate", phone, "com.example.uitests.xctrunner")
	<-runner.Terminated()
	runner.End()
	if rest := list(); strings.Contains(rest, shop) || strings.Contains(rest, "xctrunner") || !strings.Contains(rest, "conformance") {
		t.Errorf("after their end:\n%s", rest)
	}
}
