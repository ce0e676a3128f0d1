package urlsession

// Domain is the domain of request errors.
const Domain = "NSURLErrorDomain"

// Code is a number of Domain.
type Code int

// Codes of Domain.
const (
	BadURL         Code = -1000
	TimedOut       Code = -1001
	NoHost         Code = -1003
	NoConnection   Code = -1004
	ConnectionLost Code = -1005
	Offline        Code = -1009
	NoTrust        Code = -1202
)

var messages = map[Code]string{
	BadURL:         "bad URL",
	TimedOut:       "The request timed out.",
	NoHost:         "A server with the specified hostname could not be found.",
	NoConnection:   "Could not connect to the server.",
	ConnectionLost: "The network connection was lost.",
	Offline:        "The Internet connection appears to be offline.",
	NoTrust: "The certificate for this server is invalid. You might be connecting to a server that is pretending to be " +
		"the intended one, which could put your confidential information at risk.",
}

// Error is an error in the words of URLSession.
type Error struct{ Code Code }

func (e *Error) Error() string { return messages[e.Code] }

// Failed returns the answer of a failed request.
func Failed(code Code) Answer { return Answer{Code: int(code), Error: messages[code]} }
