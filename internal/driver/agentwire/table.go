package agentwire

// requests makes an empty request for each opcode, responses an empty response for each kind. They are built from the messages
// themselves, so that a number is written once, at its type. They never change afterwards.
var (
	requests = index(Request.Opcode,
		request[Heartbeat], request[TapCoord], request[TapElement], request[TapByLabel], request[TapWithType],
		request[TypeText], request[Swipe], request[GetValue], request[LongPress], request[DumpTree],
		request[Screenshot], request[SetTarget], request[FindElement], request[GetTargetInfo],
		request[DeviceUDID], request[Hello],
		request[DoubleTap], request[Clear], request[SetValue], request[Key], request[Drag], request[Pinch], request[Alert],
		request[Button], request[Rotate], request[Greet], request[Prove], request[Look], request[Act],
		request[Shutdown])

	responses = index(Response.Kind,
		response[OK], response[ErrorText], response[Tree], response[Image], response[Value], response[Found],
		response[TargetInfo], response[Welcome], response[Fault], response[AlertState],
		response[Pulse], response[Challenge], response[Sight])
)

func request[T any, P interface {
	*T
	Request
}]() Request {
	return P(new(T))
}

func response[T any, P interface {
	*T
	Response
}]() Response {
	return P(new(T))
}

func index[M any, K ~uint8](key func(M) K, makers ...func() M) (table [256]func() M) {
	for _, fresh := range makers {
		table[key(fresh())] = fresh
	}
	return table
}
