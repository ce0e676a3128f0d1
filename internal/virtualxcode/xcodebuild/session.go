package xcodebuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/xcresult"
)

// session is one run of a command line.
type session struct {
	Tool
	options
	started time.Time
	clock   time.Time // modelled: it advances by the costs of steps

	container   *project.Container
	scheme      project.Scheme // hides the option of the same name after it was found
	destination destination
	all         []destination // the scheme's platforms
	result      xcresult.Bundle
	bundles     []string // test bundles of an earlier build
	preparedSDK string   // the platforms of these bundles
	analyzing   bool     // analyze the built files
	oneDevice   bool     // provisioning profiles list only the destination
	launches    int      // of test processes
	checked     checked  // of the sources
	afterwards  []string // lines printed last
}

// play answers a question, or runs the actions in order.
func (s *session) play(ctx context.Context) error {
	if s.license != "" {
		return s.licence()
	}
	for _, q := range questions() {
		if s.asked[q.option] {
			return q.answer(s, ctx)
		}
	}
	return s.act(ctx)
}

// spend advances modelled time.
func (s *session) spend(ctx context.Context, d time.Duration) error {
	s.clock = s.clock.Add(d)
	return s.wait(ctx, d)
}

// wait also waits in real time, if the caller wants that.
func (s *session) wait(ctx context.Context, d time.Duration) error {
	if s.Pause == nil {
		return ctx.Err()
	}
	return s.Pause(ctx, d)
}

// stamp is the beginning of the tool's lines on standard error.
func (s *session) stamp() string {
	return fmt.Sprintf("%s xcodebuild[%d:%d]", s.clock.Format("2006-01-02 15:04:05.000"), os.Getpid(), os.Getpid()*16)
}

// report prints an error like the real tool and returns the exit status.
func (s *session) report(err error) int {
	var r refusal
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprint(s.Stderr, "** BUILD INTERRUPTED **\n\n")
		return exitInterrupted
	case errors.As(err, &r) && r.plain:
		fmt.Fprint(s.Stderr, r.text)
		return r.exit
	case !errors.As(err, &r):
		r = refusal{exit: exitFailed, text: err.Error()}
	}
	if r.bundle {
		// The real tool has the day before the month.
		day := fmt.Sprintf("%d-%02d-%02d", s.clock.Year(), s.clock.Day(), s.clock.Month())
		fmt.Fprintf(s.Stderr, "%s Writing error result bundle to %s/ResultBundle_%s_%s.xcresult\n", s.stamp(), os.TempDir(), day,
			s.clock.Format("15-04-0005"))
	}
	fmt.Fprintf(s.Stderr, "xcodebuild: error: %s\n", r.text)
	return r.exit
}
