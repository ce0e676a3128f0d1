package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
)

// markVariable is in the environment of everything a bench starts, with a value of its own: so that what a server
// leaves behind is found, and nothing else is taken for it.
const markVariable = "IOS_AGENT_BENCH"

// lab is freshly built programs, and a folder with a home nobody else uses.
type lab struct {
	built string // the folder of the programs
	dir   string
	mark  string
	host  *host.Host
	sizes bool // only what is counted fails the run
}

// programs are what a lab builds: our program as it is released, not with -race, and what it is compared with.
var programs = []struct{ name, pkg, tags, ldflags string }{
	{"ios-agent", "cmd/ios-agent", "", ""},
	{"stripped", "cmd/ios-agent", "", "-s -w"},
	{"novirtual", "cmd/ios-agent", "novirtual", ""},
	{"baresdk", "test/bench/baresdk", "", ""},
	{"hello", "test/bench/hello", "", ""},
	{"wireproxy", "test/bench/wireproxy", "", ""},
}

// openLab builds what is measured.
func openLab(ctx context.Context) (*lab, error) {
	dir, err := os.MkdirTemp("", "bench") // short: a socket's path may have 100 bytes
	if err != nil {
		return nil, err
	}
	runner, err := host.New(host.Options{Inherit: []string{"*"}})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	l := &lab{built: dir, dir: dir, mark: newMark(), host: runner}
	if err := prebuildWDA(l.program(wdaProducts)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	for _, p := range programs {
		args := []string{"build", "-tags", p.tags, "-ldflags", p.ldflags, "-o", l.program(p.name), "ios-agent/" + p.pkg}
		build := host.Cmd{Name: "go", Args: args, Env: []string{"CGO_ENABLED=0"}, Timeout: 5 * time.Minute} // as `make build` does
		if _, err := runner.Run(ctx, build); err != nil {
			return nil, errors.Join(fmt.Errorf("building %s: %w", p.name, err), l.Close())
		}
	}
	return l, nil
}

// Close ends everything the bench started and removes its folder.
func (l *lab) Close() error {
	return errors.Join(l.host.Close(), endAll(l.mark), os.RemoveAll(l.dir))
}

func newMark() string { return markVariable + "=" + rand.Text() }

// again does something with the same programs in an empty folder, without any process that was started before.
func (l *lab) again(do func(*lab) error) error {
	if err := endAll(l.mark); err != nil {
		return err
	}
	fresh := *l
	fresh.mark = newMark()
	var err error
	if fresh.dir, err = os.MkdirTemp(l.dir, ""); err != nil {
		return err
	}
	return errors.Join(do(&fresh), endAll(fresh.mark), os.RemoveAll(fresh.dir))
}

func (l *lab) program(name string) string { return filepath.Join(l.built, name) }

func (l *lab) path(name string) string { return filepath.Join(l.dir, name) }

// home is where our program keeps its things.
func (l *lab) home() home.Home { return home.Home(l.path("home")) }

// command runs one of the lab's programs as if nothing of this machine were configured for it.
func (l *lab) command(name string, args ...string) host.Cmd {
	return host.Cmd{Name: l.program(name), Args: args, Dir: l.dir, Env: []string{
		l.mark, home.Variable + "=" + l.home().String(), "IOS_AGENT_TOOLCHAIN=virtual", "IOS_AGENT_VIRTUAL_TIME=request",
		"IOS_AGENT_SESSION=bench", "IOS_AGENT_TOOLS=", "IOS_AGENT_JOB_AFTER=", "IOS_AGENT_WDA_PRODUCTS=" + l.program(wdaProducts),
	}}
}

// took runs a program to its end and tells how long it lived.
func (l *lab) took(ctx context.Context, name string, args ...string) (time.Duration, error) {
	result, err := l.host.Run(ctx, l.command(name, args...))
	return result.Took, err
}
