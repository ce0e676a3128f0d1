package fault_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"ios-agent/internal/fault"
)

// TestEveryCodeConstantIsInTable reads codes.go: a constant that is missing from the table would silently be INTERNAL.
func TestEveryCodeConstantIsInTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || fmt.Sprint(spec.Type) != "Code" {
			return true
		}
		declared++
		literal, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(fault.Codes(), fault.Code(literal)) {
			t.Errorf("%s is not in the table", literal)
		}
		return true
	})
	if declared != len(fault.Codes()) {
		t.Errorf("%d constants, %d rows in the table", declared, len(fault.Codes()))
	}
}

func TestCodesHaveStatusExitCodeAndHint(t *testing.T) {
	for _, c := range fault.Codes() {
		if c.Status() < 400 || c.Exit() == 0 || c.Hint() == "" {
			t.Errorf("%s: status %d, exit %d, hint %q", c, c.Status(), c.Exit(), c.Hint())
		}
	}
}

func TestFromKeepsTheFaultInAChain(t *testing.T) {
	inner := fault.New(fault.RefExpired, "ref %s is gone", "@e3").With("ref", "@e3")
	got := fault.From(fmt.Errorf("tap: %w", inner))
	if got.Code != fault.RefExpired || got.Details["ref"] != "@e3" {
		t.Errorf("got %+v", got)
	}
}

// absent is an error as a package declares it: its callers ask for the type.
type absent struct{ name string }

func (a *absent) Error() string { return a.name + " is absent" }

func (a *absent) Fault() *fault.Fault {
	return fault.New(fault.ElementNotFound, "%w", a).With("name", a.name)
}

func TestTypedErrorBecomesFault(t *testing.T) {
	err := fmt.Errorf("tap: %w", &absent{"Save"})
	f := fault.From(err)
	if f.Code != fault.ElementNotFound || f.Message != "Save is absent" || f.Details["name"] != "Save" ||
		!fault.Is(err, fault.ElementNotFound) {
		t.Errorf("got %+v", f)
	}
	if a, ok := errors.AsType[*absent](f); !ok || a.name != "Save" {
		t.Error("the type is lost below the fault")
	}
	around := fault.New(fault.OutcomeUnknown, "sent: %w", err)
	if !fault.Is(around, fault.OutcomeUnknown) || fault.Is(around, fault.ElementNotFound) {
		t.Errorf("the outermost fault does not count: %s", fault.From(around).Code)
	}
	if _, ok := fault.In(errors.New("plain")); ok || fault.Is(errors.New("plain"), fault.Internal) {
		t.Error("a plain error carries a fault")
	}
}

func TestDuringKeepsAllButTheMessage(t *testing.T) {
	inner := fault.New(fault.AppLaunchFailed, "no").WithHint("try").With("k", 1).WithDispatch(fault.NotDispatched)
	f := fault.During("the app was built, but does not run", fmt.Errorf("launch: %w", inner))
	if f.Message != "the app was built, but does not run: launch: no" || f.Code != inner.Code || f.Hint != "try" || f.Details["k"] != 1 ||
		f.Dispatched != fault.NotDispatched || !errors.Is(f, inner) || inner.Message != "no" {
		t.Errorf("got %+v", f)
	}
	if f := fault.During("boot", context.Canceled); f.Code != fault.Cancelled || f.Message != "boot: context canceled" {
		t.Errorf("got %+v", f)
	}
}

func TestFromGivesEveryErrorACode(t *testing.T) {
	for err, want := range map[error]fault.Code{
		context.Canceled: fault.Cancelled,
		fmt.Errorf("x: %w", context.DeadlineExceeded):      fault.Timeout,
		errors.New("a surprise"):                           fault.Internal,
		fmt.Errorf("y: %w", fault.New(fault.NoXcode, "z")): fault.NoXcode,
	} {
		if got := fault.From(err).Code; got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
	if fault.From(nil) != nil {
		t.Error("no error, yet a fault")
	}
}

func TestWithDoesNotChangeTheOriginal(t *testing.T) {
	a := fault.New(fault.Internal, "a").With("k", 1)
	b := a.With("k", 2).WithHint("other").WithDispatch(fault.MaybeDispatched)
	if a.Details["k"] != 1 || a.Hint == "other" || a.Dispatched != "" || b.Details["k"] != 2 {
		t.Errorf("a=%+v b=%+v", a, b)
	}
}
