package house_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/asked"
	"ios-agent/test/house"
)

// question is something that an engineer asks, and the operations that do it.
type question struct{ asks, right string }

// questions are as engineers ask them who do not know this product's words.
var questions = []question{
	{"why did my app crash", "show_crash list_crashes"},
	{"make the network slow", "proxy_mock"},
	{"type into the password field", "fill type_text"},
	{"what requests did the app send", "list_flows"},
	{"set dark mode", "set_appearance"},
	{"grant camera permission", "grant_permission"},
	{"send a push notification", "push"},
	{"record a video", "record_video"},
	{"run only one unit test", "test test_sim"},
	{"change the language of the app", "launch_app"},
	{"simulate location", "set_location"},
	{"which phones are free", "list_device_pool resolve_device"},
	{"launch program under debugger", "debug_launch"},
	{"open a deep link", "open"},
	{"rotate to landscape", "rotate"},
	{"dismiss the permission popup", "alert"},
	{"scroll down until I find the logout button", "scroll_to"},
	{"show me the console output", "read_logs"},
	{"what does the server respond to the login request", "show_flow"},
	{"return a fake 500 from the api", "proxy_mock"},
	{"print local variables at the breakpoint", "debug_vars"},
	{"stop at line 42 of ContentView.swift", "debug_break"},
	{"delete the app and its data", "uninstall_app"},
	{"start with a fresh simulator", "reset_sim boot_device"},
	{"check accessibility problems of this screen", "audit"},
	{"wait until the loading spinner disappears", "wait"},
	{"copy something to the clipboard", "pasteboard"},
	{"force quit the application", "terminate_app"},
	{"show full battery and 9:41 in the status bar", "set_status_bar"},
	{"swipe to delete a row", "swipe"},
	{"turn on a toggle", "set_value tap_element"},
	{"which tests failed", "show_build test"},
	{"export network traffic as HAR", "export_flows"},
	{"zoom into the map", "pinch double_tap"},
	{"put the app in the background", "home press_button"},
	{"is my machine set up correctly", "doctor"},
	{"code coverage of my tests", "get_coverage_report get_file_coverage"},
	{"create a new iOS project", "scaffold_ios_project"},
	{"lock the phone", "press_button"},
	{"reorder items by dragging", "drag"},
}

// heldBack are questions that the words of the operations were not written for.
var heldBack = []question{
	{"the https traffic of my app is unreadable", "install_proxy_cert proxy_cert"},
	{"press enter on the keyboard", "press_key"},
	{"evaluate an expression in the paused app", "debug_lldb"},
	{"bigger fonts", "set_appearance"},
	{"find out who uses the iPhone 16 simulator right now", "list_device_pool device_claim_log"},
	{"reload the list by pulling it down", "swipe drag"},
	{"fill out the sign-up form", "fill batch"},
	{"go to the previous page", "back"},
	{"does the app log any errors", "read_logs summarize_logs"},
	{"take a picture of what the user sees", "take_screenshot"},
	{"pretend there is no internet connection", "proxy_mock"},
	{"compile the project without running it", "build_sim"},
	{"choose a birthday in the date wheel", "set_value"},
	{"what does the error message of the last build say", "show_build"},
	{"abort the running build", "job_cancel"},
	{"get rid of the on-screen keyboard", "hide_keyboard toggle_software_keyboard"},
	{"which function is the main thread stuck in", "debug_stack debug_pause"},
	{"modify a server response before the app gets it", "proxy_hold proxy_mock proxy_release"},
	{"get the exact text of a label", "get_element"},
	{"two simulators at the same time", "ensure_devices boot_device"},
}

// heldBackLater are more of them, written after the words.
var heldBackLater = []question{
	{"see the view hierarchy", "snapshot describe_ui"},
	{"tap the login button", "tap_element"},
	{"uninstall and reinstall the app", "uninstall_app install_app"},
	{"boot an iPad", "boot_device"},
	{"what is in the response headers", "show_flow"},
	{"resend the last request with a different body", "proxy_replay"},
	{"how do I make the api time out", "proxy_mock"},
	{"attach lldb to my app", "debug_attach"},
	{"step over this line", "debug_step"},
	{"resume execution", "debug_continue"},
	{"who called this function", "debug_stack"},
	{"long press on an icon", "long_press"},
	{"clear the search field", "clear"},
	{"show warnings from the compiler", "show_build build_sim"},
	{"what schemes does the project have", "list_schemes"},
	{"revoke location access", "grant_permission"},
	{"reset all privacy prompts", "grant_permission"},
	{"give the simulator back so others can use it", "release_device"},
	{"is there any memory warning in the logs", "read_logs summarize_logs"},
	{"mock the GPS to Berlin", "set_location"},
}

// foundBy asks find_tools, and gives its text and the names in it.
func foundBy(t *testing.T, h *house.House, asks string) (text string, names []string) {
	t.Helper()
	res, err := h.MCP("a", product.Serving{}).CallTool(t.Context(), &sdk.CallToolParams{Name: "find_tools", Arguments: in{"query": asks}})
	if err != nil {
		t.Fatal(err)
	}
	text = res.Content[0].(*sdk.TextContent).Text
	for _, line := range strings.Split(text, "\n")[1:] {
		name, _, _ := strings.Cut(line, "(")
		names = append(names, name)
	}
	return text, names
}

// rightAmongFirst counts the questions whose operation is among the first three, and tells of the others.
func rightAmongFirst(t *testing.T, h *house.House, all []question) (right, bytes int) {
	t.Helper()
	for _, q := range all {
		text, names := foundBy(t, h, q.asks)
		bytes = max(bytes, len(text))
		first := names[:min(3, len(names))]
		if slices.ContainsFunc(first, func(name string) bool { return slices.Contains(strings.Fields(q.right), name) }) {
			right++
		} else {
			t.Logf("%q: got %q, want one of %s", q.asks, names, q.right)
		}
	}
	return right, bytes
}

func TestFindToolsKnowsUsersWords(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	right, bytes := rightAmongFirst(t, h, questions)
	t.Logf("%d of %d questions; the longest answer has %d bytes", right, len(questions), bytes)
	if right*100 < len(questions)*95 {
		t.Errorf("got the right operation for %d of %d questions, want 95 %%", right, len(questions))
	}
	if bytes > 700 {
		t.Errorf("got an answer of %d bytes, want at most 700", bytes)
	}
}

func TestFindToolsAnswersHeldBackQuestions(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	for _, set := range [][]question{heldBack, heldBackLater} {
		right, bytes := rightAmongFirst(t, h, set)
		t.Logf("%d of %d questions; the longest answer has %d bytes", right, len(set), bytes)
		if right*100 < len(set)*90 {
			t.Errorf("got the right operation for %d of %d questions, want 90 %%", right, len(set))
		}
	}
}

// TestFindToolsAnswersAreShort asks for every operation by its name and by its summary.
func TestFindToolsAnswersAreShort(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	total, asked := 0, 0
	for _, o := range h.Product.Catalogue.Ops() {
		for _, query := range []string{o.Name, o.Summary} {
			text, names := foundBy(t, h, query)
			total, asked = total+len(text), asked+1
			if len(text) > 700 || len(names) == 0 {
				t.Errorf("%q: got %d operations in %d bytes, want some in at most 700\n%s", query, len(names), len(text), text)
			}
		}
	}
	t.Logf("%d bytes on average", total/asked)
	if text, _ := foundBy(t, h, ""); len(text) > 700 || !strings.Contains(text, "groups: ") {
		t.Errorf("got %d bytes, want the groups\n%s", len(text), text)
	}
}

// TestEveryOperationHasUsersWords: a new operation is found by what users call it.
func TestEveryOperationHasUsersWords(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	known := map[string]bool{}
	for _, o := range h.Product.Catalogue.Ops() {
		known[fmt.Sprint(o.Name, o.Family == op.Core)] = true
		if o.Family == op.Core && !o.Streams() && asked.Of(o) == "" {
			t.Errorf("%s has no phrases of users in ops/asked", o.Name)
		}
	}
	core, other := asked.Names()
	for _, name := range core {
		if !known[fmt.Sprint(name, true)] {
			t.Errorf("ops/asked has phrases for %s, which is not an operation of ours", name)
		}
	}
	for _, name := range other {
		if !known[fmt.Sprint(name, false)] {
			t.Errorf("ops/asked has phrases for %s, which no other family has", name)
		}
	}
}
