package agentwire

import (
	"fmt"
	"net"
	"testing"
)

func BenchmarkRoundTrip(b *testing.B) {
	near, far := net.Pipe()
	client, agent := NewClient(near), NewConn(far)
	go func() {
		for {
			id, _, err := agent.ReadRequest()
			if err != nil || agent.WriteResponse(id, &OK{}) != nil {
				return
			}
		}
	}()
	req := &TapElement{"login-button", new(uint64(5000))}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Do(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
	client.Close()
}

func BenchmarkTreeOf5000(b *testing.B) {
	tree := &Tree{JSON: bigTree(b)}
	b.SetBytes(int64(len(tree.JSON)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tree.Elements(); err != nil {
			b.Fatal(err)
		}
	}
}

// bigTree has 5,000 nodes: chains of cells, twenty deep.
func bigTree(tb testing.TB) string {
	root := Element{Type: "Application"}
	for i := range 250 {
		var below []Element
		for depth := range 20 {
			below = []Element{{
				Identifier: fmt.Sprintf("cell-%d-%d", i, depth), Label: "A label of some length", Value: "1",
				Type: "Cell", Frame: Frame{0, float64(i), 390, 44.5}, Children: below,
			}}
		}
		root.Children = append(root.Children, below...)
	}
	text, err := EncodeElements([]Element{root})
	if err != nil {
		tb.Fatal(err)
	}
	return text
}
