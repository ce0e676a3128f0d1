package world

// Measures of the home screen, in points.
const (
	iconColumns = 4
	iconSize    = 64.0
	iconLabel   = 22.0
	iconPitch   = 104.0 // from one row of icons to the next
	iconsTop    = 24.0
)

// springboard is the home screen: an icon for every app.
func (d *device) springboard(s Screen) *view {
	v := newView(s, " ") // the real one is called a single space
	inner := v.window(s)
	home := &Element{Type: "Other", Identifier: "Home screen icons", Frame: s.Bounds(), Look: Look{Style: "home"}}
	inner.Children = []*Element{home}
	for n, i := range d.Apps {
		id := i.bundle.ID
		icon := &Element{Type: "Icon", Identifier: i.bundle.Name, Label: i.bundle.Name, Frame: iconFrame(n, s)}
		v.acts[icon] = press(func(finger) { _, _ = d.launch(id, LaunchOptions{}) }) // an installed app can be launched
		home.Children = append(home.Children, icon)
	}
	return v
}

func iconFrame(n int, s Screen) Rect {
	pitch := (s.Width - 2*margin) / iconColumns
	column, row := n%iconColumns, n/iconColumns
	return Rect{
		X: pixel(margin + pitch*float64(column) + (pitch-iconSize)/2), Y: s.Top + iconsTop + iconPitch*float64(row),
		W: iconSize, H: iconSize + iconLabel,
	}
}
