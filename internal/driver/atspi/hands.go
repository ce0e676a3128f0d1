package atspi

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/pause"
	"ios-agent/internal/machine/processes"
)

// parseKey reads the output of keyOf.
func parseKey(key string) (r ref, generation uint32, ok bool) {
	head, tail, is := cutLast(key, "#")
	n, err := strconv.ParseUint(tail, 10, 32)
	i := strings.IndexByte(head, '/')
	if !is || err != nil || i <= 0 {
		return r, 0, false
	}
	r = ref{head[:i], head[i:]}
	return r, uint32(n), isBusName(r.bus) && dbus.ObjectPath(r.path).IsValid() && !r.none()
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// element finds an element by its key, and reads its current state.
func (a *App) element(ctx context.Context, key string) (*item, error) {
	if strings.HasPrefix(key, bareKey) {
		return nil, &desktop.UnsupportedError{What: "be acted on through accessibility"}
	}
	r, generation, ok := parseKey(key)
	if !ok || a.heard.generation(r) != generation {
		return nil, &desktop.GoneError{Key: key}
	}
	it := &item{ref: r}
	var gone error
	plain := func(method string, got func(v any)) *ask {
		return &ask{r, accessible + "." + method, nil, func(body []any, err error) {
			if err != nil {
				gone = err
				return
			}
			got(unwrapped(body))
		}}
	}
	err := a.bus.all(ctx, []*ask{
		plain("GetRole", func(v any) { it.role, _ = v.(uint32) }),
		plain("GetState", func(v any) { it.states = statesOf(v) }),
		plain("GetInterfaces", func(v any) { it.faces = facesOf(v) }),
	})
	switch {
	case err != nil:
		return nil, a.explain(err)
	case gone != nil && isMissing(gone), it.states.has(stateDefunct):
		return nil, &desktop.GoneError{Key: key}
	case gone != nil:
		return nil, a.explain(gone)
	}
	return it, nil
}

// Perform performs an action by its macOS name.
func (a *App) Perform(ctx context.Context, key, name string) error {
	it, err := a.element(ctx, key)
	if err != nil {
		return err
	}
	if !it.faces.has(faceAction) {
		return &desktop.UnsupportedError{What: "do " + name}
	}
	answer, err := a.bus.call(ctx, it.ref, action+".GetActions")
	if err != nil {
		return a.refused(key, "do "+name, err)
	}
	for i, own := range actionsOf(it.role, unwrapped(answer)) {
		if own.name == name {
			act := &ask{to: it.ref, method: action + ".DoAction", args: []any{int32(i)}}
			return a.doOver(ctx, a.pressesOver(ctx, it.ref), key, "do "+name, act)
		}
	}
	return &desktop.UnsupportedError{What: "do " + name}
}

// SetNumber sets the number of an element. Only a look shows the number that the toolkit accepted.
func (a *App) SetNumber(ctx context.Context, key string, to float64) error {
	it, err := a.element(ctx, key)
	if err != nil {
		return err
	}
	const what = "take a number"
	if !it.faces.has(faceValue) {
		return &desktop.UnsupportedError{What: what}
	}
	return a.do(ctx, key, what, &ask{to: it.ref, method: setProperty, args: []any{value, "CurrentValue", dbus.MakeVariant(to)}})
}

// SetText replaces the text of an element.
func (a *App) SetText(ctx context.Context, key, to string) error {
	it, err := a.element(ctx, key)
	if err != nil {
		return err
	}
	const what = "take a text"
	if !it.faces.has(faceEditable) || strings.ContainsRune(to, 0) {
		return &desktop.UnsupportedError{What: what}
	}
	return a.do(ctx, key, what, &ask{to: it.ref, method: editable + ".SetTextContents", args: []any{to}})
}

// Focus gives an element the focus.
func (a *App) Focus(ctx context.Context, key string) error {
	it, err := a.element(ctx, key)
	if err != nil {
		return err
	}
	const what = "take the focus"
	if !it.faces.has(faceComponent) || !it.states.has(stateFocusable) {
		return &desktop.UnsupportedError{What: what}
	}
	if err := a.do(ctx, key, what, &ask{to: it.ref, method: component + ".GrabFocus"}); err != nil {
		return err
	}
	for until := time.Now().Add(focusTakes); !it.states.has(stateFocused) && time.Now().Before(until); {
		if err := pause.For(ctx, 10*time.Millisecond); err != nil {
			return err
		}
		state, err := a.bus.call(ctx, it.ref, accessible+".GetState")
		if err != nil {
			break // the next call finds the reason
		}
		it.states = statesOf(unwrapped(state))
	}
	return nil
}

// focusTakes is how long an element may take to get the focus: Chromium answers before it tells its page, and some programs never report
// it.
const focusTakes = 500 * time.Millisecond

// do sends an action once. Qt answers a press only after the dialog that it opened is closed: if the program answers a later request
// first, the action has begun, and do returns.
func (a *App) do(ctx context.Context, key, what string, act *ask) error {
	return a.doOver(ctx, a.bus, key, what, act)
}

func (a *App) doOver(ctx context.Context, b *bus, key, what string, act *ask) error {
	ctx, cancel := context.WithTimeout(ctx, a.bus.answer)
	defer cancel()
	call := b.conn.Object(act.to.bus, dbus.ObjectPath(act.to.path)).GoWithContext(ctx, act.method, 0, make(chan *dbus.Call, 1),
		act.args...)
	begun := time.NewTimer(a.bus.answer / 4)
	defer begun.Stop()
	for {
		select {
		case <-begun.C:
			if _, err := b.call(ctx, act.to, accessible+".GetRole"); err == nil || isMissing(err) {
				return nil
			}
		case c := <-call.Done:
			switch {
			case c.Err == nil && len(c.Body) > 0 && !truth(c.Body):
				return &desktop.UnsupportedError{What: what}
			case c.Err == nil:
				return nil
			}
			return a.refused(key, what, c.Err)
		}
	}
}

// refused explains the error of an action: the element no longer exists, it cannot do that, or the outcome is unknown.
func (a *App) refused(key, what string, err error) error {
	switch {
	case !processes.Alive(a.pid, a.start):
		return notRunning(a.pid).WithDispatch(fault.MaybeDispatched)
	case isNamed(err, "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner"),
		isNamed(err, "org.freedesktop.DBus.Error.UnknownObject"):
		return &desktop.GoneError{Key: key}
	case isMissing(err):
		return &desktop.UnsupportedError{What: what}
	case isSilent(err) || errors.Is(err, context.Canceled) || errors.Is(err, dbus.ErrClosed):
		return fault.New(fault.OutcomeUnknown, "process %d did not answer the request to %s: %w", a.pid, what, err).
			WithDispatch(fault.MaybeDispatched).WithHint("look before you repeat it: the action may have been done")
	}
	return a.explain(err)
}
