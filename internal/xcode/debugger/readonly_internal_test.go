package debugger

import (
	"testing"

	"ios-agent/internal/fault"
)

func TestExpressionsWithSideEffectsAreForbidden(t *testing.T) {
	for text, code := range map[string]fault.Code{
		"n": "", "p->x": "", "cart.items[0].price": "", "n * 2 + p->x": "", "n == 1": "", "n != 1 && m <= 2 || k >= 3": "", "(int)x": "",
		"(unsigned char)(x + 1)": "", "sizeof(struct point)": "", `name == "a = b(c); {}"`: "", "c == '='": "", `c == '\''`: "", "n << 2": "",
		"a - -1": "", "-(n)": "", "(n)": "", "*p": "", "&total": "",
		"n = 1": fault.Forbidden, "n += 1": fault.Forbidden, "n <<= 1": fault.Forbidden, "n >>= 1": fault.Forbidden, "n |= 1": fault.Forbidden,
		"n++": fault.Forbidden, "--n": fault.Forbidden, "exit(1)": fault.Forbidden, "exit (1)": fault.Forbidden,
		"__atomic_store_n(&n, 1, 0)": fault.Forbidden, "p->run()": fault.Forbidden, "({ n; })": fault.Forbidden, "n; m": fault.Forbidden,
		"`expression n`": fault.Forbidden, "n\nprocess kill": fault.Forbidden, "cast<int>(n)": fault.Forbidden, "n === m": fault.Forbidden,
		"": fault.InvalidInput, " ": fault.InvalidInput,
	} {
		err := readOnly("expression", text)
		f := fault.From(err)
		if code == "" && err != nil || code != "" && (f == nil || f.Code != code || f.Details["field"] != "expression") {
			t.Errorf("%q: got %v, want %q", text, err, code)
		}
	}
}

func TestVariablePathRefusesOtherSyntax(t *testing.T) {
	for path, want := range map[string]bool{
		"n": true, "*p": true, "p->x": true, "a.b[3].c": true, "größe": true, "$0": true,
		"": false, "-T": false, "n m": false, "n;m": false, "`n`": false, "a[i]": false, "n\nm": false, "--help": false,
	} {
		if got := noPath("variable", path) == nil; got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
}
