package apps_test

import (
	"testing"

	"ios-agent/internal/virtualxcode/apps"
)

func BenchmarkBuiltin(b *testing.B) {
	for b.Loop() {
		if _, err := apps.Builtin(); err != nil {
			b.Fatal(err)
		}
	}
}
