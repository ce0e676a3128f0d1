package whose

import (
	"path/filepath"
	"strconv"
	"strings"

	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/text/lazyregexp"
)

// mostParents is the number of parents to search for the first process of a simulator. Apps are its children; their helpers are one level
// below.
const mostParents = 10

// simulatorsInit is the first process of every simulator. Its command line contains a file in the folder of its device.
const simulatorsInit = "launchd_sim"

// noSimulator is the reason why a program of the Mac itself has no simulator.
const noSimulator = "the program runs on this machine itself, outside of any simulator"

// identify describes a process as a client. look finds other processes.
func identify(p processes.Ancestor, look func(pid int) (processes.Ancestor, error)) flow.Client {
	p.Path = program(p)
	client := flow.Client{PID: p.PID, Process: name(p)}
	if !mine(p.UID) {
		client.Unknown = otherUserError{p.UID}.Error()
		return client
	}
	udid, why := simulatorOf(p, look)
	if udid == "" {
		client.Unknown = why
		return client
	}
	client.Simulator = udid
	if client.App, why = appOf(p.Path, udid); client.App == "" {
		client.Unknown = why
	}
	return client
}

// simulatorOf walks up to the first process of a simulator, and returns its udid. A parent that started after its child is another
// process that reuses the parent's id.
func simulatorOf(p processes.Ancestor, look func(pid int) (processes.Ancestor, error)) (udid, why string) {
	for range mostParents {
		if is(p, simulatorsInit) {
			if udid = udidIn(p.Args); udid == "" {
				return "", "the command line of its " + simulatorsInit + " contains no simulator's id"
			}
			return udid, ""
		}
		if p.Parent <= 1 {
			return "", noSimulator
		}
		parent, err := look(p.Parent)
		if err != nil {
			return "", "the system does not show the program's parent process"
		}
		if began(parent.Start) > began(p.Start) {
			return "", "the program's parent process has ended"
		}
		p = parent
	}
	return "", noSimulator
}

// program is the executable of a process. For a link, the system gives its target and the command line the link itself: if one of the two
// is in an app, that one counts.
func program(p processes.Ancestor) string {
	if len(p.Args) > 0 && !anApp.MatchString(p.Path) && anApp.MatchString(p.Args[0]) {
		return p.Args[0]
	}
	return p.Path
}

// is reports whether a process executes a program of this name, or has it as its first argument.
func is(p processes.Ancestor, program string) bool {
	return filepath.Base(p.Path) == program || len(p.Args) > 0 && filepath.Base(p.Args[0]) == program
}

// began is a start time as a number, only for comparing two of them. Linux gives ticks, followed by @ and the boot they count from.
func began(start string) float64 {
	count, _, _ := strings.Cut(start, "@")
	n, _ := strconv.ParseFloat(count, 64)
	return n
}

var (
	deviceFolder = lazyregexp.New(`/Devices/([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})(?:/|$)`)
	anyUDID      = lazyregexp.New(`\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b`)
	// anApp is the outermost app in a path, and the folder of its device if it was installed there.
	anApp = lazyregexp.New(`^(.*?/(?:data/Containers/Bundle/Application/[0-9A-Fa-f-]{36}|RuntimeRoot/Applications)/[^/]+\.app)/.+$`)
)

// udidIn is the simulator in a command line: the simulator whose folder is in it, otherwise the only udid.
func udidIn(args []string) string {
	line := strings.Join(args, " ")
	if m := deviceFolder.FindStringSubmatch(line); m != nil {
		return strings.ToUpper(m[1])
	}
	if all := anyUDID.FindAllString(line, 2); len(all) == 1 {
		return strings.ToUpper(all[0])
	}
	return ""
}

// appOf is the bundle id of the app of a program in a simulator. Only a program in the folder of an app certainly belongs to that app:
// system services send requests for many apps.
func appOf(path, udid string) (bundle, why string) {
	m := anApp.FindStringSubmatch(path)
	if m == nil {
		return "", filepath.Base(path) + " is a service of the system; its app is unknown"
	}
	if at := deviceFolder.FindStringSubmatch(path); at != nil && !strings.EqualFold(at[1], udid) {
		return "", "the program lies in the folder of another simulator"
	}
	id, err := appbundle.ID(m[1])
	if err != nil {
		return "", err.Error()
	}
	return id, ""
}
