//go:build darwin || macaxfake

package macax

import (
	"cmp"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"

	"ios-agent/internal/fault"
)

// Libraries are the paths of Apple's frameworks; "" is the path on macOS.
type Libraries struct {
	CoreFoundation, ApplicationServices, CoreGraphics, ObjC string
}

// ref is an object of Core Foundation, or 0. The caller of a function with Create or Copy in its name must release the result once; the
// owner keeps the result of a function with Get.
type ref = uintptr

// library has the functions of Apple's frameworks with their C signatures. A CGPoint and a CFRange by value are two arguments, which is
// the same on both architectures; a CGRect is not.
type library struct {
	// Core Foundation
	retain            func(ref) ref
	release           func(ref)
	typeOf            func(ref) uint
	equal             func(a, b ref) bool
	hash              func(ref) uint
	stringType        func() uint
	stringCreate      func(alloc ref, bytes []byte, n int, encoding uint32, external bool) ref
	stringLength      func(ref) int
	stringCharacters  func(s ref, at, n int, into []uint16)
	numberType        func() uint
	numberCreate      func(alloc ref, kind int, value *float64) ref
	numberFloat       func(n ref, kind int, into *float64) bool
	numberInt         func(n ref, kind int, into *int64) bool
	numberIsFloat     func(ref) bool
	booleanType       func() uint
	booleanValue      func(ref) bool
	arrayType         func() uint
	arrayCreate       func(alloc ref, values []ref, n int, callbacks uintptr) ref
	arrayCount        func(ref) int
	arrayValues       func(a ref, at, n int, into []ref)
	dictionaryGet     func(d, key ref) ref
	dictionaryCreate  func(alloc ref, keys, values []ref, n int, keyCallbacks, valueCallbacks uintptr) ref
	dataLength        func(ref) int
	dataBytes         func(d ref, at, n int, into []byte)
	runLoopCurrent    func() ref
	runLoopAdd        func(loop, source, mode ref)
	runLoopRemove     func(loop, source, mode ref)
	runLoopRun        func(mode ref, seconds float64, once bool) int32
	runLoopStop       func(loop ref)
	arrayCallbacks    uintptr // the address of a struct, as the next two
	keyCallbacks      uintptr
	valueCallbacks    uintptr
	booleanTrue       ref
	defaultMode       ref
	poolPush          func() uintptr
	poolPop           func(uintptr)
	trusted           func(options ref) bool
	trustedPrompt     ref // key of an option: ask the user
	systemElement     func() ref
	appElement        func(pid int32) ref
	elementType       func() uint
	setTimeout        func(e ref, seconds float32) axError
	copyAttributes    func(e, names ref, options uint32, values *ref) axError
	copyAttribute     func(e, name ref, value *ref) axError
	setAttribute      func(e, name, value ref) axError
	copyActions       func(e ref, names *ref) axError
	perform           func(e, action ref) axError
	valueType         func() uint
	valuePair         func(v ref, kind uint32, into *[2]float64) bool
	observerCreate    func(pid int32, callback uintptr, out *ref) axError
	observerAdd       func(o, e, name ref, refcon uintptr) axError
	observerRemove    func(o, e, name ref) axError
	observerSource    func(o ref) ref
	sourceCreate      func(state int32) ref
	mouseEvent        func(source ref, kind uint32, x, y float64, button uint32) ref
	keyEvent          func(source ref, key uint16, down bool) ref
	scrollEvent       func(source ref, unit, wheels uint32, y, x, z int32) ref
	setText           func(e ref, n uint, text []uint16)
	setField          func(e ref, field uint32, value int64)
	setFlags          func(e ref, flags uint64)
	flags             func(e ref) uint64
	setLocation       func(e ref, x, y float64)
	post              func(pid int32, e ref)
	postAll           func(tap uint32, e ref) // as the hardware's own event
	currentEvent      func(source ref) ref
	location          func(e ref) cgPoint
	setDouble         func(e ref, field uint32, value float64)
	counter           func(state int32, kind uint32) uint32 // of events since the start of the system
	windowList        func(option, window uint32) ref
	rectangle         func(dictionary ref, into *cgRect) bool
	imageWidth        func(ref) uint
	imageHeight       func(ref) uint
	imageRow          func(ref) uint
	imageBits         func(ref) uint
	imageInfo         func(ref) uint32
	imageProvider     func(ref) ref
	providerData      func(ref) ref
	windowNumber      ref
	windowPID         ref
	windowBounds      ref
	windowLayer       ref
	windowName        ref
	windowOwner       ref
	windowOnScreen    ref
	setWindowLocation func(e ref, x, y float64)                        // nil: this macOS lacks it
	createImage       func(r cgRect, option, window, image uint32) ref // nil: this macOS lacks it
	session           func() ref                                       // a dictionary; 0: no user is logged in at the screen
	mayCapture        func() bool                                      // nil: this macOS needs no permission
	askCapture        func() bool                                      // asks the user for it; nil as mayCapture
	responsible       func(pid int32) int32                            // whose permissions a process uses; nil: this macOS lacks it

	types types
	heard uintptr // the C function that observers call
	keys  atomic.Uint64

	askedTrust, askedCapture sync.Once // the user was asked for the permission

	mu        sync.Mutex
	presses   int64               // number of the last press of the mouse
	names     map[string]ref      // permanent strings: names of attributes and notifications
	listeners map[uintptr]*events // by the number that an observer was given
	last      uintptr
}

// types are the type numbers of Core Foundation, which differ between processes.
type types struct{ text, number, boolean, array, element, value uint }

// cgRect is CGRect.
type cgRect struct{ X, Y, W, H float64 }

// cgPoint is CGPoint.
type cgPoint struct{ X, Y float64 }

// symbol is a name in a framework and its Go target: a function or a variable.
type symbol struct {
	name string
	to   any
}

func (l *library) coreFoundation() []symbol {
	return []symbol{
		{"CFRetain", &l.retain}, {"CFRelease", &l.release}, {"CFGetTypeID", &l.typeOf}, {"CFEqual", &l.equal}, {"CFHash", &l.hash},
		{"CFStringGetTypeID", &l.stringType}, {"CFStringCreateWithBytes", &l.stringCreate}, {"CFStringGetLength", &l.stringLength},
		{"CFStringGetCharacters", &l.stringCharacters}, {"CFNumberGetTypeID", &l.numberType}, {"CFNumberCreate", &l.numberCreate},
		{"CFNumberGetValue", &l.numberFloat}, {"CFNumberGetValue", &l.numberInt}, {"CFNumberIsFloatType", &l.numberIsFloat},
		{"CFBooleanGetTypeID", &l.booleanType}, {"CFBooleanGetValue", &l.booleanValue}, {"CFArrayGetTypeID", &l.arrayType},
		{"CFArrayCreate", &l.arrayCreate}, {"CFArrayGetCount", &l.arrayCount}, {"CFArrayGetValues", &l.arrayValues},
		{"CFDictionaryGetValue", &l.dictionaryGet}, {"CFDictionaryCreate", &l.dictionaryCreate},
		{"kCFTypeDictionaryKeyCallBacks", address{&l.keyCallbacks}}, {"kCFTypeDictionaryValueCallBacks", address{&l.valueCallbacks}},
		{"CFDataGetLength", &l.dataLength}, {"CFDataGetBytes", &l.dataBytes},
		{"CFRunLoopGetCurrent", &l.runLoopCurrent}, {"CFRunLoopAddSource", &l.runLoopAdd}, {"CFRunLoopRemoveSource", &l.runLoopRemove},
		{"CFRunLoopRunInMode", &l.runLoopRun}, {"CFRunLoopStop", &l.runLoopStop}, {"kCFBooleanTrue", &l.booleanTrue},
		{"kCFRunLoopDefaultMode", &l.defaultMode}, {"kCFTypeArrayCallBacks", address{&l.arrayCallbacks}},
	}
}

func (l *library) applicationServices() []symbol {
	return []symbol{
		{"AXIsProcessTrustedWithOptions", &l.trusted}, {"kAXTrustedCheckOptionPrompt", &l.trustedPrompt},
		{"AXUIElementCreateSystemWide", &l.systemElement},
		{"AXUIElementCreateApplication", &l.appElement}, {"AXUIElementGetTypeID", &l.elementType},
		{"AXUIElementSetMessagingTimeout", &l.setTimeout}, {"AXUIElementCopyMultipleAttributeValues", &l.copyAttributes},
		{"AXUIElementCopyAttributeValue", &l.copyAttribute}, {"AXUIElementSetAttributeValue", &l.setAttribute},
		{"AXUIElementCopyActionNames", &l.copyActions}, {"AXUIElementPerformAction", &l.perform}, {"AXValueGetTypeID", &l.valueType},
		{"AXValueGetValue", &l.valuePair}, {"AXObserverCreate", &l.observerCreate}, {"AXObserverAddNotification", &l.observerAdd},
		{"AXObserverRemoveNotification", &l.observerRemove}, {"AXObserverGetRunLoopSource", &l.observerSource},
	}
}

func (l *library) coreGraphics() []symbol {
	return []symbol{
		{"CGEventSourceCreate", &l.sourceCreate}, {"CGEventCreateMouseEvent", &l.mouseEvent}, {"CGEventCreateKeyboardEvent", &l.keyEvent},
		{"CGEventCreateScrollWheelEvent2", &l.scrollEvent}, {"CGEventKeyboardSetUnicodeString", &l.setText},
		{"CGEventSetIntegerValueField", &l.setField}, {"CGEventSetFlags", &l.setFlags}, {"CGEventGetFlags", &l.flags},
		{"CGEventSetLocation", &l.setLocation}, {"CGEventPostToPid", &l.post}, {"CGEventPost", &l.postAll},
		{"CGEventCreate", &l.currentEvent}, {"CGEventGetLocation", &l.location}, {"CGEventSetDoubleValueField", &l.setDouble},

		{"CGSessionCopyCurrentDictionary", &l.session}, {"CGEventSourceCounterForEventType", &l.counter},
		{"CGWindowListCopyWindowInfo", &l.windowList},
		{"CGRectMakeWithDictionaryRepresentation", &l.rectangle}, {"CGImageGetWidth", &l.imageWidth}, {"CGImageGetHeight", &l.imageHeight},
		{"CGImageGetBytesPerRow", &l.imageRow}, {"CGImageGetBitsPerPixel", &l.imageBits}, {"CGImageGetBitmapInfo", &l.imageInfo},
		{"CGImageGetDataProvider", &l.imageProvider}, {"CGDataProviderCopyData", &l.providerData}, {"kCGWindowNumber", &l.windowNumber},
		{"kCGWindowOwnerPID", &l.windowPID}, {"kCGWindowBounds", &l.windowBounds}, {"kCGWindowLayer", &l.windowLayer},
		{"kCGWindowName", &l.windowName}, {"kCGWindowOwnerName", &l.windowOwner}, {"kCGWindowIsOnscreen", &l.windowOnScreen},
	}
}

// optional are functions that some versions of macOS lack: the first and the last are undocumented, one left the headers in macOS 15, and
// two came with 10.15.
func (l *library) optional() []symbol {
	return []symbol{
		{"CGEventSetWindowLocation", &l.setWindowLocation}, {"CGWindowListCreateImage", &l.createImage},
		{"CGPreflightScreenCaptureAccess", &l.mayCapture}, {"CGRequestScreenCaptureAccess", &l.askCapture},
		{"responsibility_get_pid_responsible_for_pid", &l.responsible},
	}
}

// address binds the address of a variable instead of its value.
type address struct{ to *uintptr }

// load binds all functions.
func load(paths Libraries) (*library, error) {
	const frameworks = "/System/Library/Frameworks/"
	l := &library{names: map[string]ref{}, listeners: map[uintptr]*events{}}
	for _, part := range []struct {
		path     string
		symbols  []symbol
		optional []symbol
	}{
		{cmp.Or(paths.CoreFoundation, frameworks+"CoreFoundation.framework/CoreFoundation"), l.coreFoundation(), nil},
		{cmp.Or(paths.ApplicationServices, frameworks+"ApplicationServices.framework/ApplicationServices"), l.applicationServices(), nil},
		{cmp.Or(paths.CoreGraphics, frameworks+"CoreGraphics.framework/CoreGraphics"), l.coreGraphics(), l.optional()},
		{cmp.Or(paths.ObjC, "/usr/lib/libobjc.A.dylib"),
			[]symbol{{"objc_autoreleasePoolPush", &l.poolPush}, {"objc_autoreleasePoolPop", &l.poolPop}}, nil},
	} {
		handle, err := purego.Dlopen(part.path, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			return nil, fault.New(fault.Unsupported, "cannot load %s: %w", part.path, err).
				WithHint("use a supported version of macOS: desktop apps are driven through its frameworks")
		}
		for _, s := range part.symbols {
			if err := s.bind(handle); err != nil {
				return nil, fault.New(fault.Unsupported, "%s has no %s: %w", part.path, s.name, err).
					WithHint("use a supported version of macOS: this one is too old or too new to drive desktop apps")
			}
		}
		for _, s := range part.optional {
			_ = s.bind(handle) // stays nil
		}
	}
	l.types = types{l.stringType(), l.numberType(), l.booleanType(), l.arrayType(), l.elementType(), l.valueType()}
	l.heard = purego.NewCallback(l.hear)
	return l, nil
}

// bind looks a symbol up before it registers it: purego panics for a missing symbol.
func (s symbol) bind(handle uintptr) error {
	at, err := purego.Dlsym(handle, s.name)
	if err != nil {
		return err
	}
	switch to := s.to.(type) {
	case address:
		*to.to = at
	case *ref:
		*to = **(**ref)(unsafe.Pointer(&at)) // a variable of C, not of Go
	default:
		if !direct(to, at) {
			purego.RegisterFunc(to, at)
		}
	}
	return nil
}

// direct binds functions of whole numbers without reflection, which is three times as fast: a look calls them a hundred times per
// element.
func direct(to any, at uintptr) bool {
	call := func(args ...uintptr) uintptr {
		r, _, _ := purego.SyscallN(at, args...)
		return r
	}
	switch to := to.(type) {
	case *func(ref):
		*to = func(a ref) { call(a) }
	case *func(ref) ref:
		*to = func(a ref) ref { return call(a) }
	case *func(ref) uint:
		*to = func(a ref) uint { return uint(call(a)) }
	case *func(ref) int:
		*to = func(a ref) int { return int(call(a)) }
	case *func(ref) bool:
		*to = func(a ref) bool { return byte(call(a)) != 0 }
	case *func(a, b ref) bool:
		*to = func(a, b ref) bool { return byte(call(a, b)) != 0 }
	case *func(a, b ref) ref:
		*to = func(a, b ref) ref { return call(a, b) }
	default:
		return false
	}
	return true
}
