package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/machine/host"
)

// player answers for Apple's tools from the transcripts of a file. Its tools are links to this program in a folder at the beginning of
// PATH: such a process sends its command line to the player, and prints what comes back. So ios-agent runs unchanged, with the tools' names
// and their processes.
type player struct {
	folder string // bin, the socket, and the home folder that ios-agent sees
	listen net.Listener
	ended  sync.WaitGroup
	stop   context.CancelFunc
	wire   *wire
	steps  []*host.Host // replays the transcripts of each step

	mu     sync.Mutex
	now    int // the step
	absent map[string]bool
}

// playerVariable has the socket of the player for the tools' processes.
const playerVariable = "IOS_AGENT_TEST_PLAYER"

func (t *trial) newPlayer(ctx context.Context, kept []result) (p *player, err error) {
	p = &player{absent: map[string]bool{}}
	if p.folder, err = os.MkdirTemp("", "player"); err != nil { // a socket has a short name
		return nil, err
	}
	if p.wire, err = readWire(t.talkFile()); err != nil {
		return nil, err
	}
	for _, r := range kept {
		p.wire.steps = append(p.wire.steps, r.Talk)
	}
	if err := p.open(t, kept); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.folder))
	}
	ctx, p.stop = context.WithCancel(ctx)
	p.ended.Go(func() {
		for {
			conn, err := p.listen.Accept()
			if err != nil {
				return
			}
			p.ended.Go(func() { p.serve(ctx, conn) })
		}
	})
	return p, nil
}

// open makes the tools and their transcripts ready: a folder for each step, with its own transcripts and those since the step before.
func (p *player) open(t *trial, kept []result) error {
	bin := filepath.Join(p.folder, "bin")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir(bin, 0o700), os.MkdirAll(p.reports(), 0o700)); err != nil {
		return err
	}
	for _, name := range []string{"xcrun", "xcodebuild", "xcode-select"} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	all := t.transcripts()
	for i, r := range kept {
		folder := filepath.Join(p.folder, fmt.Sprint(i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
		last := ""
		if len(r.Transcripts) > 0 {
			last = slices.Max(r.Transcripts)
		}
		for len(all) > 0 && all[0] <= last {
			if err := link(t, bin, self, folder, all[0]); err != nil {
				return err
			}
			all = all[1:]
		}
		h, err := host.New(host.Options{Replay: folder, RepeatLast: true})
		if err != nil {
			return err
		}
		p.steps = append(p.steps, h)
	}
	p.listen, err = net.Listen("unix", filepath.Join(p.folder, "socket"))
	return err
}

// link puts a transcript into the folder of a step, and its tool into bin. A transcript that was not finished is left out.
func link(t *trial, bin, self, folder, name string) error {
	from := t.path(transcripts + "/" + name)
	raw, err := os.ReadFile(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var heading struct{ Argv []string }
	if err == nil {
		err = json.Unmarshal(raw, &heading)
	}
	if err != nil || len(heading.Argv) == 0 {
		return errors.Join(fmt.Errorf("the transcript %s cannot be read", name), err)
	}
	tool := filepath.Join(bin, filepath.Base(heading.Argv[0]))
	if err := os.Symlink(self, tool); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return os.Symlink(from, filepath.Join(folder, name))
}

func (p *player) home() string { return filepath.Join(p.folder, "user") }

// env are the variables with which ios-agent uses the player's tools. Its own home folder has the crash reports, and the locks of devices:
// the device of the file is none of this machine.
func (p *player) env() []string {
	path := filepath.Join(p.folder, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	return []string{"HOME=" + p.home(), "XDG_CACHE_HOME=" + filepath.Join(p.home(), "cache"), "PATH=" + path,
		playerVariable + "=" + p.listen.Addr().String()}
}

func (p *player) close() error {
	p.stop()
	err := p.listen.Close()
	for _, h := range p.steps {
		err = errors.Join(err, h.Close())
	}
	p.ended.Wait()
	return errors.Join(err, os.RemoveAll(p.folder))
}

func (p *player) reports() string {
	return filepath.Join(p.home(), "Library", "Logs", "DiagnosticReports")
}

// turn makes a step the one whose transcripts and frames answer first, and writes the crash report that its answer names.
func (p *player) turn(t *trial, step int, r result) error {
	p.mu.Lock()
	p.now = step
	p.mu.Unlock()
	p.wire.turn(step)
	crashes, err := filepath.Glob(t.path("crashes/*"))
	for _, from := range crashes {
		name := filepath.Base(from)
		if !strings.Contains(string(r.Answer), name) {
			continue
		}
		text, readErr := os.ReadFile(from)
		to, soon := filepath.Join(p.reports(), name), time.Now().Add(time.Minute) // it is newer than the input that it follows
		err = errors.Join(err, readErr, os.WriteFile(to, text, 0o600), os.Chtimes(to, soon, soon))
	}
	return err
}

// unheld is what the steps asked for and the file does not hold.
func (p *player) unheld() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Concat(slices.Sorted(maps.Keys(p.absent)), p.wire.unheld())
}

// asked is the command line of a tool's process; printed is a part of its output, or its end.
type (
	asked struct {
		Argv []string
		Dir  string
		Env  []string
	}
	printed struct {
		Stream host.Stream
		Text   []byte
		Exit   *int
	}
)

func (p *player) serve(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	var a asked
	if in.Decode(&a) != nil || len(a.Argv) == 0 {
		return
	}
	interrupted, interrupt := context.WithCancel(ctx)
	defer interrupt()
	go func() { // each further value is a signal; its end is the end of the process
		var signal int
		_ = in.Decode(&signal)
		interrupt()
	}()
	code := p.play(interrupted, a, func(s host.Stream, b []byte) { _ = out.Encode(printed{Stream: s, Text: b}) })
	_ = out.Encode(printed{Exit: &code})
}

const exitNotHere = 70

// play answers a command line from the transcripts of the step, else of the steps before it, the last one first.
func (p *player) play(ctx context.Context, a asked, print func(host.Stream, []byte)) int {
	p.mu.Lock()
	now := p.now
	p.mu.Unlock()
	if own, err := os.UserHomeDir(); err == nil { // transcripts are found by paths in the home folder of this process
		for i := range a.Argv {
			a.Argv[i] = strings.ReplaceAll(a.Argv[i], p.home(), own)
		}
	}
	token := valueOf(a.Env, xcodebuild.RunnerPrefix+xcodebuild.AuthVariable)
	var said strings.Builder
	tool, listens := context.WithCancel(ctx)
	defer listens()
	note := func(s host.Stream, b []byte) {
		if token == "" {
			print(s, b)
			return
		}
		// The recorded agent has another port, and may have run until a signal.
		if said.Write(b); strings.Contains(said.String(), agentListens) {
			listens()
		}
	}
	for step := now; step >= 0; step-- {
		for _, outputs := range outputsOf(a) {
			r, err := p.steps[step].Run(tool, host.Cmd{Name: a.Argv[0], Args: a.Argv[1:], Dir: a.Dir, Env: a.Env, Timeout: -1,
				Outputs: outputs, OnOutput: note})
			var absent *host.NotRecordedError
			switch {
			case errors.As(err, &absent):
				continue
			case token != "" && strings.Contains(said.String(), agentListens):
				return p.wire.run(ctx, a, token, print)
			case token != "":
				print(host.Stderr, []byte(said.String()))
			}
			if err := built(a); r.ExitCode == 0 && err != nil {
				print(host.Stderr, []byte(err.Error()))
			}
			return max(r.ExitCode, 0)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	line := strings.Join(a.Argv, " ")
	p.absent[line] = true
	print(host.Stderr, []byte("the file has no run of "+line+"\n"))
	return exitNotHere
}

// outputsOf are the files that a command line may write: transcripts have them apart from the other arguments.
func outputsOf(a asked) [][]string {
	last := a.Argv[len(a.Argv)-1]
	all := [][]string{nil}
	if filepath.IsAbs(last) {
		all = append(all, []string{last})
	}
	return all
}

// built makes what ios-agent looks for after a build of the agent.
func built(a asked) error {
	i := slices.Index(a.Argv, "-derivedDataPath")
	if !slices.Contains(a.Argv, "build-for-testing") || i < 0 || i+1 >= len(a.Argv) {
		return nil
	}
	products := filepath.Join(a.Argv[i+1], "Build", "Products")
	err := os.MkdirAll(products, 0o700)
	for _, sdk := range []string{xcodebuild.SimulatorSDK, xcodebuild.DeviceSDK} {
		err = errors.Join(err, os.WriteFile(filepath.Join(products, xcodebuild.AgentScheme+"_"+sdk+".xctestrun"), nil, 0o600))
	}
	return err
}

func valueOf(env []string, name string) (value string) {
	for _, entry := range env {
		if of, is := strings.CutPrefix(entry, name+"="); is {
			value = of // the last entry of a name wins
		}
	}
	return value
}

// playTool is the process of a tool: the player says what it prints and how it ends.
func playTool(socket string, argv []string) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitNotHere
	}
	defer conn.Close()
	dir, _ := os.Getwd() // a folder that is gone has no name
	argv = append([]string{filepath.Base(argv[0])}, argv[1:]...)
	out := json.NewEncoder(conn)
	if err := out.Encode(asked{argv, dir, os.Environ()}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitNotHere
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM)
	go func() {
		if s, is := (<-signals).(syscall.Signal); is {
			_ = out.Encode(int(s)) // the player may have ended
		}
	}()
	to := map[host.Stream]io.Writer{host.Stdout: os.Stdout, host.Stderr: os.Stderr}
	for in := json.NewDecoder(conn); ; {
		var p printed
		if err := in.Decode(&p); err != nil {
			return exitNotHere
		}
		if p.Exit != nil {
			return *p.Exit
		}
		if _, err := to[p.Stream].Write(p.Text); err != nil {
			return exitNotHere
		}
	}
}
