package telemetry

import "context"

// Settle is Flush that also stores errors that are only counted so far as repeats. A reader of the errors since a number thus finds
// every repeat, with its count so far.
func (s *Store) Settle(ctx context.Context) error {
	return s.settle(ctx, Error)
}

// settle stores counted lines of a level and above.
func (s *Store) settle(ctx context.Context, from Level) error {
	return s.inTurn(ctx, func() error {
		if err := s.writeAll(false); err != nil {
			return err
		}
		if fresh := s.repeats.counted(from); len(fresh) > 0 {
			return s.write(fresh, s.o.Now())
		}
		return nil
	})
}

// counted gives the counted lines of a level and above, and resets their counts.
func (r *repeats) counted(from Level) (out []Entry) {
	for e := r.order.Front(); e != nil && r.waiting > 0; e = e.Next() {
		one := e.Value.(*repeat)
		if one.copies == 0 || one.last.Level < from {
			continue
		}
		said := one.last
		said.Count = one.copies
		one.copies, r.waiting = 0, r.waiting-1
		out = append(out, said)
	}
	return out
}
