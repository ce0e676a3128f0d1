package ui

import "strings"

// kind holds the properties of an element type.
type kind struct {
	role        string
	interactive bool // an agent may want to act on it
	frame       bool // a container worth a line of its own
	solid       bool // hides what lies under it
	ambient     bool // changes by itself: proves nothing about an action
	clips       bool // shows nothing of its children outside its own frame
	plain       bool // a container without information of its own
}

// kinds maps short XCUI type names to ARIA roles, which models know from the web. It is the only such table: TypeOf converts the names of
// other sources to these names. Heading comes from idb only; XCTest calls a heading a StaticText.
var kinds = map[string]kind{
	"Button":             {role: "button", interactive: true, solid: true},
	"MenuButton":         {role: "button", interactive: true, solid: true},
	"ToolbarButton":      {role: "button", interactive: true, solid: true},
	"PopUpButton":        {role: "button", interactive: true, solid: true},
	"DisclosureTriangle": {role: "button", interactive: true, solid: true},
	"IncrementArrow":     {role: "button", interactive: true, solid: true},
	"DecrementArrow":     {role: "button", interactive: true, solid: true},
	"Icon":               {role: "button", interactive: true, solid: true},
	"StatusItem":         {role: "button", interactive: true, solid: true},
	"DockItem":           {role: "button", interactive: true, solid: true},
	"StaticText":         {role: "text"},
	"Heading":            {role: "heading"},
	"HelpTag":            {role: "tooltip"},
	"TextField":          {role: "textbox", interactive: true, solid: true},
	"SecureTextField":    {role: "textbox", interactive: true, solid: true},
	"TextView":           {role: "textbox", interactive: true, solid: true},
	"SearchField":        {role: "searchbox", interactive: true, solid: true},
	"ComboBox":           {role: "combobox", interactive: true, solid: true},
	"Switch":             {role: "switch", interactive: true, solid: true},
	"Toggle":             {role: "switch", interactive: true, solid: true},
	"CheckBox":           {role: "checkbox", interactive: true, solid: true},
	"RadioButton":        {role: "radio", interactive: true, solid: true},
	"RadioGroup":         {role: "radiogroup", frame: true},
	"Slider":             {role: "slider", interactive: true, solid: true},
	"ValueIndicator":     {role: "slider", interactive: true},
	"ScrollBar":          {role: "scrollbar", ambient: true},
	"Stepper":            {role: "spinbutton", interactive: true, solid: true},
	"PickerWheel":        {role: "spinbutton", interactive: true, solid: true},
	"DatePicker":         {role: "group", frame: true},
	"ColorWell":          {role: "button", interactive: true, solid: true},
	"PageIndicator":      {role: "slider", interactive: true},
	"RatingIndicator":    {role: "slider", interactive: true},
	"SegmentedControl":   {role: "group", frame: true},
	"Link":               {role: "link", interactive: true, solid: true},
	"Image":              {role: "img"},
	"Map":                {role: "img", frame: true},
	"Cell":               {role: "listitem", interactive: true},
	"TableRow":           {role: "row", interactive: true},
	"OutlineRow":         {role: "row", interactive: true},
	"TableColumn":        {role: "column"},
	"Table":              {role: "list", frame: true, clips: true},
	"Outline":            {role: "tree", frame: true, clips: true},
	"Browser":            {role: "tree", frame: true, clips: true},
	"Grid":               {role: "grid", frame: true, clips: true},
	"CollectionView":     {role: "grid", frame: true, clips: true},
	"ScrollView":         {role: "scroll", clips: true},
	"NavigationBar":      {role: "navigation", frame: true, solid: true},
	"TabBar":             {role: "tablist", frame: true, solid: true},
	"TabGroup":           {role: "tablist", frame: true},
	"Tab":                {role: "tab", interactive: true, solid: true},
	"Toolbar":            {role: "toolbar", frame: true, solid: true},
	"TouchBar":           {role: "toolbar", frame: true, solid: true},
	"Alert":              {role: "alertdialog", frame: true, solid: true},
	"Sheet":              {role: "dialog", frame: true, solid: true},
	"Dialog":             {role: "dialog", frame: true, solid: true},
	"Drawer":             {role: "dialog", frame: true, solid: true},
	"Popover":            {role: "dialog", frame: true, solid: true},
	"Menu":               {role: "menu", frame: true, solid: true},
	"MenuBar":            {role: "menubar", frame: true, solid: true},
	"Picker":             {role: "menu", frame: true},
	"MenuItem":           {role: "menuitem", interactive: true, solid: true},
	"MenuBarItem":        {role: "menuitem", interactive: true, solid: true},
	"Keyboard":           {role: "keyboard", solid: true},
	"Key":                {role: "key", interactive: true, solid: true},
	"ProgressIndicator":  {role: "progressbar", ambient: true},
	"ActivityIndicator":  {role: "progressbar", ambient: true},
	"LevelIndicator":     {role: "progressbar"},
	"RelevanceIndicator": {role: "progressbar"},
	"StatusBar":          {role: "status", ambient: true},
	"WebView":            {role: "document", frame: true},
	"Window":             {role: "window"},
	"Application":        {role: "application"},
	"Group":              {role: "group", plain: true},
	"SplitGroup":         {role: "group", plain: true},
	"Splitter":           {role: "separator"},
	"LayoutArea":         {role: "group", plain: true},
	"LayoutItem":         {role: "group", plain: true},
	"Other":              {role: "generic", plain: true},
	"Any":                {role: "generic", plain: true},
	"Unknown":            {role: "generic", plain: true},
}

// roleOf returns the role of a type; an unknown type is its own role, so that no information is lost.
func roleOf(kindName string) string {
	if k, ok := kinds[kindName]; ok {
		return k.role
	}
	return kindName
}

// typeNames are the kinds by their names in lower case, with other common spellings.
var typeNames = func() map[string]string {
	names := map[string]string{
		"textarea": "TextView", "busyindicator": "ActivityIndicator", "genericelement": "Other", "row": "TableRow",
		"column": "TableColumn", "list": "Table", "scrollarea": "ScrollView", "tabbutton": "Tab", "navbar": "NavigationBar",
		"statictext": "StaticText", "text": "StaticText", "webarea": "WebView", "datefield": "DatePicker", "incrementor": "Stepper",
	}
	for name := range kinds {
		names[strings.ToLower(name)] = name
	}
	return names
}()

// refinements are the words next to a type (subrole, role description, trait) that are more precise than the type, and the vague types that
// they refine.
var refinements = map[string]struct {
	to   string
	from string
}{
	"securetextfield": {"SecureTextField", "TextField Other Group"},
	"searchfield":     {"SearchField", "TextField Other Group"},
	"searchtextfield": {"SearchField", "TextField Other Group"},
	"switch":          {"Switch", "CheckBox Button Other Group"},
	"toggle":          {"Switch", "CheckBox Button Other Group"},
	"tabbutton":       {"Tab", "RadioButton Button Other Group"},
	"tab":             {"Tab", "RadioButton Button Other Group"},
	"keyboardkey":     {"Key", "Button Other Group"},
	"navbar":          {"NavigationBar", "Other Group"},
	"navigationbar":   {"NavigationBar", "Other Group"},
	"tabbar":          {"TabBar", "Other Group"},
	"toolbar":         {"Toolbar", "Other Group"},
	"busyindicator":   {"ActivityIndicator", "ProgressIndicator Other"},
	"button":          {"Button", "Other Group"},
	"link":            {"Link", "Other Group StaticText"},
}

var squeezer = strings.NewReplacer(" ", "", "-", "", "_", "")

func squeeze(word string) string {
	word = squeezer.Replace(strings.ToLower(strings.TrimSpace(word)))
	for _, prefix := range []string{"xcuielementtype", "ax"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok && rest != "" {
			return rest
		}
	}
	return word
}

// TypeOf returns the short XCUI name for a source's type: XCUIElementTypeButton, AXButton or Button, refined by the words beside it
// (subrole, role description, traits). An unknown type keeps its own name.
func TypeOf(raw string, beside ...string) string {
	name, known := typeNames[squeeze(raw)]
	switch {
	case raw == "":
		name = "Other"
	case !known:
		name = strings.TrimPrefix(raw, typePrefix)
	}
	for _, word := range beside {
		if r, ok := refinements[squeeze(word)]; ok && strings.Contains(" "+r.from+" ", " "+name+" ") {
			return r.to
		}
	}
	return name
}

// modals are the types that take over the screen.
var modals = map[string]bool{"Alert": true, "Sheet": true, "Dialog": true, "Popover": true}

// takesText are the types that accept text, with the keyboard that the specification's snapshot names for them.
var takesText = map[string]string{"TextField": "text", "SecureTextField": "secure", "TextView": "multiline", "SearchField": "search",
	"ComboBox": "text"}

// KnownType reports whether a word names an element type, in any source's spelling.
func KnownType(name string) bool {
	_, known := typeNames[squeeze(name)]
	return known
}

// TypeOfRole is the usual type of a role; an unknown role is treated as a type.
func TypeOfRole(role string) string {
	if name, ok := usualTypes[role]; ok {
		return name
	}
	return TypeOf(role)
}

// usualTypes picks the most common type of each role.
var usualTypes = func() map[string]string {
	usual := map[string]string{
		"button": "Button", "textbox": "TextField", "switch": "Switch", "slider": "Slider", "spinbutton": "Stepper", "group": "Group",
		"list": "Table", "grid": "CollectionView", "tree": "Outline", "tablist": "TabBar", "toolbar": "Toolbar", "dialog": "Sheet",
		"menu": "Menu", "menuitem": "MenuItem", "row": "TableRow", "progressbar": "ProgressIndicator", "img": "Image", "generic": "Other",
	}
	for name, k := range kinds {
		if _, taken := usual[k.role]; !taken {
			usual[k.role] = name
		}
	}
	return usual
}()
