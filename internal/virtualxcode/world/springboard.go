package world

// Measures of the home screen, in points.
const (
	iconColumns = 4
	iconSize    = 64.0
	iconLabel   = 22.0
	iconPitch   = 104.0 // distance between rows of icons
	iconsTop    = 24.0
)

// springboardLabel is the label of SpringBoard.
const springboardLabel = " "

// springboard is the home screen: an icon for every app, with the system's alert over them.
func (d *device) springboard(s Screen) *view {
	v := newView(s, springboardLabel)
	inner := v.window(s)
	home := &Element{Type: "Other", Identifier: "Home screen icons", Frame: s.Bounds(), Look: Look{Style: "home"}}
	inner.Children = []*Element{home}
	for n, i := range d.Apps {
		id := i.bundle.ID
		icon := &Element{Type: "Icon", Identifier: i.bundle.Name, Label: i.bundle.Name, Frame: iconFrame(n, s)}
		v.acts[icon] = press(func(finger) { _, _ = d.launch(id, LaunchOptions{}) }) // an installed app can be launched
		home.Children = append(home.Children, icon)
	}
	d.questionWindow(v, s)
	return v
}

func iconFrame(n int, s Screen) Rect {
	columns := iconColumns
	if s.Width > s.Height {
		columns = 2 * iconColumns
	}
	pitch := (s.Width - 2*margin - 2*s.Side) / float64(columns)
	column, row := n%columns, n/columns
	return Rect{
		X: pixel(s.Side + margin + pitch*float64(column) + (pitch-iconSize)/2), Y: s.Top + iconsTop + iconPitch*float64(row),
		W: iconSize, H: iconSize + iconLabel,
	}
}
