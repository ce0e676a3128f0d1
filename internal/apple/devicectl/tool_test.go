package devicectl

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/machine/host"
)

// recorder answers as devicectl would and keeps the command lines; the document's path, which is new each time, is DOC.
type recorder struct {
	lines  []string
	answer string
	exit   int
}

func (r *recorder) Run(_ context.Context, c host.Cmd) (host.Result, error) {
	args := slices.Clone(c.Args)
	for i, a := range args {
		if len(c.Outputs) == 1 && a == c.Outputs[0] {
			args[i] = "DOC"
			if err := os.WriteFile(a, []byte(r.answer), 0o600); err != nil {
				return host.Result{}, err
			}
		}
	}
	r.lines = append(r.lines, strings.Join(append([]string{c.Name}, args...), "|"))
	if r.exit != 0 {
		return host.Result{ExitCode: r.exit}, &host.ExitError{Name: c.Name, Code: r.exit}
	}
	return host.Result{}, nil
}

func TestToolRunsExpectedCommandLines(t *testing.T) {
	r := &recorder{answer: `{"info":{"commandType":"x","outcome":"success"},"result":{"process":{"processIdentifier":41},` +
		`"installedApplications":[{"bundleID":"a.b"}],"devices":[],"apps":[{"bundleIdentifier":"a.b"}],` +
		`"runningProcesses":[{"processIdentifier":1}]}}`}
	tool := Tool{Run: r}
	ctx := t.Context()
	if _, err := tool.List(ctx); err != nil {
		t.Error(err)
	}
	if ids, err := tool.Install(ctx, "DEV", "/a b.app"); err != nil || !slices.Equal(ids, []string{"a.b"}) {
		t.Error(ids, err)
	}
	how := LaunchOptions{Args: []string{"--x", "$(y)"}, Env: map[string]string{"B": "2", "A": "\"1\""}}
	if pid, err := tool.Launch(ctx, "DEV", "a.b", how); err != nil || pid != 41 {
		t.Error(pid, err)
	}
	if err := tool.Terminate(ctx, "DEV", 41); err != nil {
		t.Error(err)
	}
	if apps, err := tool.Apps(ctx, "DEV", ""); err != nil || len(apps) != 1 {
		t.Error(apps, err)
	}
	if apps, err := tool.Apps(ctx, "DEV", "a.b"); err != nil || len(apps) != 1 {
		t.Error(apps, err)
	}
	if all, err := tool.Processes(ctx, "DEV"); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
	if err := tool.Uninstall(ctx, "DEV", "a.b"); err != nil {
		t.Error(err)
	}
	if _, err := tool.Launch(ctx, "DEV", "a.b", LaunchOptions{KeepRunning: true}); err != nil {
		t.Error(err)
	}
	console, err := tool.Console("DEV", "a.b", "/doc", LaunchOptions{Args: []string{"z"}})
	if err != nil {
		t.Error(err)
	}
	want := []string{
		"xcrun|devicectl|list|devices|--json-output|DOC",
		"xcrun|devicectl|device|install|app|--device|DEV|--json-output|DOC|/a b.app",
		"xcrun|devicectl|device|process|launch|--device|DEV|--terminate-existing" +
			`|--environment-variables|{"A":"\"1\"","B":"2"}|--json-output|DOC|a.b|--x|$(y)`,
		"xcrun|devicectl|device|process|terminate|--device|DEV|--pid|41|--json-output|DOC",
		"xcrun|devicectl|device|info|apps|--device|DEV|--include-all-apps|--json-output|DOC",
		"xcrun|devicectl|device|info|apps|--device|DEV|--bundle-id|a.b|--json-output|DOC",
		"xcrun|devicectl|device|info|processes|--device|DEV|--json-output|DOC",
		"xcrun|devicectl|device|uninstall|app|--device|DEV|--json-output|DOC|a.b",
		"xcrun|devicectl|device|process|launch|--device|DEV|--json-output|DOC|a.b",
		"xcrun|devicectl|device|process|launch|--console|--device|DEV|--terminate-existing|--json-output|/doc|a.b|z",
	}
	got := append(r.lines, "xcrun|"+strings.Join(console.Args, "|"))
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFailedCommandReturnsRefusalReason(t *testing.T) {
	r := &recorder{exit: 1, answer: `{"info":{"commandType":"x","outcome":"failed"},` +
		`"error":{"domain":"com.apple.dt.CoreDeviceError","code":10002,"userInfo":{"NSLocalizedDescription":{"string":"It failed."},` +
		`"NSUnderlyingError":{"error":{"domain":"FBS","code":7,"userInfo":{"NSLocalizedFailureReason":{"string":"Locked."}}}}}}}`}
	_, err := Tool{Run: r}.Launch(t.Context(), "DEV", "a.b", LaunchOptions{})
	var no *Refusal
	var exit *host.ExitError
	if !errors.As(err, &no) || no.Reason.Code != 10002 || !errors.As(err, &exit) {
		t.Fatalf("%v", err)
	}
	if want := "devicectl device process launch: It failed.: FBS error 7: Locked."; err.Error() != want {
		t.Errorf("got %s", err)
	}
	r.answer = "not JSON"
	if _, err := (Tool{Run: r}).List(t.Context()); !errors.As(err, &exit) || errors.As(err, &no) {
		t.Errorf("%v", err)
	}
}

func TestToolRefusesArgumentsLikeOptions(t *testing.T) {
	r := &recorder{}
	tool := Tool{Run: r}
	_, install := tool.Install(t.Context(), "--help", "/a.app")
	_, launch := tool.Launch(t.Context(), "DEV", "--console", LaunchOptions{})
	_, console := tool.Console("", "a.b", "/doc", LaunchOptions{})
	_, apps := tool.Apps(t.Context(), "DEV", "--help")
	_, processes := tool.Processes(t.Context(), "")
	for name, err := range map[string]error{
		"install": install, "launch": launch, "console": console, "apps": apps, "processes": processes,
		"terminate": tool.Terminate(t.Context(), "-x", 1), "uninstall": tool.Uninstall(t.Context(), "DEV", "-a"),
	} {
		if err == nil {
			t.Errorf("%s let an option through", name)
		}
	}
	if len(r.lines) > 0 {
		t.Errorf("ran %q", r.lines)
	}
}

func TestRunsMatchesProcessInsideAppFolder(t *testing.T) {
	app := App{URL: "file:///private/var/containers/Bundle/Application/1/Runner.app/"}
	for executable, want := range map[string]bool{
		"file:///private/var/containers/Bundle/Application/1/Runner.app/Runner":  true,
		"file:///var/containers/Bundle/Application/1/Runner.app/Runner":          true,
		"file:///private/var/containers/Bundle/Application/1/Runner.app2/Runner": false,
		"file:///private/var/containers/Bundle/Application/2/Runner.app/Runner":  false,
		"file:///sbin/launchd": false,
		"":                     false,
	} {
		if got := app.Runs(Process{Executable: executable}); got != want {
			t.Errorf("%s: %v", executable, got)
		}
	}
	if (App{}).Runs(Process{Executable: "/sbin/launchd"}) {
		t.Error("an app without a folder runs everything")
	}
}
