package xcode

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/xcode/macapp"
)

// macApps are the tools for apps of the Mac itself.
func (v views) macApps() []op.Op {
	stop := tool(stopMacApp, "End a macOS app by its name or process", 0, inMac)
	stop.Require = [][]string{{"appName", "processId"}}
	return []op.Op{
		op.New(taking(time.Minute, tool(launchMacApp, "Launch a macOS app, or bring it to the front", op.Executes, inMac),
			"launch-mac-app ./Notes.app"), v.launchMacApp),
		op.New(taking(time.Minute, stop, "stop-mac-app --app-name Notes", "stop-mac-app --process-id 4211"), v.stopMacApp),
	}
}

type launchMacAppIn struct {
	App op.Path `json:"appPath" doc:"path of the .app bundle" cli:"arg"`
	argumentsIn
}

// macAppOut is the result of a call on an app of the Mac.
type macAppOut struct {
	Message   string   `json:"message"`
	App       string   `json:"appPath,omitempty"`
	Name      string   `json:"appName,omitempty"`
	Bundle    string   `json:"bundleId,omitempty"`
	Process   int      `json:"processId,omitempty"`
	Ended     []int    `json:"ended,omitempty"` // processes
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the message and the next steps.
func (o macAppOut) Text() string { return andNext(o.Message, o.NextSteps) }

func (v views) launchMacApp(ctx context.Context, c *op.Call, in launchMacAppIn) (macAppOut, error) {
	args, err := in.arguments()
	if err != nil {
		return macAppOut{}, err
	}
	done, err := v.core.MacApps.Launch(ctx, c, in.App, args)
	if err != nil {
		return macAppOut{}, err
	}
	verb := "launched "
	if done.Restarted {
		verb = "relaunched "
	}
	out := macAppOut{Message: verb + done.Name, App: done.Path, Name: done.Name, Bundle: done.BundleID, Process: done.PID}
	if done.PID == 0 {
		out.Message += "; its process was not found: the app may have ended by itself"
		return out, nil
	}
	out.Message += fmt.Sprintf(" (process %d)", done.PID)
	out.NextSteps = []string{nextCall(stopMacApp, "processId", done.PID)}
	return out, nil
}

type stopMacAppIn struct {
	Name    string `json:"appName,omitempty" doc:"exact name of the app, such as Notes"`
	Process int    `json:"processId,omitempty" doc:"process id" min:"2"`
}

func (v views) stopMacApp(ctx context.Context, c *op.Call, in stopMacAppIn) (macAppOut, error) {
	done, err := v.core.MacApps.Stop(ctx, c, macapp.Which{Name: in.Name, PID: in.Process})
	out := macAppOut{Name: strings.TrimSuffix(in.Name, ".app"), Process: in.Process, Ended: done.PIDs}
	if err == nil {
		out.Message = fmt.Sprintf("ended %s (process %s)", done.Name, strings.Trim(fmt.Sprint(done.PIDs), "[]"))
	}
	return out, err
}
