package fault

import (
	"net/http"
	"slices"
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
	ExitInterrupted  = 130 // by ctrl-C: 128 and the number of the signal, as shells have it
)

// Exit is an exit code, what it means, and the faults that end with it.
type Exit struct {
	Code    int
	Meaning string
	Faults  []Code
}

// Exits are all exit codes, in their order.
func Exits() []Exit {
	all := []Exit{
		{Code: ExitOK, Meaning: "it worked; a stream that was ended with ctrl-C too"},
		{Code: ExitFailed, Meaning: "it did not work"},
		{Code: ExitUsage, Meaning: "the command line or its input is wrong; nothing was done"},
		{Code: ExitNotFound, Meaning: "what was named is not there, is several, or has expired"},
		{Code: ExitPrecondition, Meaning: "something has to be done first: no device, claimed by another, no Xcode, no daemon"},
		{Code: ExitTimeout, Meaning: "time ran out"},
		{Code: ExitUnknown, Meaning: "the outcome is unknown, or nothing changed where a change was expected"},
		{Code: ExitDenied, Meaning: "it is not allowed"},
		{Code: ExitInternal, Meaning: "a bug in ios-agent"},
		{Code: ExitInterrupted, Meaning: "interrupted with ctrl-C; another signal is 128 and its number"},
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

// table is the one place that says what a code means outside the program.
var table = map[Code]meaning{
	InvalidInput:     {http.StatusBadRequest, ExitUsage, "correct the input that the message names"},
	UnknownOperation: {http.StatusNotFound, ExitUsage, "`ios-agent help` lists the operations"},
	MethodNotAllowed: {http.StatusMethodNotAllowed, ExitUsage, "use the method the Allow header names"},
	TooLarge:         {http.StatusRequestEntityTooLarge, ExitUsage, "send less at once; files are passed by path"},
	TooMany:          {http.StatusTooManyRequests, ExitPrecondition, "wait until some of them have ended, and try again"},
	Unauthorized: {http.StatusUnauthorized, ExitDenied,
		"send the key as `Authorization: Bearer …`; `ios-agent daemon status` names the file that holds it"},
	Forbidden:       {http.StatusForbidden, ExitDenied, "call from this machine, by a loopback address, not from a web page"},
	NoDevice:        {http.StatusBadRequest, ExitPrecondition, "run `ios-agent boot --sim NAME`, or pass `--udid` or `--sim`"},
	DeviceNotFound:  {http.StatusNotFound, ExitNotFound, "run `ios-agent devices` for the devices there are"},
	DeviceAmbiguous: {http.StatusConflict, ExitNotFound, "pass the udid of one of the candidates"},
	DeviceNotBooted: {http.StatusConflict, ExitPrecondition, "run `ios-agent boot` first"},
	DeviceClaimed: {http.StatusConflict, ExitPrecondition,
		"use another device, wait with `ios-agent pool resolve --wait-if-busy`, or take it over: `ios-agent pool take-over UDID --reason WHY`"},
	DeviceBroken: {http.StatusServiceUnavailable, ExitFailed,
		"it is being repaired; `ios-agent pool list` tells how it is, or use another device"},
	DeviceUnpaired:   {http.StatusConflict, ExitPrecondition, "unlock the device, connect it with a cable and tap Trust"},
	DeviceLocked:     {http.StatusConflict, ExitPrecondition, "unlock the device with its passcode, then try again"},
	DeveloperModeOff: {http.StatusConflict, ExitPrecondition, "on the device: Settings, Privacy & Security, Developer Mode"},
	SigningFailed:    {http.StatusConflict, ExitPrecondition, "name a team that Xcode has an account of, as IOS_AGENT_TEAM"},
	NotHolder: {http.StatusForbidden, ExitDenied,
		"only its holder may do that; `ios-agent pool take-over UDID --reason WHY` makes you the holder"},
	LeaseLost: {http.StatusConflict, ExitPrecondition,
		"the device was released or taken over meanwhile: claim it again, and look before you act"},
	WaitTimeout: {http.StatusRequestTimeout, ExitTimeout,
		"wait longer, release a device, or take one over: `ios-agent pool list` names the holders"},
	StateFailed: {http.StatusServiceUnavailable, ExitFailed,
		"the daemon cannot write its state: look at the disk and at the daemon's log"},
	BootFailed:         {http.StatusServiceUnavailable, ExitFailed, "try `ios-agent shutdown` and boot again"},
	ShutdownFailed:     {http.StatusServiceUnavailable, ExitFailed, "look at the message of simctl in the details"},
	AppNotFound:        {http.StatusNotFound, ExitNotFound, "install the app first: `ios-agent install PATH.app`"},
	AppAmbiguous:       {http.StatusConflict, ExitNotFound, "pass the bundle id of one of the candidates"},
	AppNotInFront:      {http.StatusConflict, ExitPrecondition, "`ios-agent snapshot` shows what is in front"},
	AppNotRunning:      {http.StatusConflict, ExitPrecondition, "launch the app first: `ios-agent launch BUNDLE_ID`"},
	AppInstallFailed:   {http.StatusUnprocessableEntity, ExitFailed, "the app must be built for this kind of device: simulator or physical"},
	AppLaunchFailed:    {http.StatusUnprocessableEntity, ExitFailed, "look at the message of simctl in the details"},
	AppTerminate:       {http.StatusUnprocessableEntity, ExitFailed, "look at the message of simctl in the details"},
	AppPaused:          {http.StatusConflict, ExitPrecondition, "a debugger holds the app: `ios-agent debug continue`"},
	NotPaused:          {http.StatusConflict, ExitPrecondition, "the program runs: `ios-agent debug pause`"},
	AttachRefused:      {http.StatusForbidden, ExitDenied, "the message says what does not let the process be debugged"},
	ElementNotFound:    {http.StatusNotFound, ExitNotFound, "`ios-agent snapshot` shows what there is"},
	ElementAmbiguous:   {http.StatusConflict, ExitNotFound, "pass the ref of one of the candidates"},
	ElementUnhittable:  {http.StatusConflict, ExitFailed, "something covers it, it is disabled, or it is off the screen"},
	ElementNotEditable: {http.StatusConflict, ExitFailed, "name a text field, search field or text view"},
	ElementUnstable: {http.StatusConflict, ExitFailed,
		"wait for it to stop: `ios-agent wait --condition settled`, or raise `--timeout-ms`"},
	TextNotEntered: {http.StatusConflict, ExitFailed, "look at what the field holds, and use `ios-agent fill` to replace it"},
	AppEnded:       {http.StatusConflict, ExitFailed, "the crash report and the last log lines are in the details"},
	RefExpired:     {http.StatusGone, ExitNotFound, "`ios-agent snapshot` gives new ones"},
	NoFocus:        {http.StatusConflict, ExitPrecondition, "tap a text field first, or name one with a ref"},
	OutcomeUnknown: {http.StatusBadGateway, ExitUnknown,
		"the input may have arrived: take a look, `ios-agent snapshot`, before you repeat it"},
	OutcomeUnchanged: {http.StatusConflict, ExitUnknown, "nothing on the screen changed though a change was expected"},
	ScreenLeft:       {http.StatusConflict, ExitFailed, "look at the screen that is shown now, `ios-agent snapshot`, before you go on"},
	ScreenshotFailed: {http.StatusBadGateway, ExitFailed, "check with `ios-agent devices` that the device is booted"},
	PathError:        {http.StatusBadRequest, ExitUsage, "check that the path exists and may be used"},
	DiskFull:         {http.StatusInsufficientStorage, ExitFailed, "free space on the disk and try again; nothing has to be restarted"},
	ParseFailed: {http.StatusUnprocessableEntity, ExitFailed,
		"the place is named in the message; `ios-agent parse --help` lists what can be read"},
	SecretNotFound: {http.StatusNotFound, ExitNotFound, "write it to a file of that name in the secrets folder of the home"},
	GoalFailed:     {http.StatusUnprocessableEntity, ExitFailed, "the transcript tells what was tried"},
	LimitReached:   {http.StatusGatewayTimeout, ExitTimeout, "raise the limit, or make the goal smaller"},
	DeciderFailed:  {http.StatusBadGateway, ExitFailed, "its own words are in the message; the transcript has the steps before"},
	Unsupported:    {http.StatusNotImplemented, ExitFailed, "this device or toolchain cannot do that"},
	JobNotFound:    {http.StatusNotFound, ExitNotFound, "finished jobs are forgotten after an hour"},
	StepNotFound:   {http.StatusNotFound, ExitNotFound, "the last 500 steps are remembered, until the daemon ends"},
	BuildNotFound:  {http.StatusNotFound, ExitNotFound, "builds are kept for as long as logs are, and go with `ios-agent data delete`"},
	CrashNotFound:  {http.StatusNotFound, ExitNotFound, "reports of the last 7 days are known; `ios-agent crashes --all` lists them"},
	SessionNotFound: {http.StatusNotFound, ExitNotFound,
		"a capture is given once, to the first who stops it, and ends with the daemon: start another"},
	ProxyNotRunning: {http.StatusServiceUnavailable, ExitPrecondition, "start it: `ios-agent proxy start`"},
	ProxyRunning: {http.StatusConflict, ExitPrecondition,
		"use it as it is, `ios-agent proxy status`, change it with `ios-agent proxy set`, or end it first: `ios-agent proxy stop`"},
	ProxyFailed:  {http.StatusBadGateway, ExitFailed, "`ios-agent proxy status` tells how it is; the daemon's log says more"},
	FlowNotFound: {http.StatusNotFound, ExitNotFound, "`ios-agent proxy flows` lists those that are kept"},
	FlowNotHeld:  {http.StatusNotFound, ExitNotFound, "`ios-agent proxy held` lists those that wait; one is let go after 30 seconds"},
	MockNotFound: {http.StatusNotFound, ExitNotFound, "`ios-agent proxy mocks` lists the rules"},
	ProjectNotFound: {http.StatusNotFound, ExitNotFound,
		"name the .xcodeproj or .xcworkspace; `ios-agent xcode discover-projs` looks for them"},
	ProjectAmbiguous: {http.StatusConflict, ExitNotFound, "name one of them as projectPath or workspacePath"},
	SchemeNotFound:   {http.StatusNotFound, ExitNotFound, "`ios-agent xcode list-schemes` shows the schemes there are"},
	SchemeAmbiguous:  {http.StatusConflict, ExitNotFound, "name one of them as scheme"},
	BuildFailed: {http.StatusUnprocessableEntity, ExitFailed,
		"mend the errors and build again; the whole log is in the file named in the answer"},
	TestsFailed: {http.StatusUnprocessableEntity, ExitFailed, "the answer names each failed test and the place of its failure"},
	TestsNotRun: {http.StatusConflict, ExitPrecondition, "run the tests on a Mac with Xcode"},
	AuditFailed: {http.StatusUnprocessableEntity, ExitFailed, "mend the findings of the answer: each has a fix"},
	NoXcode: {http.StatusServiceUnavailable, ExitPrecondition,
		"install Xcode and run `sudo xcode-select -s /Applications/Xcode.app`, or set IOS_AGENT_TOOLCHAIN=virtual"},
	ToolFailed:        {http.StatusBadGateway, ExitFailed, "the tool's own words are in the details"},
	ToolMissing:       {http.StatusServiceUnavailable, ExitPrecondition, "run `ios-agent doctor`"},
	AgentFailed:       {http.StatusServiceUnavailable, ExitFailed, "the agent's last words are in the details; run `ios-agent doctor`"},
	DriverFailed:      {http.StatusServiceUnavailable, ExitPrecondition, "`ios-agent doctor` says which drivers answer"},
	AgentNotRunning:   {http.StatusConflict, ExitPrecondition, "start it: `ios-agent agent start`"},
	DaemonUnreachable: {http.StatusServiceUnavailable, ExitPrecondition, "run `ios-agent daemon status`; its log is named there"},
	Sandboxed: {http.StatusServiceUnavailable, ExitPrecondition,
		"allow this sandbox to use the unix socket and the folder named in the message"},
	Timeout:   {http.StatusGatewayTimeout, ExitTimeout, "try again; `ios-agent doctor` tells whether the tools answer"},
	Cancelled: {statusClosed, ExitFailed, "the caller went away before the end"},
	Internal:  {http.StatusInternalServerError, ExitInternal, "this is a bug in ios-agent; the daemon's log says more"},
}

// meaning of a code that is not in the table is INTERNAL's, so that a mistake never looks like success.
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

// Hint is what to do about it when the case at hand knows no better.
func (c Code) Hint() string { return c.meaning().hint }

// Question reports whether the fault only asks back which of several was meant. A model answers it with its next call;
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
