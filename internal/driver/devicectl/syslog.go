package devicectl

import (
	"context"
	"path"
	"strings"
	"time"
	"unicode"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/stream"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// relays are the programs of others that show the log of a physical device, the better one first: devicectl cannot. Each is told
// the device by its hardware udid.
var relays = []relay{
	{name: "idevicesyslog", args: func(udid, process string) []string {
		if process == "" {
			return []string{"-u", udid}
		}
		return []string{"-u", udid, "-p", process}
	}},
	{name: "pymobiledevice3", args: func(udid, process string) []string {
		if process == "" {
			return []string{"syslog", "live", "--udid", udid}
		}
		return []string{"syslog", "live", "--udid", udid, "-pn", process}
	}},
}

type relay struct {
	name string
	args func(udid, process string) []string
}

// connectWait is how long a relay may take to say that it is connected; one that says nothing and lives is taken for connected.
const connectWait = 5 * time.Second

// logged is a physical device whose log a relay shows.
type logged struct {
	*handset
	relay relay
}

var _ device.Logs = (*logged)(nil)

// FollowLog follows the log of the device, as text: a relay has neither events nor levels, so who reads leaves out what is not wanted.
func (l *logged) FollowLog(ctx context.Context, what device.LogFilter, line func(string)) (device.Stream, error) {
	if len(what.Subsystems) > 0 {
		return nil, fault.New(fault.Unsupported, "%s cannot show single subsystems of a physical device", l.relay.name).
			WithHint("follow an app: `ios-agent logs start APP`")
	}
	if strings.HasPrefix(what.Process, "-") || strings.ContainsFunc(what.Process, unicode.IsControl) {
		return nil, fault.New(fault.InvalidInput, "%.80q is no name of a process", what.Process)
	}
	remark := func(line string) bool {
		return strings.HasPrefix(line, "[connected") || strings.HasPrefix(line, "[disconnected")
	}
	s, err := stream.Start(ctx, l.driver.host, stream.Program{
		Cmd:    host.Cmd{Name: l.relay.name, Args: l.relay.args(l.info.UDID, what.Process)},
		Remark: remark, Ready: remark, Wait: connectWait,
		Explain: func(stderr []byte, err error) error {
			return fault.New(fault.ToolFailed, "%s does not show the log of %s: %w: %s", l.relay.name, l.info.Name, err,
				strings.TrimSpace(string(stderr)))
		},
	}, line)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// LogName is the name of the app's folder, which its program nearly always has too: devicectl does not tell the program's.
func (l *logged) LogName(ctx context.Context, bundleID string) (string, error) {
	app, err := l.app(ctx, bundleID)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(path.Base(strings.TrimSuffix(app.URL, "/")), ".app"), nil
}
