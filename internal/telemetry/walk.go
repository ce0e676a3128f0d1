package telemetry

import "context"

// walkBlocks is the maximum number of blocks in memory: about five megabytes if all are full.
const walkBlocks = 8

// Walk calls fn with every matching entry in the order of arrival, and stops at its first error. It keeps only a few blocks in memory
// and no transaction open while fn runs. Entries that arrive after Walk began are left out; the query's Limit, Offset and Oldest are
// ignored.
func (s *Store) Walk(ctx context.Context, q Query, fn func(Entry) error) error {
	var spans []Query // ranges of a few blocks
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
