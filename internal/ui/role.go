package ui

// kind is what the program needs to know of an element type beyond its frame.
type kind struct {
	role        string
	interactive bool // an agent may want to act on it
	frame       bool // a container worth a line of its own
	solid       bool // hides what lies under it
	ambient     bool // changes by itself: says nothing about an action
	clips       bool // shows nothing of its children outside its own frame
}

// kinds maps short XCUI type names to roles in ARIA's words, which models know from the web.
var kinds = map[string]kind{
	"Button":            {role: "button", interactive: true, solid: true},
	"MenuButton":        {role: "button", interactive: true, solid: true},
	"ToolbarButton":     {role: "button", interactive: true, solid: true},
	"PopUpButton":       {role: "button", interactive: true, solid: true},
	"StaticText":        {role: "text"},
	"TextField":         {role: "textbox", interactive: true, solid: true},
	"SecureTextField":   {role: "textbox", interactive: true, solid: true},
	"TextView":          {role: "textbox", interactive: true, solid: true},
	"SearchField":       {role: "searchbox", interactive: true, solid: true},
	"Switch":            {role: "switch", interactive: true, solid: true},
	"Toggle":            {role: "switch", interactive: true, solid: true},
	"CheckBox":          {role: "checkbox", interactive: true, solid: true},
	"RadioButton":       {role: "radio", interactive: true, solid: true},
	"Slider":            {role: "slider", interactive: true, solid: true},
	"Stepper":           {role: "spinbutton", interactive: true, solid: true},
	"PickerWheel":       {role: "spinbutton", interactive: true, solid: true},
	"SegmentedControl":  {role: "group", frame: true},
	"Link":              {role: "link", interactive: true, solid: true},
	"Image":             {role: "img"},
	"Icon":              {role: "button", interactive: true, solid: true},
	"Cell":              {role: "listitem", interactive: true},
	"Table":             {role: "list", frame: true, clips: true},
	"CollectionView":    {role: "grid", frame: true, clips: true},
	"ScrollView":        {role: "scroll", clips: true},
	"NavigationBar":     {role: "navigation", frame: true, solid: true},
	"TabBar":            {role: "tablist", frame: true, solid: true},
	"Tab":               {role: "tab", interactive: true, solid: true},
	"Toolbar":           {role: "toolbar", frame: true, solid: true},
	"Alert":             {role: "alertdialog", frame: true, solid: true},
	"Sheet":             {role: "dialog", frame: true, solid: true},
	"Dialog":            {role: "dialog", frame: true, solid: true},
	"Popover":           {role: "dialog", frame: true, solid: true},
	"Menu":              {role: "menu", frame: true, solid: true},
	"Picker":            {role: "menu", frame: true},
	"MenuItem":          {role: "menuitem", interactive: true, solid: true},
	"Keyboard":          {role: "keyboard", solid: true},
	"Key":               {role: "key", interactive: true, solid: true},
	"ProgressIndicator": {role: "progressbar", ambient: true},
	"ActivityIndicator": {role: "progressbar", ambient: true},
	"StatusBar":         {role: "status", ambient: true},
	"WebView":           {role: "document", frame: true},
	"Window":            {role: "window"},
	"Application":       {role: "application"},
	"Other":             {role: "generic"},
}

// roleOf gives the role of a type; one the table does not know keeps its own name, so that nothing is lost.
func roleOf(kindName string) string {
	if k, ok := kinds[kindName]; ok {
		return k.role
	}
	return kindName
}

// modals are the types that take the screen over.
var modals = map[string]bool{"Alert": true, "Sheet": true, "Dialog": true, "Popover": true}

// takesText are the types one can type into, with the keyboard the specification's snapshot names for them.
var takesText = map[string]string{"TextField": "text", "SecureTextField": "secure", "TextView": "multiline", "SearchField": "search"}
