package feed_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
)

func all(int) bool { return true }

func read(t *testing.T, r *feed.Ring[int], after string, most int) op.Page[int] {
	t.Helper()
	page, err := r.Read(t.Context(), op.Cursor{After: after, Most: most}, all)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestReadReturnsPagesAndLostCount(t *testing.T) {
	r := feed.NewRing[int](3)
	if page := read(t, r, op.Beginning, 10); len(page.Items) != 0 || page.Cursor != "0" {
		t.Errorf("%+v", page)
	}
	for n := range 5 {
		r.Add(n + 1)
	}
	page := read(t, r, op.Beginning, 2)
	if !slices.Equal(page.Items, []int{3, 4}) || page.Lost != 0 {
		t.Errorf("%+v", page)
	}
	if page = read(t, r, page.Cursor, 2); !slices.Equal(page.Items, []int{5}) {
		t.Errorf("%+v", page)
	}
	for n := range 6 {
		r.Add(n + 6)
	}
	if page = read(t, r, page.Cursor, 10); !slices.Equal(page.Items, []int{9, 10, 11}) || page.Lost != 3 {
		t.Errorf("what fell out is counted: %+v", page)
	}
	if _, err := r.Read(t.Context(), op.Cursor{After: "x", Most: 1}, all); !fault.Is(err, fault.InvalidInput) {
		t.Error(err)
	}
}

func TestFilterMovesTheCursor(t *testing.T) {
	r := feed.NewRing[int](10)
	for n := range 6 {
		r.Add(n)
	}
	page, err := r.Read(t.Context(), op.Cursor{After: op.Beginning, Most: 10}, func(n int) bool { return n > 100 })
	if err != nil || len(page.Items) != 0 || page.Cursor != "6" {
		t.Errorf("%+v %v", page, err)
	}
}

func TestReadWaitsForNextItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := feed.NewRing[int](10)
		r.Add(1) // before now
		time.AfterFunc(time.Minute, func() { r.Add(2) })
		start := time.Now()
		page, err := r.Read(t.Context(), op.Cursor{Most: 10, Wait: time.Hour}, all)
		if err != nil || !slices.Equal(page.Items, []int{2}) || time.Since(start) != time.Minute {
			t.Errorf("%+v %v", page, err)
		}
		page, err = r.Read(t.Context(), op.Cursor{After: page.Cursor, Most: 10, Wait: time.Minute}, all)
		if err != nil || len(page.Items) != 0 || page.Cursor != "2" {
			t.Errorf("nothing came: %+v %v", page, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err = r.Read(ctx, op.Cursor{After: page.Cursor, Most: 10, Wait: time.Hour}, all); err != nil {
			t.Errorf("a reader that leaves: %v", err)
		}
	})
}

func TestConcurrentReadersSeeEachItemOnce(t *testing.T) {
	const total = 2000
	r := feed.NewRing[int](total)
	var busy sync.WaitGroup
	for w := range 4 {
		busy.Go(func() {
			for n := range total / 4 {
				r.Add(w*total + n)
			}
		})
	}
	for range 4 {
		busy.Go(func() {
			seen := map[int]bool{}
			for cursor := op.Beginning; len(seen) < total; {
				page, err := r.Read(context.Background(), op.Cursor{After: cursor, Most: 64, Wait: time.Minute}, all)
				if err != nil || page.Lost != 0 {
					t.Errorf("%+v %v", page.Lost, err)
					return
				}
				for _, item := range page.Items {
					if seen[item] {
						t.Errorf("%d came twice", item)
					}
					seen[item] = true
				}
				cursor = page.Cursor
			}
		})
	}
	busy.Wait()
}
