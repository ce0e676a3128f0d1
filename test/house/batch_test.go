package house_test

import (
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// stepsDone are what came of the steps of a batch.
type stepsDone struct {
	Done  int
	Steps []struct {
		Status string
		Error  *fault.Fault
	}
}

// TestBatchAcceptsCommandLineSteps: the words that come to mind are the words of a step.
func TestBatchAcceptsCommandLineSteps(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	slider := find(t, h, "Volume").Ref
	lines := []string{
		"set-value " + slider + " 40", "wait settled", "rotate landscape", "rotate portrait", "tap --label Navigation",
		"tap --label 'Show Alert'",
		"alert", "alert accept", "wait --text 'Alert confirmed'", "tap --label 'Show Alert'", "alert OK", "tap --label 'Text Input'",
		"fill --identifier text-username-field --text ada", "hide-keyboard", "wait --identifier text-username-field visible",
	}
	e := h.Must("a", "batch", map[string]any{"steps": lines})
	if got := house.Result[stepsDone](h, e); got.Done != len(lines) {
		t.Errorf("%d of %d steps: %s", got.Done, len(lines), e.Stdout)
	}
	if n := strings.Count(e.Stdout, "[virtual]"); n != 1 {
		t.Errorf("got the mark %d times, want it once:\n%s", n, e.Stdout)
	}
	for _, line := range []string{`1. set 40 slider "Volume"`, `answer "accept"`, `answer "OK"`, "rotate landscape-left → changed"} {
		if !strings.Contains(e.Stdout, line) {
			t.Errorf("no %s in:\n%s", line, e.Stdout)
		}
	}
}

// TestABatchIsReadBeforeItsFirstStep: nothing runs when a later step cannot be read, and the fault tells the forms there are.
func TestABatchIsReadBeforeItsFirstStep(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	for wrong, says := range map[string]string{
		"rotate sideways":                "landscape-left",
		"wait":                           "no element to wait for",
		"wait setled":                    "settled",
		"tap":                            "give ref",
		"tap --x 10":                     "x and y",
		"tap --x 10 --y 10 --pixels big": "pixels",
		"set-value --label Volume":       "to is required",
		"set-value @e3 4 5":              `does not take the argument "5"`,
		"alert accept --dismiss":         "exclude each other",
		"tap --x ten --y 10":             "ten",
		"press home":                     "hide-keyboard",
		"tap @e1 'unclosed":              "quot",
		"swipe sideways":                 "up",
		"batch 'tap @e1'":                "cannot be a step",
	} {
		e := h.Call("a", "batch", map[string]any{"steps": []string{"tap --label 'Tap Me'", wrong}})
		if e.Error == nil || !strings.HasPrefix(e.Error.Message, fmt.Sprintf("batch: step 2 (%s)", wrong)) ||
			!strings.Contains(e.Error.Message+e.Error.Hint, says) {
			t.Errorf("%s: %s", wrong, e.Text())
		}
	}
	if find(t, h, "Tapped: 0").Ref == "" {
		t.Error("a first step was performed")
	}
}

// TestBatchStopsAtAmbiguityOrTimeout: at a question, and at a wait that runs out.
func TestBatchStopsAtAmbiguityOrTimeout(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	for stop, code := range map[string]fault.Code{
		"tap --type Button":              fault.ElementAmbiguous,
		"wait --text Nobody --timeout 1": fault.Timeout,
	} {
		e := h.Call("a", "batch", map[string]any{"steps": []string{stop, "tap --label 'Tap Me'"}})
		if e.Error == nil || e.Error.Code != code || !strings.Contains(e.Text(), "tap --label 'Tap Me': not performed") {
			t.Errorf("%s: %s", stop, e.Text())
		}
	}
}
