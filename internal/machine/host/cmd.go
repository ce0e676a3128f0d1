package host

import (
	"io"
	"time"
)

const (
	defaultTimeout   = 60 * time.Second
	defaultGrace     = 2 * time.Second
	stdinGrace       = 5 * time.Second // with Cmd.EndByStdin
	defaultMaxOutput = 4 << 20         // Run: head and tail together, per stream
	defaultTail      = 256 << 10       // Start: tail only, per stream
)

// Cmd is one program to run: an argument vector, never a shell line.
type Cmd struct {
	Name  string    // a path, or a name that is looked up in this process's PATH (not in Env's)
	Args  []string  // without the program's own name
	Dir   string    // working directory; empty means this process's
	Env   []string  // "K=V" entries that override the inherited ones; the last entry of a name wins
	Stdin io.Reader // nil means /dev/null

	// Inherit names the variables of the daemon's environment that the program gets; a name that ends in * is a prefix. Nil means the usual
	// variables (environ.go) and Options.Inherit. No program gets a variable with mask.Prefix.
	Inherit []string
	named   []string // by Options.Inherit

	// Timeout limits Run: zero means 60 s, negative means that only the context limits it. Start ignores it.
	Timeout time.Duration
	// Grace is the time that the group gets to exit after SIGINT before it gets SIGKILL; zero means 2 s.
	Grace time.Duration
	// ByTerm makes the host send SIGTERM instead of SIGINT first, as apps of a desktop expect.
	ByTerm bool
	// EndByStdin is for a program that must not get a signal because it would take others with it: a debugger that dies from a signal ends
	// its target. The host closes its input instead, even if Stdin has more, and kills it only if it still runs after the grace (default 5
	// s). Reap leaves it alone: when the daemon dies, the program's input ends.
	EndByStdin bool
	// Halted makes Start leave the program stopped before its first instruction, until SIGCONT, so that a debugger can attach.
	Halted bool
	// MaxOutput is the maximum number of bytes that are kept of each stream. Run (default 4 MiB) keeps the first and the last half, Start
	// (default 256 KiB) the end. The host reads everything, so the program never blocks on a full pipe.
	MaxOutput int
	// OnLine gets every line without its end, including lines that MaxOutput drops from the result. Calls never overlap, the slice is valid
	// only during the call, and the program's output is read no faster than OnLine returns. A line longer than 16 MiB comes in pieces.
	OnLine func(stream Stream, line []byte)
	// OnOutput gets the output as it arrives, for programs whose output does not have lines. The rules of OnLine apply.
	OnOutput func(stream Stream, b []byte)
	// Spool is a folder, created if necessary, where a new file (mode 0600, ".log") gets the whole output, both streams by line in order of
	// arrival; lines longer than 64 KiB in pieces. It costs no memory and never stops the program: a failure to write is Result.SpoolErr.
	Spool string
	// Outputs are the regular files, named in Args, that the program will write, such as a screenshot; relative to Dir. A transcript stores
	// them (8 MiB each at most) and a replay writes them again, in the same order.
	Outputs []string
}

// Stream is one of a program's two outputs.
type Stream int

// The two streams, numbered as their file descriptors.
const (
	Stdout Stream = 1
	Stderr Stream = 2
)

// String returns "stdout" or "stderr".
func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// Result is the output and the end of a finished program.
type Result struct {
	Stdout, Stderr []byte        // as written, without any mark where the middle was dropped
	Truncated      int64         // bytes dropped from both streams together
	ExitCode       int           // -1 when a signal ended it
	Signal         string        // "SIGKILL", or empty when it exited by itself
	Took           time.Duration // from start to exit; in a replay, the recorded time
	Spool          string        // file with the whole output, if Cmd.Spool was set and the file could be made
	SpoolErr       error         // why Spool is missing or incomplete
}
