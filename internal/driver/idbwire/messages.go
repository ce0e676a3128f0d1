package idbwire

// The companion's methods that the driver uses. Each is a path of its service.
const (
	Describe          = service + "describe"
	AccessibilityInfo = service + "accessibility_info"
	HID               = service + "hid"
	Screenshot        = service + "screenshot"
	Record            = service + "record"
	Log               = service + "log"
	Install           = service + "install"
	Uninstall         = service + "uninstall"
	ListApps          = service + "list_apps"
	Launch            = service + "launch"
	Terminate         = service + "terminate"
	OpenURL           = service + "open_url"
)

const service = "/idb.CompanionService/"

// The messages are those in idb.proto in package idb; a field's tag is its number. A pointer is a field whose presence counts: a
// message, or a member of a oneof.

// Point is a place on the screen, in points.
type Point struct {
	X float64 `pb:"1"`
	Y float64 `pb:"2"`
}

// Empty is a message without fields that the driver uses.
type Empty struct{}

// TargetDescription is the companion's description of its target.
type TargetDescription struct {
	UDID      string            `pb:"1"`
	Name      string            `pb:"2"`
	Screen    *ScreenDimensions `pb:"3"`
	State     string            `pb:"4"`
	Type      string            `pb:"5"`
	OSVersion string            `pb:"6"`
	Arch      string            `pb:"7"`
}

// ScreenDimensions are the dimensions of a target's screen.
type ScreenDimensions struct {
	Width        uint64  `pb:"1"`
	Height       uint64  `pb:"2"`
	Density      float64 `pb:"3"`
	WidthPoints  uint64  `pb:"4"`
	HeightPoints uint64  `pb:"5"`
}

// CompanionInfo is the companion's description of itself.
type CompanionInfo struct {
	UDID string `pb:"1"`
}

// TargetDescriptionResponse answers Describe.
type TargetDescriptionResponse struct {
	Target    *TargetDescription `pb:"1"`
	Companion *CompanionInfo     `pb:"2"`
}

// Format is the shape of a tree.
type Format int32

// The formats. A companion that does not know a format answers in the first.
const (
	Legacy   Format = 0 // a flat list
	Nested   Format = 1
	Complete Format = 2 // a document: the tree, its reader, whether it is complete, and the alert in front
)

// Backend is the reader of a tree.
type Backend int32

// The backends. A companion that does not know them uses the first.
const (
	BackendUsual           Backend = 0
	BackendHost            Backend = 1 // from outside: what assistive technology gets, with gaps
	BackendGuest           Backend = 2 // inside the simulator: the elements that XCTest gets
	BackendGuestPersistent Backend = 3 // the same, kept between reads
)

// AccessibilityInfoRequest asks for the tree of the screen, or for the element at a point.
type AccessibilityInfoRequest struct {
	Point   *Point   `pb:"2"`
	Format  Format   `pb:"3"`
	Keys    []string `pb:"7"`
	Backend Backend  `pb:"8"`
}

// AccessibilityInfoResponse is the tree as JSON.
type AccessibilityInfoResponse struct {
	JSON string `pb:"1"`
}

// Direction says whether a key or finger goes down or up.
type Direction int32

// The directions.
const (
	Down Direction = 0
	Up   Direction = 1
)

// Button is a hardware button.
type Button int32

// The buttons.
const (
	ApplePay   Button = 0
	Home       Button = 1
	Lock       Button = 2
	SideButton Button = 3
	Siri       Button = 4
)

// Orientation is the orientation of a device.
type Orientation int32

// The orientations.
const (
	Portrait           Orientation = 0
	PortraitUpsideDown Orientation = 1
	LandscapeLeft      Orientation = 2
	LandscapeRight     Orientation = 3
)

// HIDEvent is one input. Exactly one member is set.
type HIDEvent struct {
	Press       *HIDPress       `pb:"1"`
	Swipe       *HIDSwipe       `pb:"2"`
	Delay       *HIDDelay       `pb:"3"`
	Pinch       *HIDPinch       `pb:"4"`
	Orientation *HIDOrientation `pb:"5"`
}

// HIDPress presses or releases a button, key or finger.
type HIDPress struct {
	Action    *HIDPressAction `pb:"1"`
	Direction Direction       `pb:"2"`
}

// HIDPressAction is the target of a press. Exactly one member is set.
type HIDPressAction struct {
	Touch  *HIDTouch  `pb:"1"`
	Button *HIDButton `pb:"2"`
	Key    *HIDKey    `pb:"3"`
}

// HIDTouch is a finger.
type HIDTouch struct {
	Point *Point `pb:"1"`
}

// HIDButton is a button.
type HIDButton struct {
	Button Button `pb:"1"`
}

// HIDKey is a key, by its usage of the USB keyboard page.
type HIDKey struct {
	Keycode uint64 `pb:"1"`
}

// HIDSwipe moves a finger. Delta is the step in points, Duration in seconds.
type HIDSwipe struct {
	Start    *Point  `pb:"1"`
	End      *Point  `pb:"2"`
	Delta    float64 `pb:"5"`
	Duration float64 `pb:"6"`
}

// HIDDelay lets seconds pass.
type HIDDelay struct {
	Duration float64 `pb:"1"`
}

// HIDPinch moves two fingers, which start Radius points from the centre.
type HIDPinch struct {
	Center   *Point  `pb:"1"`
	Scale    float64 `pb:"2"`
	Duration float64 `pb:"3"`
	Radius   float64 `pb:"4"`
}

// HIDOrientation turns the device.
type HIDOrientation struct {
	Orientation Orientation `pb:"1"`
}

// ScreenshotResponse is a picture.
type ScreenshotResponse struct {
	Data []byte `pb:"1"`
}

// Payload is a file path: both sides are on one machine.
type Payload struct {
	FilePath *string `pb:"1"`
}

// RecordRequest starts or ends a film.
type RecordRequest struct {
	Start *RecordStart `pb:"1"`
	Stop  *Empty       `pb:"2"`
}

// RecordStart has the path of the film.
type RecordStart struct {
	FilePath string `pb:"1"`
}

// RecordResponse is the film; the driver ignores the encoder's output.
type RecordResponse struct {
	Payload *Payload `pb:"2"`
}

// LogRequest has the arguments of the system's log program.
type LogRequest struct {
	Arguments []string `pb:"1"`
}

// LogResponse is the output of the log program.
type LogResponse struct {
	Output []byte `pb:"1"`
}

// Destination is the kind of thing to install.
type Destination int32

// DestinationApp is an app.
const DestinationApp Destination = 0

// InstallRequest is one step of an installation. Exactly one member is set.
type InstallRequest struct {
	Destination *Destination `pb:"1"`
	Payload     *Payload     `pb:"2"`
}

// InstallResponse describes the installed app.
type InstallResponse struct {
	Name string `pb:"1"`
}

// BundleRequest names an app, for Uninstall and Terminate.
type BundleRequest struct {
	BundleID string `pb:"1"`
}

// ProcessState is whether an app runs.
type ProcessState int32

// ProcessRunning is the state of a running app.
const ProcessRunning ProcessState = 2

// App is an installed app.
type App struct {
	BundleID      string       `pb:"1"`
	Name          string       `pb:"2"`
	Architectures []string     `pb:"3"`
	InstallType   string       `pb:"4"`
	State         ProcessState `pb:"5"`
	PID           uint64       `pb:"7"` // older companions omit it
}

// ListAppsResponse are the apps.
type ListAppsResponse struct {
	Apps []*App `pb:"1"`
}

// LaunchRequest launches an app.
type LaunchRequest struct {
	Start *LaunchStart `pb:"1"`
}

// LaunchStart describes a launch.
type LaunchStart struct {
	BundleID            string            `pb:"1"`
	Env                 map[string]string `pb:"2"`
	Args                []string          `pb:"3"`
	ForegroundIfRunning bool              `pb:"4"`
}

// LaunchResponse has the process of the launched app.
type LaunchResponse struct {
	Debugger *DebuggerInfo `pb:"4"`
}

// DebuggerInfo has the id of a process.
type DebuggerInfo struct {
	PID uint64 `pb:"1"`
}

// OpenURLRequest opens a URL.
type OpenURLRequest struct {
	URL string `pb:"1"`
}
