package crashreport

import (
	"fmt"
	"strings"

	"ios-agent/internal/virtualxcode/app"
)

// kind describes a kind of crash.
type kind struct {
	exception string // the Mach exception
	signal    string
	number    int
	indicator string
	subtype   string
	namespace string // of the termination reason; empty is SIGNAL
	code      int    // the code of the termination; zero is the signal's number
	stack     []symbol
	throw     []symbol // the function that threw the uncaught exception
	said      func(Crash) string
	hints     func(Crash) map[string][]string // application specific information, by image
}

// symbol is a function on a stack, in an image.
type symbol struct{ image, name string }

// The images on the stacks; appImage is the app itself.
const (
	appImage    = "app"
	kernelImage = "libsystem_kernel.dylib"
	threadImage = "libsystem_pthread.dylib"
	cImage      = "libsystem_c.dylib"
	swiftImage  = "libswiftCore.dylib"
	coreImage   = "CoreFoundation"
	objcImage   = "libobjc.A.dylib"
	cppImage    = "libc++abi.dylib"
	uikitImage  = "UIKitCore"
	swiftuiName = "SwiftUI"
	serverImage = "GraphicsServices"
	dyldImage   = "dyld_sim"
)

func (k kind) sender(c Crash) string {
	if k.namespace != "" {
		return "SpringBoard"
	}
	return fmt.Sprintf("%s[%d]", c.Name, c.PID)
}

func fatalText(c Crash) string { return "Fatal error: " + c.Message }

func exceptionText(c Crash) string {
	return fmt.Sprintf("*** Terminating app due to uncaught exception '%s', reason: '%s'", c.Exception, c.Message)
}

// kinds are all kinds of crash, with the app's message and the fields of the report.
func kinds() map[string]kind {
	abort := []symbol{{kernelImage, "__pthread_kill"}, {threadImage, "pthread_kill"}, {cImage, "abort"}}
	silent := func(Crash) string { return "" }
	none := func(Crash) map[string][]string { return nil }
	return map[string]kind{
		app.FatalError: {exception: "EXC_BREAKPOINT", signal: "SIGTRAP", number: 5, indicator: "Trace/BPT trap: 5",
			stack: []symbol{{swiftImage, "_assertionFailure(_:_:file:line:flags:)"}}, said: fatalText,
			hints: func(c Crash) map[string][]string {
				return map[string][]string{swiftImage: {fmt.Sprintf("%s/ui.yaml:%d: %s", c.Name, c.Line, fatalText(c))}}
			}},
		app.Exception: {exception: "EXC_CRASH", signal: "SIGABRT", number: 6, indicator: "Abort trap: 6",
			stack: append(abort, symbol{cppImage, "abort_message"}, symbol{cppImage, "demangling_terminate_handler()"},
				symbol{objcImage, "_objc_terminate()"}, symbol{cppImage, "std::__terminate(void (*)())"}),
			throw: []symbol{{coreImage, "__exceptionPreprocess"}, {objcImage, "objc_exception_throw"}}, said: exceptionText,
			hints: func(c Crash) map[string][]string {
				return map[string][]string{coreImage: {exceptionText(c)}, cImage: {"abort() called"}}
			}},
		app.BadAccess: {exception: "EXC_BAD_ACCESS", signal: "SIGSEGV", number: 11, indicator: "Segmentation fault: 11",
			subtype: "KERN_INVALID_ADDRESS at 0x0000000000000000", stack: []symbol{{objcImage, "objc_msgSend"}}, said: silent, hints: none},
		app.Abort: {exception: "EXC_CRASH", signal: "SIGABRT", number: 6, indicator: "Abort trap: 6", stack: abort,
			said:  func(c Crash) string { return strings.TrimSpace(c.Message) },
			hints: func(Crash) map[string][]string { return map[string][]string{cImage: {"abort() called"}} }},
		app.Watchdog: {exception: "EXC_CRASH", signal: "SIGKILL", number: 9, indicator: "scene-update watchdog transgression",
			namespace: "FRONTBOARD", code: 0x8badf00d, stack: []symbol{{kernelImage, "mach_msg2_trap"}}, said: silent, hints: none},
	}
}

// callers are the lowest frames of a main thread's stack.
func callers() []symbol {
	return []symbol{
		{swiftuiName, "closure #1 in ViewResponder.handleTap(at:)"},
		{uikitImage, "-[UIGestureRecognizer _updateGestureForActiveEvents]"},
		{uikitImage, "-[UIWindow sendEvent:]"},
		{uikitImage, "-[UIApplication sendEvent:]"},
		{coreImage, "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__"},
		{coreImage, "CFRunLoopRunSpecific"},
		{serverImage, "GSEventRunModal"},
		{uikitImage, "UIApplicationMain"},
		{swiftuiName, "static App.main()"},
		{appImage, "main"},
		{dyldImage, "start_sim"},
	}
}
