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

// mostParents is how far up we look for the first process of a simulator. Apps are its children; what they start is one further down.
const mostParents = 10

// simulatorsInit is the first process of every simulator. Its command line names a file in the folder of its device.
const simulatorsInit = "launchd_sim"

// noSimulator is why a program of the Mac itself has no simulator.
const noSimulator = "the program runs on this machine itself, in no simulator"

// identify says what a process is. look tells of others.
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

// simulatorOf walks up to the first process of a simulator, and says which that is. A parent that started after its child is another
// process that has got the id of the parent since.
func simulatorOf(p processes.Ancestor, look func(pid int) (processes.Ancestor, error)) (udid, why string) {
	for range mostParents {
		if is(p, simulatorsInit) {
			if udid = udidIn(p.Args); udid == "" {
				return "", "the command line of its " + simulatorsInit + " names no simulator"
			}
			return udid, ""
		}
		if p.Parent <= 1 {
			return "", noSimulator
		}
		parent, err := look(p.Parent)
		if err != nil {
			return "", "who started the program is not told by the system"
		}
		if began(parent.Start) > began(p.Start) {
			return "", "who started the program has ended"
		}
		p = parent
	}
	return "", noSimulator
}

// program is what a process executes. Of a link the system tells where it leads, and the command line how it was called: that is the
// app, if one of the two is.
func program(p processes.Ancestor) string {
	if len(p.Args) > 0 && !anApp.MatchString(p.Path) && anApp.MatchString(p.Args[0]) {
		return p.Args[0]
	}
	return p.Path
}

// is reports whether a process executes a program of this name, or calls itself so.
func is(p processes.Ancestor, program string) bool {
	return filepath.Base(p.Path) == program || len(p.Args) > 0 && filepath.Base(p.Args[0]) == program
}

// began is a start time as a number: only the order of two matters. Linux tells ticks and, behind @, which boot they count from.
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

// udidIn is the simulator that a command line names: the one whose folder is in it, or else the only udid.
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

// appOf is the bundle id of the app that a program in a simulator belongs to. Only a program in the folder of an app is certainly that
// app's: the services of the system carry the requests of many.
func appOf(path, udid string) (bundle, why string) {
	m := anApp.FindStringSubmatch(path)
	if m == nil {
		return "", filepath.Base(path) + " is a service of the system; which app it works for is not known"
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
