package screen

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
)

func (s *Screen) refOps() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "list_refs", Verb: "refs", Groups: []string{"ui"}, Route: "GET /api/v1/ui/refs",
		Summary: "List the refs of the last screen, without a new look",
		Hints:   op.ReadOnly | op.Idempotent, Examples: []string{"refs"}, Short: target.DesktopFlags("udid"),
	}, s.refs)}
}

// refsIn names the device. The operation does not contact it.
type refsIn struct{ target.Target }

// refsOut lists the refs of one screen.
type refsOut struct {
	Refs []ui.Given `json:"refs"`
	UDID string     `json:"udid"`
}

// Text has a line for each ref.
func (o refsOut) Text() string {
	if len(o.Refs) == 0 {
		return "no refs: this session has not seen a screen of the device"
	}
	var lines []string
	for _, g := range o.Refs {
		lines = append(lines, fmt.Sprintf("%s  %s", g.Ref, g.What))
	}
	return strings.Join(lines, "\n")
}

func (s *Screen) refs(ctx context.Context, c *op.Call, in refsIn) (refsOut, error) {
	h, session, err := s.d.Access.Device(ctx, c, in.Target)
	if err != nil {
		return refsOut{}, err
	}
	out := refsOut{Refs: []ui.Given{}, UDID: h.Info().UDID}
	session.Refs(func(r *ui.Refs) { out.Refs = append(out.Refs, r.Given(out.UDID)...) })
	return out, nil
}
