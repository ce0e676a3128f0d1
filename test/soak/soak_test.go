package soak_test

import (
	"slices"
	"testing"

	"ios-agent/test/soak"
)

func TestSeedsFollowVariables(t *testing.T) {
	for _, c := range []struct {
		many, first string
		want        []uint64
	}{
		{"", "", []uint64{0, 1}},
		{"3", "", []uint64{0, 1, 2}},
		{"3", "70", []uint64{70, 71, 72}},
		{"", "70", []uint64{70, 71}},
		{"none", "-1", []uint64{0, 1}},
	} {
		t.Setenv("IOS_AGENT_SOAK_SEEDS", c.many)
		t.Setenv("IOS_AGENT_SOAK_FIRST", c.first)
		if got := slices.Collect(soak.Seeds(t, soak.Many(2))); !slices.Equal(got, c.want) {
			t.Errorf("SEEDS=%q FIRST=%q: got %v, want %v", c.many, c.first, got, c.want)
		}
	}
}

func TestShareFollowsVariables(t *testing.T) {
	if got := soak.Share(7, 25); got != 7 {
		t.Errorf("a plain run: got %d, want 7", got)
	}
	t.Setenv("IOS_AGENT_SOAK_SEEDS", "30")
	if got := soak.Share(7, 25); got != 30 {
		t.Errorf("30 of each kind: got %d, want 30", got)
	}
	t.Setenv("IOS_AGENT_SOAK_WALKS", "300")
	if got := soak.Share(7, 25); got != 75 {
		t.Errorf("300 of all kinds together: got %d, want 75", got)
	}
}
