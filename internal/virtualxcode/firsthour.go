package virtualxcode

import (
	"context"
	"fmt"
	"io"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/internal/virtualxcode/xcodebuild"
)

// ofXcode wraps a tool that xcrun finds in Xcode: it needs Xcode itself, and its licence.
func ofXcode(name string, run service.FrontEnd) service.FrontEnd {
	return func(ctx context.Context, w *world.World, c Call) int {
		if _, only := w.TakeFault("", flaw.CommandLineTools); only {
			return noUtility(c.Stderr, name)
		}
		if _, missing := w.TakeFault("", flaw.LicenceNotAccepted); missing {
			fmt.Fprint(c.Stderr, xcodebuild.LicenceText)
			return exitNoLicence
		}
		return run(ctx, w, c)
	}
}

// exitNoLicence is the exit status of Apple's tools before somebody agrees to the licence.
const exitNoLicence = 69

func noUtility(stderr io.Writer, name string) int {
	fmt.Fprintf(stderr, errorXcrun+"unable to find utility %q, not a developer tool or in PATH\n", name)
	return exitNoTool
}
