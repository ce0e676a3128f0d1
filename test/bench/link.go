package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode"
)

// linking is what the way to the agent costs: how often it is asked, how long an answer travels, how fast a large tree is
// read, and how soon a stream that broke is mended.
func linking(ctx context.Context, l *lab) ([]figure, error) {
	var all []figure
	for _, m := range []func(context.Context, *lab) ([]figure, error){asking, travelling, decoding, mending} {
		figures, err := m(ctx, l)
		if all = append(all, figures...); err != nil {
			return all, err
		}
	}
	return all, nil
}

// acts is how often each act is repeated to be counted.
const acts = 10

// asking counts, at the agent, what a warm act asks of it. Each look is a whole tree, and on a real device by far the
// dearest thing: one to aim, one to see what came of it.
func asking(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.openShop(ctx)
	}
	if err != nil {
		return nil, err
	}
	var figures []figure
	tap := step{"tap_element", `{"identifier":"add-coffee","expect_change":true}`}
	for _, c := range []struct {
		name            string
		step            step
		requests, looks float64
		profile         string
	}{
		{"snapshot", step{"snapshot", ""}, 1, 1, "none"},
		{"tap", tap, 2, 2, "none"},
		{"tap, with all hardships of a real Mac", tap, 2, 2, virtualxcode.RealMac},
		{"typing into the field that has the focus", step{"type_text", `{"identifier":"search-field","text":"a"}`}, 3, 3, "none"},
	} {
		if _, err := l.took(ctx, "ios-agent", "virtual", "profile", c.profile); err != nil {
			return figures, err
		}
		if err := a.walk(ctx, c.step, c.step); err != nil { // one-time requests happen in this first walk
			return figures, err
		}
		before, err := l.asked(ctx)
		if err != nil {
			return figures, err
		}
		for range acts {
			if err := a.walk(ctx, c.step); err != nil {
				return figures, err
			}
		}
		after, err := l.asked(ctx)
		if err != nil {
			return figures, err
		}
		figures = append(figures,
			figure{name: "link: requests, " + c.name, value: float64(after.Requests-before.Requests) / acts, unit: pieces, bound: c.requests},
			figure{name: "link: looks, " + c.name, value: float64(after.Looks-before.Looks) / acts, unit: pieces, bound: c.looks})
	}
	return figures, nil
}

// asked is what the virtual agents were asked so far.
func (l *lab) asked(ctx context.Context) (virtualxcode.Asked, error) {
	s, err := l.virtual(ctx)
	return s.Asked, err
}

// virtual is how the virtual service is.
func (l *lab) virtual(ctx context.Context) (virtualxcode.Status, error) {
	out, err := l.host.Run(ctx, l.command("ios-agent", "virtual", "status", "--json"))
	if err != nil {
		return virtualxcode.Status{}, err
	}
	var answer struct{ Result virtualxcode.Status }
	err = json.Unmarshal(out.Stdout, &answer)
	return answer.Result, err
}

// echoRatio bounds what the codec adds to a round trip of the same bytes through a socket.
const echoRatio = 4

// travelling is a request and its answer through a socket, encoded and decoded at both ends, beside bytes that are only
// sent back.
func travelling(ctx context.Context, _ *lab) (figures []figure, err error) {
	agent, err := listen(func(c net.Conn) {
		conn := agentwire.NewConn(c)
		for {
			id, _, err := conn.ReadRequest()
			if err != nil || conn.WriteResponse(id, &agentwire.OK{}) != nil {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, agent.Close()) }()
	echo, err := listen(func(c net.Conn) { _, _ = io.Copy(c, c) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, echo.Close()) }()
	client, err := agentwire.Dial(ctx, agent.Addr().String())
	if err != nil {
		return nil, err
	}
	defer client.Close()
	bare, err := net.Dial("tcp", echo.Addr().String())
	if err != nil {
		return nil, err
	}
	defer bare.Close()
	buf := make([]byte, 21) // as long as the frame of a tap
	got, err := alternate(2000,
		func() (time.Duration, error) {
			began := time.Now()
			_, err := client.Do(ctx, &agentwire.TapCoord{X: 196, Y: 420})
			return time.Since(began), err
		},
		func() (time.Duration, error) {
			began := time.Now()
			_, err := bare.Write(buf)
			if err == nil {
				_, err = io.ReadFull(bare, buf)
			}
			return time.Since(began), err
		})
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "link: codec and socket, p50", value: float64(median(got[0])) / float64(time.Microsecond), unit: micros, bound: 100},
		{name: "link: codec and socket / bytes sent back", value: ratio(got[0], got[1]), unit: times, bound: echoRatio},
	}, nil
}

// listen serves each connection to a port of this machine.
func listen(serve func(net.Conn)) (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return l, nil
}

// decodeRatio bounds reading a tree beside reading its JSON into bare maps.
const decodeRatio = 2

// decoding reads a tree of 5,000 elements, twenty deep.
func decoding(context.Context, *lab) ([]figure, error) {
	root := agentwire.Element{Type: "Application"}
	for i := range 250 {
		var below []agentwire.Element
		for depth := range 20 {
			below = []agentwire.Element{{
				Identifier: fmt.Sprintf("cell-%d-%d", i, depth), Label: "A label of some length", Value: "1",
				Type: "Cell", Frame: agentwire.Frame{Y: float64(i), Width: 390, Height: 44.5}, Children: below,
			}}
		}
		root.Children = append(root.Children, below...)
	}
	text, err := agentwire.EncodeElements([]agentwire.Element{root})
	if err != nil {
		return nil, err
	}
	tree, raw := &agentwire.Tree{JSON: text}, []byte(text)
	got, err := alternate(20,
		func() (time.Duration, error) {
			began := time.Now()
			_, err := tree.Elements()
			return time.Since(began), err
		},
		func() (time.Duration, error) {
			began := time.Now()
			var v any
			err := json.Unmarshal(raw, &v)
			return time.Since(began), err
		})
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "link: a tree of 5,000 elements read", value: inMillis(median(got[0])), unit: millis, bound: 15},
		{name: "link: a tree of 5,000 elements read / as bare JSON", value: ratio(got[0], got[1]), unit: times, bound: decodeRatio},
	}, nil
}

// mending measures the additional time for a snapshot whose answer breaks off in the middle: the stream is dialled and greeted again, and
// the look repeated.
func mending(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.openShop(ctx)
	}
	if err != nil {
		return nil, err
	}
	look := func() (time.Duration, error) {
		began := time.Now()
		err := a.call(ctx, "snapshot", "")
		return time.Since(began), err
	}
	broken := l.command("ios-agent", "virtual", "fault", "add", "agent-half-frame")
	got, err := alternate(15, look, func() (time.Duration, error) {
		if _, err := l.host.Run(ctx, broken); err != nil {
			return 0, err
		}
		return look()
	})
	if err != nil {
		return nil, err
	}
	if s, err := l.virtual(ctx); err != nil || len(s.Faults) > 0 {
		return nil, errors.Join(err, fmt.Errorf("streams that did not break: %d", len(s.Faults)))
	}
	lost := inMillis(max(0, median(got[1])-median(got[0])))
	return []figure{{name: "link: a stream that broke, mended", value: lost, unit: millis, bound: 50}}, nil
}
