package axtree

// kind is the role of an element type in CoreSimulator's accessibility.
type kind struct {
	name, role, description, subrole string

	label   string // label of an element without a label
	actions []string
	opaque  bool // its content is hidden
}

var application = kind{name: "Application", role: "AXApplication", description: "application"}

// kinds are the types exposed as elements; containers are not exposed.
var kinds = map[string]kind{
	"Button":            {name: "Button", role: "AXButton", description: "button", opaque: true},
	"StaticText":        {name: "StaticText", role: "AXStaticText", description: "text"},
	"TextField":         {name: "TextField", role: "AXTextField", description: "text field"},
	"SecureTextField":   {name: "TextField", role: "AXTextField", description: "secure text field", subrole: "AXSecureTextField"},
	"SearchField":       {name: "TextField", role: "AXTextField", description: "search text field", subrole: "AXSearchField"},
	"TextView":          {name: "TextArea", role: "AXTextArea", description: "text entry area"},
	"Switch":            {name: "CheckBox", role: "AXCheckBox", description: "switch", subrole: "AXSwitch"},
	"Slider":            {name: "Slider", role: "AXSlider", description: "slider"},
	"Image":             {name: "Image", role: "AXImage", description: "image"},
	"Link":              {name: "Link", role: "AXLink", description: "link"},
	"Icon":              {name: "Button", role: "AXButton", description: "button", actions: []string{"Edit mode", "Today"}},
	"ActivityIndicator": {name: "ProgressIndicator", role: "AXBusyIndicator", description: "busy indicator"},
	"ProgressIndicator": {name: "ProgressIndicator", role: "AXProgressIndicator", description: "progress indicator"},
	"PickerWheel":       {name: "Slider", role: "AXSlider", description: "adjustable"},
	"Key":               {name: "Button", role: "AXButton", description: "keyboard key", subrole: "AXKeyboardKey"},
	// The items of a tab bar are hidden. Reports of this gap date back to 2022.
	"TabBar": {name: "Group", role: "AXGroup", description: "group", label: "Tab Bar", opaque: true},
}
