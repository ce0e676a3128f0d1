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

// session is one command line being played.
type session struct {
	Tool
	options
	started time.Time
	clock   time.Time // modelled: it advances by what things cost

	container   *project.Container
	scheme      project.Scheme // shadows the option of the same name once it is found
	destination destination
	all         []destination // what the scheme can be built for
	result      xcresult.Bundle
	bundles     []string // test bundles of an earlier build
	preparedSDK string   // what those were built for
	analyzing   bool     // what is being built is to be analyzed
	launches    int      // of processes that run tests
	afterwards  []string // lines that are printed last
}

// play does what the command line asks: a question, or actions one after the other.
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

// spend lets modelled time pass.
func (s *session) spend(ctx context.Context, d time.Duration) error {
	s.clock = s.clock.Add(d)
	return s.wait(ctx, d)
}

// wait lets real time pass too, if the caller wants that.
func (s *session) wait(ctx context.Context, d time.Duration) error {
	if s.Pause == nil {
		return ctx.Err()
	}
	return s.Pause(ctx, d)
}

// stamp is how the tool begins a line on its standard error.
func (s *session) stamp() string {
	return fmt.Sprintf("%s xcodebuild[%d:%d]", s.clock.Format("2006-01-02 15:04:05.000"), os.Getpid(), os.Getpid()*16)
}

// report prints an error as the real tool does and returns the exit status.
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
