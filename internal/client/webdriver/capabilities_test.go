package webdriver

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func matching(t *testing.T, body string) (wanted, error) {
	t.Helper()
	var read map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &read); err != nil {
		t.Fatal(err)
	}
	return match(read)
}

func TestMatchCombinesAlwaysAndFirstMatch(t *testing.T) {
	w, err := matching(t, `{"capabilities": {
		"alwaysMatch": {"platformName": "ios", "appium:udid": "U", "appium:newCommandTimeout": 90, "appium:noReset": null, "webSocketUrl": true,
			"appium:processArguments": {"args": ["-a"], "env": {"B": "c"}}, "vendor:thing": [1], "timeouts": {"implicit": 250}},
		"firstMatch": [{"browserName": "Safari"}, {"appium:bundleId": "com.example.shop", "appium:automationName": "xcuitest"}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	if w.udid != "U" || w.bundle != "com.example.shop" || w.patience != 90*time.Second || w.implicit != 250*time.Millisecond || !w.restart ||
		!w.launch || w.agent || strings.Join(w.args, " ") != "-a" || w.env["B"] != "c" {
		t.Errorf("%+v", w)
	}
	w, err = matching(t, `{"capabilities": {"alwaysMatch": {}, "firstMatch": [{"bundleId": null, "arguments": [], "environment": {},
		"shouldWaitForQuiescence": true, "maxTypingFrequency": 60, "forceAppLaunch": false}]}}`)
	if err != nil || !w.agent || w.patience != agentPatience || w.restart {
		t.Errorf("what an Appium server sends: %+v, %v", w, err)
	}
	w, err = matching(t, `{"capabilities": {"alwaysMatch": {"platformName": "iOS",
		"appium:options": {"udid": "auto", "newCommandTimeout": "0"}}}}`)
	if err != nil || w.udid != "" || w.patience != 0 {
		t.Errorf("nested: %+v, %v", w, err)
	}
	w, err = matching(t, `{"capabilities": {}}`)
	if err != nil || w.patience != agentPatience {
		t.Errorf("empty: %+v, %v", w, err)
	}
}

func TestInvalidCapabilitiesAreRefused(t *testing.T) {
	for _, c := range []struct {
		body string
		kind kind
		says string
	}{
		{`{}`, invalidArgument, "capabilities"},
		{`{"capabilities": []}`, invalidArgument, "capabilities"},
		{`{"desiredCapabilities": {"platformName": "iOS"}}`, invalidArgument, "capabilities"},
		{`{"capabilities": {"alwaysMatch": []}}`, invalidArgument, "alwaysMatch"},
		{`{"capabilities": {"firstMatch": []}}`, invalidArgument, "firstMatch"},
		{`{"capabilities": {"firstMatch": [1]}}`, invalidArgument, "firstMatch"},
		{`{"capabilities": {"alwaysMatch": {"deviceName": "x"}}}`, invalidArgument, `"deviceName"`},
		{`{"capabilities": {"alwaysMatch": {"platformName": 1}}}`, invalidArgument, "platformName"},
		{`{"capabilities": {"alwaysMatch": {"pageLoadStrategy": "lazy"}}}`, invalidArgument, "pageLoadStrategy"},
		{`{"capabilities": {"alwaysMatch": {"timeouts": {"implicit": -1}}}}`, invalidArgument, "implicit"},
		{`{"capabilities": {"alwaysMatch": {"timeouts": {"later": 1}}}}`, invalidArgument, "later"},
		{`{"capabilities": {"alwaysMatch": {"appium:newCommandTimeout": -1}}}`, invalidArgument, "newCommandTimeout"},
		{`{"capabilities": {"alwaysMatch": {"appium:newCommandTimeout": "soon"}}}`, invalidArgument, "newCommandTimeout"},
		{`{"capabilities": {"alwaysMatch": {"appium:options": {"udid": 1}}}}`, invalidArgument, "appium:udid"},
		{`{"capabilities": {"alwaysMatch": {"platformName": "iOS"}, "firstMatch": [{"platformName": "iOS"}]}}`, invalidArgument, "platformName"},
		{`{"capabilities": {"alwaysMatch": {"platformName": "Android"}}}`, notCreated, "Android"},
		{`{"capabilities": {"firstMatch": [{"browserName": "Safari"}, {"appium:automationName": "UiAutomator2"}]}}`, notCreated, "UiAutomator2"},
	} {
		_, err := matching(t, c.body)
		var f *failure
		if !errors.As(err, &f) || f.kind != c.kind || !strings.Contains(f.message, c.says) {
			t.Errorf("%s: %v; it should be %q that says %s", c.body, err, c.kind.name, c.says)
		}
	}
}

func TestPressesSplitsTextAndKeys(t *testing.T) {
	got, err := presses("ab\uE003\uE003c\n\uE03Da\uE000d")
	var said []string
	for _, p := range got {
		said = append(said, p.text+strings.Join(p.modifiers, "+")+"<"+p.key+">"+strings.Repeat("!", p.times))
	}
	if want := "ab<> <delete>!! c<> <return>! command<a>! d<>"; err != nil || strings.Join(said, " ") != want {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := presses("\uE031"); err == nil || !strings.Contains(err.Error(), "U+E031") {
		t.Errorf("F1: %v", err)
	}
}
