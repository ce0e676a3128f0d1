package main

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/audit"
)

// auditing judges a screen of 500 elements: a grid of cells with a text and a button each, half of them without names.
func auditing(context.Context, *lab) ([]figure, error) {
	root := &ui.Node{Type: "Application", Label: "Large", Frame: ui.Rect{W: 1024, H: 1366}}
	for i := range 167 {
		x, y := float64(i%10)*100, float64(i/10)*80
		cell := &ui.Node{Type: "Cell", Frame: ui.Rect{X: x, Y: y, W: 96, H: 76}, Children: []*ui.Node{
			{Type: "StaticText", Label: fmt.Sprintf("Item %d", i), Frame: ui.Rect{X: x, Y: y, W: 96, H: 20}},
			{Type: "Button", Label: "Add", Frame: ui.Rect{X: x, Y: y + 24, W: 60, H: 34}},
		}}
		if i%2 == 0 {
			cell.Children[1].Identifier = fmt.Sprintf("add-%d", i)
		}
		root.Children = append(root.Children, cell)
	}
	var took []time.Duration
	for range 20 {
		began := time.Now()
		s := ui.NewScreen("com.example.large", "", root)
		seen := (&audit.Journey{}).Look(s, nil)
		if took = append(took, time.Since(began)); len(seen.Findings) < 300 {
			return nil, fmt.Errorf("an audit of 500 elements has %d findings", len(seen.Findings))
		}
	}
	return []figure{{name: "audit: 500 elements", value: inMillis(median(took)), unit: millis, bound: 50}}, nil
}
