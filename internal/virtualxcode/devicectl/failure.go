package devicectl

import (
	"errors"
	"fmt"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// failure is an NSError in devicectl's form.
type failure struct {
	domain     string
	code       int
	message    string
	details    []detail
	underlying *failure
	apart      bool // the underlying error is printed as a separate error
}

func (f *failure) Error() string { return f.message }

// detail is an entry of an error's userInfo.
type detail struct {
	key   string
	value any    // a string or an int
	only  string // "text" or "json": the output that has it; empty is both
}

const (
	coreDevice  = "com.apple.dt.CoreDeviceError"
	description = "NSLocalizedDescription"
	reason      = "NSLocalizedFailureReason"
)

// text is the failure on the terminal.
func (f *failure) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ERROR: %s", f.lines("         "))
	if f.underlying != nil && f.apart {
		fmt.Fprintf(&b, "%s\n%s", strings.Repeat("-", 80), f.underlying.text())
		return b.String()
	}
	for u := f.underlying; u != nil; u = u.underlying {
		fmt.Fprintf(&b, "       %s\n       %s", strings.Repeat("-", 40), u.lines("         "))
	}
	return b.String()
}

func (f *failure) lines(indent string) string {
	text := fmt.Sprintf("%s (%s error %d.)\n", f.message, f.domain, f.code)
	for _, d := range f.details {
		if d.only != "json" {
			text += fmt.Sprintf("%s%s = %v\n", indent, d.key, d.value)
		}
	}
	return text
}

// json is the failure in the document.
func (f *failure) json() object {
	info := object{}
	for _, d := range f.details {
		if d.only != "text" {
			info[d.key] = typed(d.value)
		}
	}
	if f.underlying != nil {
		info["NSUnderlyingError"] = object{"error": f.underlying.json()}
	}
	return object{"code": f.code, "domain": f.domain, "userInfo": info}
}

// typed is a value under the name of its type.
func typed(value any) object {
	if n, is := value.(int); is {
		return object{"int": n}
	}
	return object{"string": fmt.Sprint(value)}
}

// failureOf turns any error into a failure; nil stays nil.
func failureOf(err error) *failure {
	var f *failure
	var apple *world.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(err, &apple):
		return nested(apple)
	}
	return &failure{domain: "NSCocoaErrorDomain", code: 512, message: err.Error(), details: []detail{{description, err.Error(), "json"}}}
}

// nested turns an error of the world and its underlying errors into failures.
func nested(e *world.Error) *failure {
	message, why, _ := strings.Cut(e.Message, "\n")
	f := &failure{domain: e.Domain, code: e.Code, message: message, details: []detail{{description, message, "json"}}}
	if f.domain == "" {
		f.domain = coreDevice
	}
	if why != "" {
		f.details = append(f.details, detail{key: reason, value: why})
	}
	if e.Underlying != nil {
		f.underlying = nested(e.Underlying)
	}
	return f
}

func core(code int, message string, more ...detail) *failure {
	return &failure{domain: coreDevice, code: code, message: message, details: append([]detail{{description, message, "json"}}, more...)}
}

func noDevice(name string) error {
	return core(1000, "The specified device was not found.", detail{key: "DeviceIdentifier", value: name, only: "json"})
}

// noFile is the error for an unreadable app.
func noFile(path string) error {
	f := core(1005, "Could not obtain access to one or more requested file system resources because CoreDevice was unable to create "+
		"bookmark data.",
		detail{"NSURL", "file://" + path, "text"})
	f.apart = true
	f.underlying = &failure{domain: "NSCocoaErrorDomain", code: 260, message: "The file couldn’t be opened because it doesn’t exist."}
	return f
}

// unknownApp is LaunchServices' error for an unknown bundle id.
func unknownApp() error {
	return &failure{domain: "NSOSStatusErrorDomain", code: -10814, message: "The operation couldn’t be completed. (OSStatus error -10814.)",
		details: []detail{{"_LSLine", 1608, ""}, {"_LSFunction", "runEvaluator", ""}}}
}

// notLaunched is a launch refused by the home screen.
func notLaunched(bundle string, err *world.Error) error {
	f := core(10002, "The application failed to launch.", detail{"BundleIdentifier", bundle, ""})
	f.underlying = nested(err)
	f.underlying.details = append(f.underlying.details, detail{"BSErrorCodeDescription", "RequestDenied", ""},
		detail{"FBSOpenApplicationRequestID", "0xc34a", ""})
	if errors.Is(err, world.ErrLocked) && f.underlying.underlying != nil {
		f.underlying.underlying.details = append(f.underlying.underlying.details, detail{"BSErrorCodeDescription", "Locked", ""})
	}
	return f
}

func notInstalled(message string, domain string, code int, why string) error {
	f := core(3002, "Failed to install the app on the device.")
	f.underlying = &failure{domain: domain, code: code, message: message, details: []detail{{reason, why, ""}}}
	return f
}

func notUninstalled(bundle string) error {
	f := core(3003, "Failed to uninstall the app from the device.", detail{"BundleIdentifier", bundle, ""})
	f.underlying = &failure{domain: "IXErrorDomain", code: 8, message: "Failed to uninstall " + bundle + ".",
		details: []detail{{reason, "No app with this bundle identifier is installed.", ""}}}
	return f
}

func noProcess(pid string) error {
	f := core(10004, "Failed to send signal to process.", detail{"ProcessIdentifier", pid, ""})
	f.underlying = &failure{domain: "NSPOSIXErrorDomain", code: 3, message: "The operation couldn’t be completed. No such process"}
	return f
}
