package webdriver

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// wanted holds the requests of the capabilities.
type wanted struct {
	given               map[string]any
	udid, name, version string
	bundle, app         string
	args                []string
	env                 map[string]string
	launch, restart     bool
	agent               bool // an Appium server asks
	patience, implicit  time.Duration
}

// checks are the capabilities without a prefix: the W3C's, and an Appium server's for WebDriverAgent.
var checks = map[string]func(any) string{
	"acceptInsecureCerts": boolean, "browserName": text, "browserVersion": text, "platformName": text, "proxy": object,
	"setWindowRect": boolean, "timeouts": timeouts, "strictFileInteractability": boolean, "webSocketUrl": boolean,
	"userAgent": text, "pageLoadStrategy": oneOf("none", "eager", "normal"),
	"unhandledPromptBehavior": func(v any) string {
		if _, is := v.(map[string]any); is {
			return ""
		}
		return text(v)
	},
}

// agentChecks are the capabilities that an Appium server sends to WebDriverAgent.
var agentChecks = map[string]func(any) string{
	"bundleId": text, "arguments": list, "environment": object, "eventloopIdleDelaySec": number, "shouldWaitForQuiescence": boolean,
	"maxTypingFrequency": number, "shouldUseSingletonTestManager": boolean, "waitForIdleTimeout": number,
	"shouldUseCompactResponses": boolean, "elementResponseFields": text, "disableAutomaticScreenshots": boolean,
	"shouldTerminateApp": boolean, "forceAppLaunch": boolean, "appLaunchStateTimeoutSec": number, "useNativeCachingStrategy": boolean,
	"forceSimulatorSoftwareKeyboardPresence": boolean, "defaultAlertAction": text, "initialUrl": text,
	"shouldUseTestManagerForVisibilityDetection": boolean, "waitForQuiescence": boolean, "app": text,
}

// appiumChecks are the supported capabilities of Appium; its others are accepted without effect.
var appiumChecks = map[string]func(any) string{
	"udid": text, "deviceName": text, "platformVersion": text, "automationName": text, "bundleId": text, "app": text,
	"newCommandTimeout": seconds, "processArguments": object, "noReset": boolean, "autoLaunch": boolean, "forceAppLaunch": boolean,
	"shouldTerminateApp": boolean, "options": object,
}

const appium = "appium:"

// The types of a capability: each check returns what is wrong with a value.
var (
	text    = typed[string]("must be a text")
	boolean = typed[bool]("must be true or false")
	number  = typed[float64]("must be a number")
	list    = typed[[]any]("must be a list")
	object  = typed[map[string]any]("must be an object")
)

func typed[T any](wrong string) func(any) string {
	return func(v any) string {
		if _, is := v.(T); !is {
			return wrong
		}
		return ""
	}
}

func seconds(v any) string {
	if s, is := v.(string); is { // some suites write it as text
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return "must be a number"
		}
		v = f
	}
	if f, is := v.(float64); !is || f < 0 || math.IsNaN(f) || f > 1e6 {
		return "must be a number of seconds from 0"
	}
	return ""
}

func oneOf(words ...string) func(any) string {
	return func(v any) string {
		if s, is := v.(string); !is || !slices.Contains(words, s) {
			return "must be one of " + strings.Join(words, ", ")
		}
		return ""
	}
}

func timeouts(v any) string {
	all, is := v.(map[string]any)
	if !is {
		return "must be an object"
	}
	for name, each := range all {
		f, is := each.(float64)
		if !slices.Contains([]string{"script", "pageLoad", "implicit"}, name) {
			return "has the unknown " + strconv.Quote(name)
		}
		if name == "script" && each == nil {
			continue
		}
		if !is || f < 0 || f > 1<<53 || f != math.Trunc(f) {
			return name + " must be a whole number of milliseconds"
		}
	}
	return ""
}

// match reads the capabilities of New Session: alwaysMatch with each of firstMatch; the first supported one wins.
func match(body map[string]json.RawMessage) (wanted, error) {
	var asked map[string]any
	if err := json.Unmarshal(body["capabilities"], &asked); err != nil || asked == nil {
		return wanted{}, fail(invalidArgument, "the body has no object \"capabilities\"").
			hinted(`such as {"capabilities": {"alwaysMatch": {"platformName": "iOS", "appium:deviceName": "iPhone 16"}}}`)
	}
	always, err := checked(asked["alwaysMatch"], "alwaysMatch")
	if err != nil {
		return wanted{}, err
	}
	first := []any{map[string]any{}}
	if raw, given := asked["firstMatch"]; given {
		is := false
		if first, is = raw.([]any); !is || len(first) == 0 {
			return wanted{}, fail(invalidArgument, "firstMatch must be a list with an object")
		}
	}
	var all []map[string]any
	for _, each := range first {
		one, err := checked(each, "firstMatch")
		if err != nil {
			return wanted{}, err
		}
		for name := range one {
			if _, twice := always[name]; twice {
				return wanted{}, fail(invalidArgument, "%q is in alwaysMatch and in firstMatch", name)
			}
		}
		maps.Copy(one, always)
		all = append(all, one)
	}
	var why []string
	for _, each := range all {
		w, reason := served(each)
		if reason == "" {
			return w, nil
		}
		why = append(why, reason)
	}
	return wanted{}, fail(notCreated, "no set of the capabilities fits: %s", strings.Join(why, "; "))
}

// checked is one set of capabilities, each of the right type. Null capabilities are left out.
func checked(raw any, where string) (map[string]any, error) {
	if raw == nil && where == "alwaysMatch" {
		return map[string]any{}, nil
	}
	given, is := raw.(map[string]any)
	if !is {
		return nil, fail(invalidArgument, "%s must be an object", where)
	}
	given = flat(given)
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		if value == nil {
			continue
		}
		check, known := checks[name]
		if !known {
			check, known = agentChecks[name]
		}
		if short, is := strings.CutPrefix(name, appium); is {
			check = appiumChecks[short]
			known = true
		}
		if !known && !strings.Contains(name, ":") {
			return nil, fail(invalidArgument, "unknown capability %q", name).
				hinted("Appium's capabilities have a prefix: appium:" + name)
		}
		if check != nil {
			if wrong := check(value); wrong != "" {
				return nil, fail(invalidArgument, "the capability %s %s", name, wrong)
			}
		}
		out[name] = value
	}
	return out, nil
}

// flat moves the capabilities of appium:options among the others.
func flat(given map[string]any) map[string]any {
	nested, is := given[appium+"options"].(map[string]any)
	if !is {
		return given
	}
	given = maps.Clone(given)
	delete(given, appium+"options")
	for name, value := range nested {
		given[appium+strings.TrimPrefix(name, appium)] = value
	}
	return given
}

// served returns the requests of a set of capabilities, or why we cannot serve it.
func served(caps map[string]any) (w wanted, reason string) {
	str := func(names ...string) string {
		for _, name := range names {
			if s, is := caps[name].(string); is && s != "" {
				return s
			}
		}
		return ""
	}
	yes := func(name string, usual bool) bool {
		for _, each := range []string{appium + name, name} {
			if b, is := caps[each].(bool); is {
				return b
			}
		}
		return usual
	}
	if p := str("platformName"); p != "" && !strings.EqualFold(p, "iOS") {
		return w, "platformName is " + strconv.Quote(p) + ", and this is iOS"
	}
	if b := str("browserName"); b != "" {
		return w, "browserName is " + strconv.Quote(b) + ", and apps are driven here: name a bundleId"
	}
	if a := str(appium + "automationName"); a != "" && !strings.EqualFold(a, "XCUITest") {
		return w, "appium:automationName is " + strconv.Quote(a) + ", and this is XCUITest"
	}
	w = wanted{
		given: caps, udid: str(appium + "udid"), name: str(appium + "deviceName"), version: str(appium + "platformVersion"),
		bundle: str(appium+"bundleId", "bundleId"), app: str(appium+"app", "app"), launch: yes("autoLaunch", true),
		restart: yes("forceAppLaunch", !yes("noReset", false)), patience: usualPatience,
	}
	if w.udid == "auto" {
		w.udid = ""
	}
	_, platform := caps["platformName"]
	if w.agent = !platform && !hasPrefix(caps, appium); w.agent {
		w.patience = agentPatience
	}
	switch v := caps[appium+"newCommandTimeout"].(type) {
	case float64:
		w.patience = time.Duration(v * float64(time.Second))
	case string:
		f, _ := strconv.ParseFloat(v, 64) // checked before
		w.patience = time.Duration(f * float64(time.Second))
	}
	if all, is := caps["timeouts"].(map[string]any); is {
		if ms, is := all["implicit"].(float64); is {
			w.implicit = milliseconds(ms)
		}
	}
	args, env := caps["arguments"], caps["environment"]
	if process, is := caps[appium+"processArguments"].(map[string]any); is {
		args, env = process["args"], process["env"]
	}
	if all, is := args.([]any); is {
		for _, each := range all {
			if s, is := each.(string); is {
				w.args = append(w.args, s)
			}
		}
	}
	if all, is := env.(map[string]any); is {
		w.env = map[string]string{}
		for name, each := range all {
			if s, is := each.(string); is {
				w.env[name] = s
			}
		}
	}
	return w, ""
}

func hasPrefix(caps map[string]any, prefix string) bool {
	for name := range caps {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// capabilities describe the session: the requested capabilities, and the actual device.
func (one *session) capabilities() map[string]any {
	out := maps.Clone(one.given)
	if out == nil {
		out = map[string]any{}
	}
	delete(out, "webSocketUrl") // without an address in the answer, clients do not use BiDi
	if one.agent {
		return map[string]any{
			"device": strings.ToLower(one.family), "browserName": " ", "sdkVersion": numeric(one.os), "CFBundleIdentifier": out["bundleId"],
		}
	}
	out["platformName"], out["browserName"] = "iOS", ""
	out[appium+"automationName"] = "XCUITest"
	out[appium+"udid"], out[appium+"deviceName"], out[appium+"platformVersion"] = one.udid, one.device, numeric(one.os)
	out["acceptInsecureCerts"], out["pageLoadStrategy"], out["setWindowRect"], out["strictFileInteractability"] = false, "normal", false, false
	out["timeouts"] = one.timeouts()
	return out
}

func (one *session) timeouts() map[string]any {
	one.mu.Lock()
	defer one.mu.Unlock()
	return map[string]any{
		"implicit": one.implicit.Milliseconds(), "script": one.script.Milliseconds(), "pageLoad": one.load.Milliseconds(),
	}
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
