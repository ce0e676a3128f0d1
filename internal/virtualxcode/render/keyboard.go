package render

import "ios-agent/internal/virtualxcode/world"

func (p painter) keyboard(e *world.Element) { p.rect(e.Frame, boardGrey) }

// key draws a key of the keyboard: white keys type, grey keys have a function.
func (p painter) key(e *world.Element) {
	r := e.Frame
	fill := keyWhite
	symbol := p.keySymbols()[e.Identifier]
	if symbol != nil && !e.Selected && e.Identifier != "space" {
		fill = keyGrey
	}
	p.round(world.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: r.H}, 5, shadow)
	p.round(r, 5, fill)
	if symbol != nil {
		symbol(e)
		return
	}
	p.text(e.Label, r, style{size: 23, colour: ink, align: centre})
}

// keySymbols draw the symbols of function keys, by identifier.
func (p painter) keySymbols() map[string]func(*world.Element) {
	word := func(text string) func(*world.Element) {
		return func(e *world.Element) { p.text(text, e.Frame, style{size: 16, colour: ink, align: centre}) }
	}
	return map[string]func(*world.Element){
		"shift":  p.shiftSymbol,
		"delete": p.deleteSymbol,
		"space":  word("space"),
		"Return": word("return"),
		"more": func(e *world.Element) {
			word(map[string]string{"numbers": "123", "letters": "ABC"}[e.Label])(e)
		},
	}
}

func (p painter) shiftSymbol(e *world.Element) {
	at := e.Frame.Centre()
	x, y := at.X, at.Y
	p.shape(e.Frame, ink, func(q *pen) {
		q.polygon(x, y-10, x+10, y+1, x+4.5, y+1, x+4.5, y+9, x-4.5, y+9, x-4.5, y+1, x-10, y+1)
		if !e.Selected { // hollow
			q.polygon(x, y-7.6, x-6.4, y-0.6, x-2.9, y-0.6, x-2.9, y+7.4, x+2.9, y+7.4, x+2.9, y-0.6, x+6.4, y-0.6)
		}
	})
}

func (p painter) deleteSymbol(e *world.Element) {
	at := e.Frame.Centre()
	x, y := at.X, at.Y
	p.shape(e.Frame, ink, func(q *pen) {
		q.polygon(x-12, y, x-5, y-8, x+11, y-8, x+11, y+8, x-5, y+8)
		q.polygon(x-9.9, y, x-4.3, y+6.4, x+9.4, y+6.4, x+9.4, y-6.4, x-4.3, y-6.4)
		q.polygon(x-0.8, y-4.2, x+6.8, y+3.4, x+5.8, y+4.4, x-1.8, y-3.2)
		q.polygon(x+5.8, y-4.2, x+6.8, y-3.2, x-0.8, y+4.4, x-1.8, y+3.4)
	})
}
