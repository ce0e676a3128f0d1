package fault

import (
	"net/http"
	"slices"

	"ios-agent/internal/hint"
)

// Code names a kind of fault. Codes are part of the contract: they are never renamed and never derived from text.
type Code string

// Exit codes of the CLI. A script may rely on them.
const (
	ExitOK           = 0
	ExitFailed       = 1
	ExitUsage        = 2
	ExitNotFound     = 3 // not found, ambiguous or expired
	ExitPrecondition = 4 // no device, claimed, no Xcode
	ExitTimeout      = 5
	ExitUnknown      = 6 // outcome unknown, or unchanged where a change was expected
	ExitDenied       = 7
	ExitInternal     = 70
	ExitInterrupted  = 130 // by ctrl-C: 128 plus the number of the signal, as in shells
)

// Exit is an exit code of the CLI, its meaning, and the faults that end with it.
type Exit struct {
	Code    int
	Meaning string
	Faults  []Code
}

// Exits are all exit codes, in their order.
func Exits() []Exit {
	all := []Exit{
		{Code: ExitOK, Meaning: "success; also a stream that was ended with ctrl-C"},
		{Code: ExitFailed, Meaning: "the operation failed"},
		{Code: ExitUsage, Meaning: "the command line or its input is wrong; no call was made"},
		{Code: ExitNotFound, Meaning: "the device, app, element or record that the call names is unknown, ambiguous or expired"},
		{Code: ExitPrecondition, Meaning: "a precondition is missing: no device, device claimed by another session, no Xcode, no daemon"},
		{Code: ExitTimeout, Meaning: "timeout"},
		{Code: ExitUnknown, Meaning: "the outcome is unknown, or the screen did not change where a change was expected"},
		{Code: ExitDenied, Meaning: "not allowed"},
		{Code: ExitInternal, Meaning: "a bug in ios-agent"},
		{Code: ExitInterrupted, Meaning: "interrupted with ctrl-C; another signal gives 128 plus its number"},
	}
	for i := range all {
		for code, m := range table {
			if m.exit == all[i].Code {
				all[i].Faults = append(all[i].Faults, code)
			}
		}
		slices.Sort(all[i].Faults)
	}
	return all
}

// The codes, in the order of the table below.
const (
	InvalidInput       Code = "INVALID_INPUT"
	UnknownOperation   Code = "UNKNOWN_OPERATION"
	MethodNotAllowed   Code = "METHOD_NOT_ALLOWED"
	TooLarge           Code = "TOO_LARGE"
	TooMany            Code = "TOO_MANY"
	Unauthorized       Code = "UNAUTHORIZED"
	Forbidden          Code = "FORBIDDEN"
	NoDevice           Code = "NO_DEVICE"
	DeviceNotFound     Code = "DEVICE_NOT_FOUND"
	DeviceAmbiguous    Code = "DEVICE_AMBIGUOUS"
	DeviceNotBooted    Code = "DEVICE_NOT_BOOTED"
	DeviceClaimed      Code = "DEVICE_CLAIMED"
	DeviceBroken       Code = "DEVICE_BROKEN"
	DeviceUnpaired     Code = "DEVICE_UNPAIRED"
	DeviceLocked       Code = "DEVICE_LOCKED"
	DeveloperModeOff   Code = "DEVELOPER_MODE_OFF"
	SigningFailed      Code = "SIGNING_FAILED"
	NotHolder          Code = "NOT_HOLDER"
	LeaseLost          Code = "LEASE_LOST"
	WaitTimeout        Code = "WAIT_TIMEOUT"
	StateFailed        Code = "STATE_FAILED"
	BootFailed         Code = "BOOT_FAILED"
	ShutdownFailed     Code = "SHUTDOWN_FAILED"
	AppNotFound        Code = "APP_NOT_FOUND"
	AppAmbiguous       Code = "APP_AMBIGUOUS"
	AppNotRunning      Code = "APP_NOT_RUNNING"
	AppNotInFront      Code = "APP_NOT_IN_FRONT"
	AppInstallFailed   Code = "APP_INSTALL_FAILED"
	AppLaunchFailed    Code = "APP_LAUNCH_FAILED"
	AppTerminate       Code = "APP_TERMINATE_FAILED"
	AppPaused          Code = "APP_PAUSED"
	NotPaused          Code = "NOT_PAUSED"
	AttachRefused      Code = "ATTACH_REFUSED"
	ElementNotFound    Code = "ELEMENT_NOT_FOUND"
	ElementAmbiguous   Code = "ELEMENT_AMBIGUOUS"
	ElementUnhittable  Code = "ELEMENT_NOT_HITTABLE"
	ElementNotEditable Code = "ELEMENT_NOT_EDITABLE"
	ElementUnstable    Code = "ELEMENT_UNSTABLE"
	TextNotEntered     Code = "TEXT_NOT_ENTERED"
	AppEnded           Code = "APP_ENDED"
	RefExpired         Code = "REF_EXPIRED"
	NoFocus            Code = "NO_FOCUS"
	OutcomeUnknown     Code = "OUTCOME_UNKNOWN"
	OutcomeUnchanged   Code = "OUTCOME_UNCHANGED"
	ScreenLeft         Code = "SCREEN_LEFT"
	ScreenshotFailed   Code = "SCREENSHOT_FAILED"
	PathError          Code = "PATH_ERROR"
	DiskFull           Code = "DISK_FULL"
	ParseFailed        Code = "PARSE_FAILED"
	SecretNotFound     Code = "SECRET_NOT_FOUND"
	GoalFailed         Code = "GOAL_FAILED"
	LimitReached       Code = "LIMIT_REACHED"
	DeciderFailed      Code = "DECIDER_FAILED"
	Unsupported        Code = "UNSUPPORTED"
	JobNotFound        Code = "JOB_NOT_FOUND"
	StepNotFound       Code = "STEP_NOT_FOUND"
	BuildNotFound      Code = "BUILD_NOT_FOUND"
	CrashNotFound      Code = "CRASH_NOT_FOUND"
	SessionNotFound    Code = "SESSION_NOT_FOUND"
	ProxyNotRunning    Code = "PROXY_NOT_RUNNING"
	ProxyRunning       Code = "PROXY_RUNNING"
	ProxyFailed        Code = "PROXY_FAILED"
	FlowNotFound       Code = "FLOW_NOT_FOUND"
	FlowNotHeld        Code = "FLOW_NOT_HELD"
	MockNotFound       Code = "MOCK_NOT_FOUND"
	ProjectNotFound    Code = "PROJECT_NOT_FOUND"
	ProjectAmbiguous   Code = "PROJECT_AMBIGUOUS"
	SchemeNotFound     Code = "SCHEME_NOT_FOUND"
	SchemeAmbiguous    Code = "SCHEME_AMBIGUOUS"
	BuildFailed        Code = "BUILD_FAILED"
	TestsFailed        Code = "TESTS_FAILED"
	TestsNotRun        Code = "TESTS_NOT_RUN"
	AuditFailed        Code = "AUDIT_FAILED"
	NoXcode            Code = "NO_XCODE"
	ToolFailed         Code = "TOOL_FAILED"
	ToolMissing        Code = "TOOL_MISSING"
	AgentFailed        Code = "AGENT_FAILED"
	DriverFailed       Code = "DRIVER_FAILED"
	AgentNotRunning    Code = "AGENT_NOT_RUNNING"
	AgentStarting      Code = "AGENT_STARTING"
	DaemonUnreachable  Code = "DAEMON_UNREACHABLE"
	Sandboxed          Code = "SANDBOXED"
	Timeout            Code = "TIMEOUT"
	Cancelled          Code = "CANCELLED"
	Internal           Code = "INTERNAL"
)

// statusClosed is the status for a client that closed the connection, as nginx logs it; net/http has no name for it.
const statusClosed = 499

type meaning struct {
	status int
	exit   int
	hint   string
}

// table has the HTTP status, the exit code and the usual hint of each code.
var table = map[Code]meaning{
	InvalidInput:     {http.StatusBadRequest, ExitUsage, "correct the input that the message names"},
	UnknownOperation: {http.StatusNotFound, ExitUsage, hint.Command("ios-agent help") + " lists the operations"},
	MethodNotAllowed: {http.StatusMethodNotAllowed, ExitUsage, "use the method that the Allow header names"},
	TooLarge:         {http.StatusRequestEntityTooLarge, ExitUsage, "send less at once; pass a file by its path"},
	TooMany:          {http.StatusTooManyRequests, ExitPrecondition, "wait until one of them has ended, then try again"},
	Unauthorized: {http.StatusUnauthorized, ExitDenied,
		"send the key as `Authorization: Bearer …`; " + hint.Command("ios-agent daemon status") + " names the file of the key"},
	Forbidden: {http.StatusForbidden, ExitDenied, "call from this machine, by a loopback address, not from a web page"},
	NoDevice: {http.StatusBadRequest, ExitPrecondition,
		"boot a simulator: " + hint.Do("boot_device", "name", "NAME") + "; or name a device with " + hint.Field("udid") + " or " +
			hint.Field("sim")},
	DeviceNotFound:  {http.StatusNotFound, ExitNotFound, hint.Do("list_devices") + " lists the devices"},
	DeviceAmbiguous: {http.StatusConflict, ExitNotFound, "pass the udid of one of the candidates"},
	DeviceNotBooted: {http.StatusConflict, ExitPrecondition, "boot the device first: " + hint.Do("boot_device")},
	DeviceClaimed: {http.StatusConflict, ExitPrecondition, "use another device; wait for a free one: " +
		hint.Do("resolve_device", "wait_if_busy", true) + "; or take it over: " + hint.Do("take_over_device", "udid", "UDID", "reason", "WHY")},
	DeviceBroken: {http.StatusServiceUnavailable, ExitFailed,
		"use another device until this one is repaired; " + hint.Do("list_device_pool") + " shows its state"},
	DeviceUnpaired:   {http.StatusConflict, ExitPrecondition, "unlock the device, connect it with a cable and tap Trust"},
	DeviceLocked:     {http.StatusConflict, ExitPrecondition, "unlock the device with its passcode, then try again"},
	DeveloperModeOff: {http.StatusConflict, ExitPrecondition, "on the device: Settings, Privacy & Security, Developer Mode"},
	SigningFailed:    {http.StatusConflict, ExitPrecondition, "set IOS_AGENT_TEAM to a team of an account in Xcode"},
	NotHolder: {http.StatusForbidden, ExitDenied, "only the session that claimed the device may do that; take the device over: " +
		hint.Do("take_over_device", "udid", "UDID", "reason", "WHY")},
	LeaseLost: {http.StatusConflict, ExitPrecondition,
		"the device was released or taken over: claim it again, and look at the screen before you act"},
	WaitTimeout: {http.StatusRequestTimeout, ExitTimeout,
		"wait longer, or release a device; " + hint.Do("list_device_pool") + " names the session of each claimed device"},
	StateFailed: {http.StatusServiceUnavailable, ExitFailed,
		"the daemon cannot write its state: look at the disk and at the daemon's log"},
	BootFailed: {http.StatusServiceUnavailable, ExitFailed,
		"shut the device down with " + hint.Do("shutdown_device") + " and boot it again"},
	ShutdownFailed:   {http.StatusServiceUnavailable, ExitFailed, "read the message of simctl in the details"},
	AppNotFound:      {http.StatusNotFound, ExitNotFound, "install the app first: " + hint.Do("install_app", "app_path", "PATH.app")},
	AppAmbiguous:     {http.StatusConflict, ExitNotFound, "pass the bundle id of one of the candidates"},
	AppNotInFront:    {http.StatusConflict, ExitPrecondition, hint.Do("snapshot") + " shows the app in front"},
	AppNotRunning:    {http.StatusConflict, ExitPrecondition, "launch the app first: " + hint.Do("launch_app", "bundle_id", "BUNDLE_ID")},
	AppInstallFailed: {http.StatusUnprocessableEntity, ExitFailed, "build the app for this kind of device: simulator or physical"},
	AppLaunchFailed:  {http.StatusUnprocessableEntity, ExitFailed, "read the message of simctl in the details"},
	AppTerminate:     {http.StatusUnprocessableEntity, ExitFailed, "read the message of simctl in the details"},
	AppPaused: {http.StatusConflict, ExitPrecondition,
		"a debugger has paused the app: " + hint.Do("debug_continue") + " continues it"},
	NotPaused:          {http.StatusConflict, ExitPrecondition, "pause the program: " + hint.Do("debug_pause")},
	AttachRefused:      {http.StatusForbidden, ExitDenied, "the message says why the process cannot be debugged"},
	ElementNotFound:    {http.StatusNotFound, ExitNotFound, hint.Do("snapshot") + " shows the elements of the screen"},
	ElementAmbiguous:   {http.StatusConflict, ExitNotFound, "pass the ref of one of the candidates"},
	ElementUnhittable:  {http.StatusConflict, ExitFailed, "the element is covered, disabled or off the screen: uncover it or scroll to it"},
	ElementNotEditable: {http.StatusConflict, ExitFailed, "name a text field, search field or text view"},
	ElementUnstable: {http.StatusConflict, ExitFailed,
		"wait until the screen is still: " + hint.Do("wait", "condition", "settled") + "; or raise " + hint.Field("timeout_ms")},
	TextNotEntered: {http.StatusConflict, ExitFailed,
		"look at the value of the field, and replace it: " + hint.Do("fill", "text", "TEXT")},
	AppEnded:   {http.StatusConflict, ExitFailed, "read the crash report and the last log lines in the details"},
	RefExpired: {http.StatusGone, ExitNotFound, hint.Do("snapshot") + " gives new refs"},
	NoFocus:    {http.StatusConflict, ExitPrecondition, "tap a text field first, or name one with a ref"},
	OutcomeUnknown: {http.StatusBadGateway, ExitUnknown,
		"the input may have arrived: look at the screen before you repeat it: " + hint.Do("snapshot")},
	OutcomeUnchanged: {http.StatusConflict, ExitUnknown,
		"the screen did not change though a change was expected: look at it before you go on"},
	ScreenLeft:       {http.StatusConflict, ExitFailed, "look at the new screen before you go on: " + hint.Do("snapshot")},
	ScreenshotFailed: {http.StatusBadGateway, ExitFailed, "check that the device is booted: " + hint.Do("list_devices")},
	PathError:        {http.StatusBadRequest, ExitUsage, "check that the path exists and that you may use it"},
	DiskFull:         {http.StatusInsufficientStorage, ExitFailed, "free space on the disk and try again; a restart is not needed"},
	ParseFailed: {http.StatusUnprocessableEntity, ExitFailed,
		"the message names the place of the error; " + hint.Schema("parse") + " lists the kinds of input"},
	SecretNotFound: {http.StatusNotFound, ExitNotFound, "write the secret to a file of that name in the secrets folder of the home"},
	GoalFailed:     {http.StatusUnprocessableEntity, ExitFailed, "read the steps in the transcript"},
	LimitReached:   {http.StatusGatewayTimeout, ExitTimeout, "raise the limit, or make the goal smaller"},
	DeciderFailed:  {http.StatusBadGateway, ExitFailed, "the message quotes the decider; the transcript has the steps before"},
	Unsupported:    {http.StatusNotImplemented, ExitFailed, "use a device or toolchain that can do that"},
	JobNotFound:    {http.StatusNotFound, ExitNotFound, "start the work again: the daemon keeps a finished job for an hour"},
	StepNotFound:   {http.StatusNotFound, ExitNotFound, "the daemon keeps the last 500 steps, until it ends"},
	BuildNotFound:  {http.StatusNotFound, ExitNotFound, "build again: a build is kept as long as the logs are"},
	CrashNotFound:  {http.StatusNotFound, ExitNotFound, hint.Do("list_crashes", "all", true) + " lists the crash reports of the last 7 days"},
	SessionNotFound: {http.StatusNotFound, ExitNotFound,
		"start another capture: stopping a capture returns it once, and it ends with the daemon"},
	ProxyNotRunning: {http.StatusServiceUnavailable, ExitPrecondition, "start the proxy: " + hint.Do("proxy_start")},
	ProxyRunning: {http.StatusConflict, ExitPrecondition, "see its settings with " + hint.Do("proxy_status") +
		"; change them with " + hint.Schema("proxy_set") + "; or stop the proxy first: " + hint.Do("proxy_stop")},
	ProxyFailed:  {http.StatusBadGateway, ExitFailed, hint.Do("proxy_status") + " shows the proxy's state; the daemon's log says more"},
	FlowNotFound: {http.StatusNotFound, ExitNotFound, hint.Do("list_flows") + " lists the stored requests"},
	FlowNotHeld: {http.StatusNotFound, ExitNotFound,
		hint.Do("proxy_held") + " lists the held requests; a held request is released after 30 seconds"},
	MockNotFound: {http.StatusNotFound, ExitNotFound, hint.Do("proxy_mocks") + " lists the mocks"},
	ProjectNotFound: {http.StatusNotFound, ExitNotFound,
		"name the .xcodeproj or .xcworkspace; " + hint.Do("discover_projs") + " finds projects and workspaces"},
	ProjectAmbiguous: {http.StatusConflict, ExitNotFound, "name one of them as projectPath or workspacePath"},
	SchemeNotFound:   {http.StatusNotFound, ExitNotFound, hint.Do("list_schemes") + " lists the schemes"},
	SchemeAmbiguous:  {http.StatusConflict, ExitNotFound, "name one of them as scheme"},
	BuildFailed: {http.StatusUnprocessableEntity, ExitFailed,
		"fix the errors and build again; the answer names the file of the whole log"},
	TestsFailed: {http.StatusUnprocessableEntity, ExitFailed, "fix the failed tests: the answer has the file and line of each failure"},
	TestsNotRun: {http.StatusConflict, ExitPrecondition, "run the tests on a Mac with Xcode; " +
		"tests of a package without Apple's frameworks run here: " + hint.Do("swift_package_test", "packagePath", "/DIR")},
	AuditFailed: {http.StatusUnprocessableEntity, ExitFailed, "fix the findings of the answer: each says how"},
	NoXcode: {http.StatusServiceUnavailable, ExitPrecondition,
		"install Xcode and run `sudo xcode-select -s /Applications/Xcode.app`, or set IOS_AGENT_TOOLCHAIN=virtual"},
	ToolFailed:  {http.StatusBadGateway, ExitFailed, "read the tool's output in the details"},
	ToolMissing: {http.StatusServiceUnavailable, ExitPrecondition, hint.Do("doctor") + " says which tools are missing"},
	AgentFailed: {http.StatusServiceUnavailable, ExitFailed,
		"read the agent's last output in the details; " + hint.Do("doctor") + " checks the tools"},
	DriverFailed:    {http.StatusServiceUnavailable, ExitPrecondition, hint.Do("doctor") + " says which drivers answer"},
	AgentNotRunning: {http.StatusConflict, ExitPrecondition, "start the agent: " + hint.Do("agent_start")},
	AgentStarting: {http.StatusServiceUnavailable, ExitTimeout,
		"the start continues: try again, or wait for it: " + hint.Do("agent_start")},
	DaemonUnreachable: {http.StatusServiceUnavailable, ExitPrecondition,
		hint.Command("ios-agent daemon status") + " shows its state and names its log"},
	Sandboxed: {http.StatusServiceUnavailable, ExitPrecondition,
		"allow this sandbox to use the unix socket and the folder named in the message"},
	Timeout:   {http.StatusGatewayTimeout, ExitTimeout, "try again; " + hint.Do("doctor") + " says whether the tools answer"},
	Cancelled: {statusClosed, ExitFailed, "the client closed the connection before the end; send the call again"},
	Internal:  {http.StatusInternalServerError, ExitInternal, "this is a bug in ios-agent; the daemon's log says more"},
}

// meaning returns the row of the code. A code outside the table has the row of INTERNAL, so that a mistake never looks like success.
func (c Code) meaning() meaning {
	if m, ok := table[c]; ok {
		return m
	}
	return table[Internal]
}

// Status is the HTTP status of the code.
func (c Code) Status() int { return c.meaning().status }

// Exit is the CLI's exit code for the code.
func (c Code) Exit() int { return c.meaning().exit }

// Hint is the usual advice for the code; a fault may have a hint of its own instead.
func (c Code) Hint() string { return c.meaning().hint }

// Question reports whether the fault asks which of several candidates the call meant. A model answers it with its next call;
// MCP does not call it an error.
func (c Code) Question() bool {
	return c == ElementAmbiguous || c == DeviceAmbiguous || c == AppAmbiguous || c == ProjectAmbiguous || c == SchemeAmbiguous
}

// Codes lists every code with a meaning.
func Codes() []Code {
	codes := make([]Code, 0, len(table))
	for c := range table {
		codes = append(codes, c)
	}
	return codes
}
