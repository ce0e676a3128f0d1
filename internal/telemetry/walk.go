package telemetry

import "context"

// walkBlocks is how many blocks a walk has in memory at once: about five megabytes where all of them are full.
const walkBlocks = 8

// Walk calls fn with every entry that fits, in the order of arrival, and stops at its first error. However many there are, only a few
// blocks are in memory, and no transaction is open while fn runs. What arrives after Walk began is not given; Limit, Offset and Oldest
// of the query say nothing.
func (s *Store) Walk(ctx context.Context, q Query, fn func(Entry) error) error {
	var spans []Query // what a few blocks hold
	_, err := s.scan(ctx, q, func(sc *scanner, blocks []*block) error {
		spans = spans[:0]
		for i, b := range blocks {
			if i%walkBlocks == 0 {
				some := q
				some.After, some.Limit, some.Offset, some.Oldest = max(q.After, b.first-1), walkBlocks*blockEntries, 0, true
				spans = append(spans, some)
			}
			spans[len(spans)-1].Upto = min(b.last, sc.m.upto())
		}
		return nil
	})
	for _, some := range spans {
		if err != nil {
			return err
		}
		var page Page
		if page, err = s.Query(ctx, some); err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := fn(e); err != nil {
				return err
			}
		}
	}
	return err
}
