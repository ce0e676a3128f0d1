package atspi

import (
	"strconv"
	"strings"
	"unicode"

	"ios-agent/internal/desktop"
)

// kind is the macOS counterpart of a role. An empty name means that macOS lacks it.
type kind struct {
	said    string // AT-SPI2's name
	role    string
	subrole string
	value   valueOf
}

// valueOf is the source of a role's value, in addition to the interface for numbers.
type valueOf uint8

const (
	fromNothing valueOf = iota
	fromText
	fromChecked
	fromSecret
	fromName  // the text, if the element has no name
	fromChild // the selected child
)

// kinds are the roles of AT-SPI2, by their numbers (AtspiRole).
var kinds = [...]kind{
	0: {said: "invalid"}, 1: {said: "accelerator label", role: "AXStaticText"}, 2: {said: "alert", role: "AXGroup", subrole: "AXDialog"},
	3: {said: "animation", role: "AXImage"}, 4: {said: "arrow"}, 5: {said: "calendar"}, 6: {said: "canvas"},
	7: {said: "check box", role: "AXCheckBox", value: fromChecked},
	8: {said: "check menu item", role: "AXMenuItem", value: fromChecked}, 9: {said: "color chooser"},
	10: {said: "column header", role: "AXButton", subrole: "AXSortButton"}, 11: {said: "combo box", role: "AXPopUpButton", value: fromChild},
	12: {said: "date editor", role: "AXDateField"}, 13: {said: "desktop icon", role: "AXImage"}, 14: {said: "desktop frame"},
	15: {said: "dial", role: "AXSlider"}, 16: {said: "dialog", role: "AXGroup", subrole: "AXDialog"}, 17: {said: "directory pane"},
	18: {said: "drawing area"}, 19: {said: "file chooser", role: "AXGroup", subrole: "AXDialog"}, 20: {said: "filler", role: "AXGroup"},
	21: {said: "focus traversable"}, 22: {said: "font chooser"}, 23: {said: "frame", role: "AXGroup"}, 24: {said: "glass pane",
		role: "AXGroup"},
	25: {said: "html container", role: "AXGroup"}, 26: {said: "icon", role: "AXImage"}, 27: {said: "image", role: "AXImage"},
	28: {said: "internal frame", role: "AXGroup"}, 29: {said: "label", role: "AXStaticText", value: fromName},
	30: {said: "layered pane", role: "AXGroup"}, 31: {said: "list", role: "AXList"}, 32: {said: "list item", role: "AXRow"},
	33: {said: "menu", role: "AXMenu"}, 34: {said: "menu bar", role: "AXMenuBar"}, 35: {said: "menu item", role: "AXMenuItem"},
	36: {said: "option pane", role: "AXGroup"}, 37: {said: "page tab", role: "AXRadioButton", subrole: "AXTabButton"},
	38: {said: "page tab list", role: "AXTabGroup"}, 39: {said: "panel", role: "AXGroup"},
	40: {said: "password text", role: "AXTextField", subrole: "AXSecureTextField", value: fromSecret},
	41: {said: "popup menu", role: "AXMenu"}, 42: {said: "progress bar", role: "AXProgressIndicator"}, 43: {said: "button", role: "AXButton"},
	44: {said: "radio button", role: "AXRadioButton", value: fromChecked}, 45: {said: "radio menu item", role: "AXMenuItem",
		value: fromChecked},
	46: {said: "root pane", role: "AXGroup"}, 47: {said: "row header", role: "AXCell"}, 48: {said: "scroll bar", role: "AXScrollBar"},
	49: {said: "scroll pane", role: "AXScrollArea"}, 50: {said: "separator", role: "AXSplitter"}, 51: {said: "slider", role: "AXSlider"},
	52: {said: "spin button", role: "AXIncrementor", value: fromText}, 53: {said: "split pane", role: "AXSplitGroup"},
	54: {said: "status bar", role: "AXGroup"}, 55: {said: "table", role: "AXTable"}, 56: {said: "table cell", role: "AXCell"},
	57: {said: "table column header", role: "AXButton", subrole: "AXSortButton"}, 58: {said: "table row header", role: "AXCell"},
	59: {said: "tearoff menu item", role: "AXMenuItem"}, 60: {said: "terminal", role: "AXTextArea", value: fromText},
	61: {said: "text", role: "AXTextField", value: fromText}, 62: {said: "toggle button", role: "AXCheckBox", subrole: "AXToggle",
		value: fromChecked},
	63: {said: "tool bar", role: "AXToolbar"}, 64: {said: "tool tip", role: "AXHelpTag"}, 65: {said: "tree", role: "AXOutline"},
	66: {said: "tree table", role: "AXOutline"}, 67: {said: "unknown", role: "AXUnknown"}, 68: {said: "viewport", role: "AXGroup"},
	69: {said: "window", role: "AXGroup"}, 70: {said: "extended"}, 71: {said: "header", role: "AXGroup"}, 72: {said: "footer",
		role: "AXGroup"},
	73: {said: "paragraph", role: "AXGroup"}, 74: {said: "ruler", role: "AXRuler"}, 75: {said: "application", role: "AXApplication"},
	76: {said: "autocomplete", role: "AXComboBox", value: fromText}, 77: {said: "editbar", role: "AXTextField", value: fromText},
	78: {said: "embedded"}, 79: {said: "entry", role: "AXTextField", value: fromText}, 80: {said: "chart"},
	81: {said: "caption", role: "AXStaticText"}, 82: {said: "document frame", role: "AXWebArea"}, 83: {said: "heading", role: "AXHeading"},
	84: {said: "page", role: "AXGroup"}, 85: {said: "section", role: "AXGroup"}, 86: {said: "redundant object"}, 87: {said: "form",
		role: "AXGroup"},
	88: {said: "link", role: "AXLink"}, 89: {said: "input method window"}, 90: {said: "table row", role: "AXRow"},
	91: {said: "tree item", role: "AXRow", subrole: "AXOutlineRow"}, 92: {said: "document spreadsheet", role: "AXGroup"},
	93: {said: "document presentation", role: "AXGroup"}, 94: {said: "document text", role: "AXGroup"},
	95: {said: "document web", role: "AXWebArea"}, 96: {said: "document email", role: "AXGroup"}, 97: {said: "comment", role: "AXGroup"},
	98: {said: "list box", role: "AXList"}, 99: {said: "grouping", role: "AXGroup"}, 100: {said: "image map", role: "AXImage"},
	101: {said: "notification", role: "AXGroup"}, 102: {said: "info bar", role: "AXGroup"}, 103: {said: "level bar", role: "AXLevelIndicator"},
	104: {said: "title bar", role: "AXGroup"}, 105: {said: "block quote", role: "AXGroup"}, 106: {said: "audio"}, 107: {said: "video"},
	108: {said: "definition", role: "AXGroup"}, 109: {said: "article", role: "AXGroup"}, 110: {said: "landmark", role: "AXGroup"},
	111: {said: "log", role: "AXGroup"}, 112: {said: "marquee", role: "AXGroup"}, 113: {said: "math"},
	114: {said: "rating", role: "AXLevelIndicator"}, 115: {said: "timer", role: "AXGroup"}, 116: {said: "static", role: "AXStaticText",
		value: fromName},
	117: {said: "math fraction"}, 118: {said: "math root"}, 119: {said: "subscript", role: "AXGroup"}, 120: {said: "superscript",
		role: "AXGroup"},
	121: {said: "description list", role: "AXList"}, 122: {said: "description term", role: "AXGroup"},
	123: {said: "description value", role: "AXGroup"}, 124: {said: "footnote", role: "AXGroup"}, 125: {said: "content deletion",
		role: "AXGroup"},
	126: {said: "content insertion", role: "AXGroup"}, 127: {said: "mark", role: "AXGroup"}, 128: {said: "suggestion", role: "AXGroup"},
	129: {said: "push button menu", role: "AXMenuButton"}, 130: {said: "switch", role: "AXCheckBox", subrole: "AXSwitch", value: fromChecked},
}

func kindOf(role uint32) kind {
	if int(role) < len(kinds) {
		return kinds[role]
	}
	return kind{said: "role " + strconv.FormatUint(uint64(role), 10)}
}

// roleOf is the macOS role of an element, from its role, its states and its place.
func roleOf(it, parent *item) (role, subrole string) {
	k := kindOf(it.role)
	role, subrole = k.role, k.subrole
	switch {
	case parent == nil:
		return "AXWindow", subrole
	case role == "":
		role = "atspi:" + strings.ReplaceAll(k.said, " ", "-")
	case role == "AXTextField" && it.states.has(stateMultiLine):
		role = "AXTextArea"
	case it.role == roleComboBox && (it.states.has(stateEditable) || it.faces.has(faceEditable)):
		role = "AXComboBox"
	case role == "AXMenu" && parent.role == roleMenuBar:
		role = "AXMenuBarItem"
	}
	return role, subrole
}

// takesText reports whether a role is a text field or a text area.
func takesText(role uint32) bool {
	switch kindOf(role).role {
	case "AXTextField", "AXTextArea", "AXComboBox", "AXIncrementor":
		return true
	}
	return false
}

// actionName is an action of an element: its name on the bus, and its name on macOS.
type actionName struct{ said, name string }

// actionNames maps toolkits' names to macOS names, without spaces and dashes, in small letters.
var actionNames = map[string]string{
	"click": desktop.Press, "press": desktop.Press, "activate": desktop.Press, "toggle": desktop.Press, "jump": desktop.Press,
	"dodefault": desktop.Press, "check": desktop.Press, "uncheck": desktop.Press, "switch": desktop.Press, "open": desktop.Press,
	"increment": "AXIncrement", "increase": "AXIncrement", "decrement": "AXDecrement", "decrease": "AXDecrement",
	"menu": "AXShowMenu", "popup": "AXShowMenu", "showmenu": "AXShowMenu", "showcontextmenu": "AXShowMenu", "contextmenu": "AXShowMenu",
	"select": "AXPick", "pick": "AXPick", "confirm": "AXConfirm", "cancel": "AXCancel", "delete": "AXDelete", "raise": "AXRaise",
	"expand": "AXExpand", "collapse": "AXCollapse", "expandorcontract": "AXExpand", "expandorcollapse": "AXExpand",
}

// nameAction returns the macOS name of an action. Activating a field confirms its text, and activating a cell is a double click: neither
// is a press. Chromium names no action: the first action of a pressable element is a press.
func nameAction(role uint32, index int, said string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, said)
	name, known := actionNames[plain]
	switch {
	case plain == "activate" && (takesText(role) || listed(role)):
		return "AXConfirm"
	case name == desktop.Press && listed(role) && plain != "click" && plain != "press":
		return "atspi:" + said
	case known:
		return name
	case plain == "" && index == 0 && pressable(role):
		return desktop.Press
	case plain == "" || strings.Contains(said, "."):
		return "" // clipboard.copy and similar actions, which every GTK 4 label has
	}
	return "atspi:" + said
}

// listed reports whether a role is an entry of a list or table: Qt toggles such an entry without a click event. Only an action named
// click is a click there.
func listed(role uint32) bool {
	switch kindOf(role).role {
	case "AXCell", "AXRow":
		return true
	}
	return false
}

func pressable(role uint32) bool {
	switch kindOf(role).role {
	case "AXButton", "AXCheckBox", "AXRadioButton", "AXPopUpButton", "AXMenuItem", "AXMenuButton", "AXMenu", "AXLink", "AXRow":
		return true
	}
	return false
}

// cleanName removes GTK 4's additions to names: a repeated name, and the names of classes.
func cleanName(name string) string {
	if half := len(name) / 2; len(name)%2 == 1 && name[half] == ' ' && name[:half] == name[half+1:] {
		name = name[:half]
	}
	for _, prefix := range []string{"Gtk", "Adw", "Hdy", "Gdk"} {
		rest, is := strings.CutPrefix(name, prefix)
		if is && rest != "" && unicode.IsUpper(rune(rest[0])) && !strings.ContainsFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }) {
			return ""
		}
	}
	return name
}
