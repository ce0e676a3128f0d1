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

// TestEveryConstantHasAMeaning reads codes.go: a constant that is missing from the table would silently be INTERNAL.
func TestEveryConstantHasAMeaning(t *testing.T) {
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

func TestCodesMeanSomethingToShellsAndHTTP(t *testing.T) {
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
