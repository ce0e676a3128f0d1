//go:build darwin || macaxfake

package macax

import "context"

// Perform performs an action of an element by its name.
func (a *App) Perform(ctx context.Context, key, action string) error {
	return a.on(ctx, key, func(e *element) error {
		name := a.lib.text(action)
		defer a.lib.release(name)
		return a.fail(a.lib.perform(e.ref, name), e, "do "+action)
	})
}

// SetNumber sets an element's value to a number.
func (a *App) SetNumber(ctx context.Context, key string, value float64) error {
	return a.on(ctx, key, func(e *element) error {
		number := a.lib.numberCreate(0, numberFloat64, &value)
		defer a.lib.release(number)
		return a.set(e, "AXValue", number, "take a number")
	})
}

// SetText sets an element's value to a text.
func (a *App) SetText(ctx context.Context, key, text string) error {
	return a.on(ctx, key, func(e *element) error {
		value := a.lib.text(text)
		defer a.lib.release(value)
		return a.set(e, "AXValue", value, "take a text")
	})
}

// Focus gives an element the keyboard's focus.
func (a *App) Focus(ctx context.Context, key string) error {
	return a.on(ctx, key, func(e *element) error { return a.set(e, "AXFocused", a.lib.booleanTrue, "take the focus") })
}

// set sets an attribute. A plain failure counts as a refusal too: SwiftUI's sliders answer it to numbers, and setting a value again in
// another way does no harm.
func (a *App) set(e *element, attribute string, value ref, cannot string) error {
	code := a.lib.setAttribute(e.ref, a.lib.name(attribute), value)
	if code == axFailure {
		code = axAttributeUnsupported
	}
	return a.fail(code, e, cannot)
}
