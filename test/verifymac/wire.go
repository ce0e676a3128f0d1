package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"slices"
	"sync"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/machine/host"
	"ios-agent/test/agenttalk"
)

// agentListens begins the line that an agent prints when it listens.
const agentListens = "ios-agent listens on "

// wire is the agent of a replay: it answers requests with the frames that the file has.
type wire struct {
	says  []agentwire.Saying
	steps [][2]int // of each step: its first line, and the one after its last, counted from 1

	mu       sync.Mutex
	from, to int // the frames of the step
	next     int // frames before it were used
	absent   map[string]bool
}

func readWire(file string) (*wire, error) {
	w := &wire{absent: map[string]bool{}}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return w, agenttalk.Read(f, func(s agentwire.Saying) error {
		w.says = append(w.says, s)
		return nil
	})
}

func (w *wire) turn(step int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	clamp := func(line int) int { return min(max(line-1, 0), len(w.says)) }
	w.from, w.to = clamp(w.steps[step][0]), clamp(w.steps[step][1])
	w.next = w.from
}

func (w *wire) unheld() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.absent))
}

// run is the process of the agent, until it is asked to end.
func (w *wire) run(ctx context.Context, a asked, token string, print func(host.Stream, []byte)) int {
	listen, err := net.Listen("tcp", "127.0.0.1:"+valueOf(a.Env, xcodebuild.RunnerPrefix+xcodebuild.PortVariable))
	if err != nil {
		print(host.Stderr, []byte(err.Error()))
		return exitNotHere
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(ctx, func() { listen.Close() })()
	print(host.Stdout, []byte(agentListens+listen.Addr().String()+"\n"))
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for {
		conn, err := listen.Accept()
		if err != nil {
			return 0
		}
		s := &playedSession{wire: w, token: token, build: valueOf(a.Env, xcodebuild.RunnerPrefix+xcodebuild.BuildVariable),
			net: conn, conn: agentwire.NewConn(conn)}
		sessions.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			if s.serve() {
				end()
			}
		})
	}
}

// playedSession is one stream to the agent of a replay.
type playedSession struct {
	*wire
	token, build string
	net          net.Conn
	conn         *agentwire.Conn
	proof        []byte // that the client has to give
}

// serve answers until the stream ends, and reports whether the agent was asked to end.
func (s *playedSession) serve() (ended bool) {
	for {
		id, request, err := s.conn.ReadRequest()
		if err != nil {
			return ended
		}
		response, sent := s.answer(request)
		if response == nil { // the stream broke here
			return false
		}
		if sent {
			err = s.conn.WriteSent(id)
		}
		if err == nil {
			err = s.conn.WriteResponse(id, response)
		}
		if err != nil {
			return false
		}
		if welcome, is := response.(*agentwire.Welcome); is {
			s.conn.SetVersion(min(welcome.Version, agentwire.Version))
		}
		_, last := request.(*agentwire.Shutdown)
		ended = ended || last
	}
}

// answer greets as the agent did, and leaves other requests to the frames. The token and the build are those of this run.
func (s *playedSession) answer(request agentwire.Request) (response agentwire.Response, sent bool) {
	switch m := request.(type) {
	case *agentwire.Greet:
		nonce := make([]byte, agentwire.NonceSize)
		_, _ = rand.Read(nonce) // never fails
		s.proof = agentwire.ClientProof(s.token, m.Nonce, nonce)
		return &agentwire.Challenge{Version: agentwire.Version, Nonce: nonce, Proof: agentwire.AgentProof(s.token, m.Nonce, nonce)}, false
	case *agentwire.Prove:
		if !hmac.Equal(m.Proof, s.proof) {
			return &agentwire.Fault{Code: agentwire.CodeUnauthorized, Message: "the client does not have the token"}, false
		}
		response, _ = s.recorded(request)
		welcome, is := response.(*agentwire.Welcome)
		if !is {
			return response, false
		}
		info, err := welcome.Info()
		if err == nil {
			info.Build = s.build
			welcome, err = agentwire.NewWelcome(info)
		}
		if err != nil {
			return nil, false
		}
		return welcome, false
	}
	return s.recorded(request)
}

// recorded finds the answer to the next request of this kind in the step; after the last one, its answer again; else the last one of the
// steps before. A look does not pass an input that was not asked for yet: the screen after it would be told too early.
func (w *wire) recorded(request agentwire.Request) (response agentwire.Response, sent bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := request.Opcode().String()
	act := (&agentwire.Act{}).Opcode().String()
	for i := w.next; i < w.to; i++ {
		s := w.says[i]
		if s.Is == agentwire.Said && s.Name == name {
			w.next = i + 1
			return w.reply(i)
		}
		if s.Is == agentwire.Said && s.Name == act {
			break
		}
	}
	for i := min(w.next, w.to) - 1; i >= 0; i-- {
		if s := w.says[i]; s.Is == agentwire.Said && s.Name == name {
			return w.reply(i)
		}
	}
	switch request.(type) {
	case *agentwire.SetTarget, *agentwire.Heartbeat, *agentwire.Shutdown:
		return &agentwire.OK{}, false
	}
	w.absent["the answer of the agent to "+name] = true
	return &agentwire.Fault{Code: agentwire.CodeException, Message: "the file has no answer to " + name}, false
}

// reply is what the agent answered to a recorded request; nil: the stream broke. The first answers of a stream have no id.
func (w *wire) reply(at int) (response agentwire.Response, sent bool) {
	to := w.says[at]
	for _, s := range w.says[at:] {
		if s.Is != agentwire.Heard || s.Stream != to.Stream || s.ID != to.ID && s.ID != 0 {
			continue
		}
		if s.Flags&agentwire.FlagSent != 0 {
			sent = true
			continue
		}
		if s.LeftOut > 0 {
			w.absent[fmt.Sprintf("%d bytes of the answer to %s", s.LeftOut, to.Name)] = true
		}
		r, err := agentwire.UnmarshalResponse(s.Message)
		if _, pulse := r.(*agentwire.Pulse); err == nil && !pulse {
			return r, sent
		}
	}
	return nil, sent
}
