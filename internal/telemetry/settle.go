package telemetry

import "context"

// Settle is Flush that also stores errors which are only counted yet because they are equal to one of the last seconds: who asks which
// errors came since a number finds each time they were said, with their count so far.
func (s *Store) Settle(ctx context.Context) error {
	return s.settle(ctx, Error)
}

// settle stores lines of a level, or a higher one, that are only counted yet.
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

// counted gives the lines from a level on that are counted, and counts them from 0 again.
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
