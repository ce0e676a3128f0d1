package agent

import (
	"context"

	"ios-agent/internal/driver/agentwire"
)

// handler serves one kind of request.
type handler struct {
	run   func(*session, context.Context, agentwire.Request) (agentwire.Response, error)
	acts  bool // changes the device
	looks bool // reads the whole tree
	open  bool // allowed before a hello
	aside bool // served while the main queue is held
	// behind is the error code if the target is behind another app; 0: the request is served.
	behind agentwire.Code
}

// handlers are all kinds of requests.
func handlers() map[agentwire.Opcode]handler {
	table := map[agentwire.Opcode]handler{}
	add(table, handler{open: true, aside: true}, (*session).hello)
	add(table, handler{open: true, aside: true}, (*session).greet)
	add(table, handler{open: true, aside: true}, (*session).prove)

	add(table, handler{acts: true}, (*session).tapCoord)
	add(table, handler{acts: true}, (*session).tapElement)
	add(table, handler{acts: true}, (*session).tapByLabel)
	add(table, handler{acts: true}, (*session).tapWithType)
	add(table, handler{acts: true, behind: agentwire.CodeNoFocus}, (*session).typeText)
	add(table, handler{acts: true}, (*session).swipe)
	add(table, handler{acts: true}, (*session).longPress)
	add(table, handler{acts: true}, (*session).doubleTap)
	add(table, handler{acts: true, behind: agentwire.CodeNoFocus}, (*session).clear)
	add(table, handler{acts: true, behind: agentwire.CodeAppNotRunning}, (*session).setValue)
	add(table, handler{acts: true, behind: agentwire.CodeNoFocus}, (*session).key)
	add(table, handler{acts: true}, (*session).drag)
	add(table, handler{acts: true, behind: agentwire.CodeAppNotRunning}, (*session).pinch)
	add(table, handler{acts: true}, (*session).alert)
	add(table, handler{acts: true}, (*session).button)
	add(table, handler{acts: true}, (*session).rotate)

	add(table, handler{aside: true}, (*session).heartbeat)
	add(table, handler{aside: true}, (*session).setTarget)
	add(table, handler{}, (*session).getTargetInfo)
	add(table, handler{aside: true}, (*session).deviceUDID)
	add(table, handler{}, (*session).getValue)
	add(table, handler{}, (*session).findElement)
	add(table, handler{looks: true}, (*session).dumpTree)
	add(table, handler{looks: true}, (*session).look)
	add(table, handler{looks: true}, (*session).act)
	add(table, handler{}, (*session).screenshot)
	add(table, handler{aside: true}, (*session).shutdown)
	return table
}

// add registers run for the opcode of its request.
func add[T any, R interface {
	*T
	agentwire.Request
}](table map[agentwire.Opcode]handler, h handler, run func(*session, context.Context, R) (agentwire.Response, error)) {
	h.run = func(s *session, ctx context.Context, req agentwire.Request) (agentwire.Response, error) {
		return run(s, ctx, req.(R)) // the key is the request's own opcode
	}
	table[R(new(T)).Opcode()] = h
}
