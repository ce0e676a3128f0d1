package service

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// mostInput is the maximum size of a tool's standard input.
const mostInput = 16 << 20

// inbox is a tool's standard input. Filling it never waits for the tool to read, so a ctrl-C after the input arrives at once.
type inbox struct {
	mu     sync.Mutex
	arrive sync.Cond
	data   bytes.Buffer
	ended  bool
}

func newInbox() *inbox {
	i := &inbox{}
	i.arrive.L = &i.mu
	return i
}

// fill stores the client's input until it interrupts or disconnects.
func (i *inbox) fill(from *bufio.Reader) {
	defer i.add(word{End: true})
	for lines := json.NewDecoder(from); ; {
		var w word
		if lines.Decode(&w) != nil || w.Interrupt {
			return
		}
		i.add(w)
	}
}

func (i *inbox) add(w word) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.data.Len()+len(w.Input) <= mostInput {
		i.data.Write(w.Input)
	}
	i.ended = i.ended || w.End
	i.arrive.Broadcast()
}

// Read waits for input or its end.
func (i *inbox) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.data.Len() == 0 {
		if i.ended {
			return 0, io.EOF
		}
		i.arrive.Wait()
	}
	return i.data.Read(p)
}
