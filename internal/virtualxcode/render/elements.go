package render

import (
	"image/color"

	"ios-agent/internal/virtualxcode/world"
)

// drawers map a type of element to its drawing function. Other types are invisible, but their children are drawn.
func (p painter) drawers() map[string]func(*world.Element) {
	return map[string]func(*world.Element){
		"Other":             p.other,
		"NavigationBar":     p.navigationBar,
		"TabBar":            p.tabBar,
		"StaticText":        p.staticText,
		"TextField":         p.field,
		"SecureTextField":   p.field,
		"SearchField":       p.searchField,
		"TextView":          p.textView,
		"Button":            p.button,
		"Link":              p.link,
		"Switch":            p.toggle,
		"Slider":            p.slider,
		"Stepper":           p.stepper,
		"SegmentedControl":  p.segmented,
		"PickerWheel":       p.wheel,
		"ActivityIndicator": p.spinner,
		"ProgressIndicator": p.progress,
		"Image":             p.image,
		"WebView":           p.web,
		"CollectionView":    p.list,
		"Cell":              p.cell,
		"Alert":             p.alert,
		"Sheet":             p.alert,
		"Keyboard":          p.keyboard,
		"Key":               p.key,
		"Icon":              p.icon,
	}
}

// other draws visible containers.
func (p painter) other(e *world.Element) {
	if draw := map[string]func(*world.Element){
		"screen": func(e *world.Element) { p.rect(e.Frame, paper) },
		"row":    func(e *world.Element) { p.round(e.Frame, 12, card) },
		"group":  p.group,
		"home":   func(e *world.Element) { p.wallpaper(e.Frame) },
		"dim":    func(e *world.Element) { p.rect(e.Frame, dimmed) },
		"sheet":  p.sheet,
		"area":   p.area,
	}[e.Look.Style]; draw != nil {
		draw(e)
	}
}

func (p painter) navigationBar(e *world.Element) {
	p.rect(world.Rect{X: e.Frame.X, Y: e.Frame.Y + e.Frame.H, W: e.Frame.W, H: 1 / p.scale}, line)
}

// textStyles are the styles of texts; the empty name is the default.
func textStyles() map[string]style {
	return map[string]style{
		"":         {colour: ink},
		"title":    {weight: medium, colour: ink, align: centre},
		"headline": {weight: bold, colour: ink},
		"message":  {colour: ink, align: centre},
		"footnote": {colour: faded},
		"caption":  {colour: faded},
		"error":    {colour: red, weight: medium},
		"success":  {colour: green, weight: medium},
		"price":    {colour: faded, align: right},
	}
}

func (p painter) staticText(e *world.Element) {
	st, ok := textStyles()[e.Look.Style]
	if !ok {
		st = textStyles()[""]
	}
	st.size = e.Look.Size
	p.text(e.Shown(), e.Frame, st)
}

func (p painter) field(e *world.Element) {
	p.round(e.Frame, 10, card)
	if e.Focused {
		p.ring(e.Frame, 10, 2, blue)
	} else {
		p.ring(e.Frame, 10, 1, line)
	}
	p.content(e, world.Rect{X: e.Frame.X + 14, Y: e.Frame.Y, W: e.Frame.W - 28, H: e.Frame.H}, 13)
}

// content draws the text of a field or its placeholder, and the cursor.
func (p painter) content(e *world.Element, inside world.Rect, above float64) {
	end := inside.X
	if e.Value == "" {
		p.text(e.Placeholder, inside, style{size: e.Look.Size, colour: faint})
	} else {
		end = p.text(e.Value, inside, style{size: e.Look.Size, colour: ink})
	}
	if e.Focused {
		p.rect(world.Rect{X: end + 1, Y: inside.Y + above, W: 2, H: inside.H - 2*above}, blue)
	}
}

// buttonStyle is the fill and the text colour of a button.
type buttonStyle struct{ fill, text color.Color }

func buttonStyles() map[string]buttonStyle {
	return map[string]buttonStyle{
		"":            {blue, white},
		"filled":      {blue, white},
		"tinted":      {paleBlue, blue},
		"plain":       {transparent, blue},
		"destructive": {paleRed, red},
	}
}

func (p painter) button(e *world.Element) {
	if special := p.specialButtons()[e.Look.Style]; special != nil {
		special(e)
		return
	}
	b, ok := buttonStyles()[e.Look.Style]
	if !ok {
		b = buttonStyles()[""]
	}
	if e.Disabled {
		b = buttonStyle{off, faint}
	}
	p.round(e.Frame, min(12, e.Frame.H/2), b.fill)
	p.text(e.Shown(), e.Frame, style{size: e.Look.Size, weight: medium, colour: b.text, align: centre})
}

func (p painter) backButton(e *world.Element) {
	r := e.Frame
	x, y := r.X+8, r.Y+r.H/2
	p.shape(r, blue, func(q *pen) { // a chevron of two bars
		q.polygon(x, y, x+8.2, y-8.8, x+9.9, y-7.2, x+3.3, y, x+9.9, y+7.2, x+8.2, y+8.8)
	})
	p.text(e.Label, world.Rect{X: r.X + 23, Y: r.Y, W: r.W, H: r.H}, style{size: e.Look.Size, colour: blue})
}
