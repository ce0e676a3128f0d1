package xcodeargs

import (
	"reflect"
	"slices"
	"testing"
)

func TestSplitPairsOptionsWithValues(t *testing.T) {
	args := []string{"-quiet", "-only-testing:App/Case/test()", "-scheme", "-odd", "SWIFT[sdk=a=b]=1", "-NewUserDefault", "x",
		"-NewSwitch", "build"}
	var keys, values []string
	for _, u := range Split(args) {
		keys, values = append(keys, u.Key), append(values, u.Value())
	}
	if want := []string{"-quiet", "-only-testing", "-scheme", "SWIFT[sdk=a=b]", "-NewUserDefault", "-NewSwitch",
		"build"}; !reflect.DeepEqual(keys, want) {
		t.Errorf("keys %q", keys)
	}
	if want := []string{"", "App/Case/test()", "-odd", "", "x", "", ""}; !reflect.DeepEqual(values, want) {
		t.Errorf("values %q", values)
	}
	if got := Without(args, "-scheme", "build"); slices.Contains(got, "-odd") || slices.Contains(got, "build") {
		t.Errorf("without: %q", got)
	}
	if !Has(args, "-only-testing") || Has(args, "-odd") {
		t.Error("has")
	}
}

// FuzzSplit: nothing is lost and nothing is invented.
func FuzzSplit(f *testing.F) {
	f.Add("-scheme", "build", "A=b")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var joined []string
		for _, u := range Split([]string{a, b, c}) {
			u.Value()
			joined = append(joined, u.Args...)
		}
		if !reflect.DeepEqual(joined, []string{a, b, c}) {
			t.Errorf("%q", joined)
		}
	})
}
