package hugetree

import (
	"net/http"
	"sync/atomic"
)

// Front stands before the server of a device and answers for its tree, as long as it shows one.
type Front struct {
	Asks  func(*http.Request) bool                 // whether a request is for the tree
	Write func(w http.ResponseWriter, tree []byte) // answers with it
	Begin func(w http.ResponseWriter)              // begins an answer that is too long to end

	tree    atomic.Pointer[[]byte]
	instead atomic.Pointer[http.HandlerFunc]
}

// Around puts the front before a server.
func (f *Front) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tree, instead := f.tree.Load(), f.instead.Load()
		switch {
		case tree == nil && instead == nil || !f.Asks(r):
			next.ServeHTTP(w, r)
		case instead != nil:
			(*instead)(w, r)
		default:
			f.Write(w, *tree)
		}
	})
}

// Show makes the device show a number of elements.
func (f *Front) Show(elements int) {
	tree := JSON(elements)
	f.tree.Store(&tree)
}

// Calm has the device show what it shows.
func (f *Front) Calm() {
	f.tree.Store(nil)
	f.instead.Store(nil)
}

// With has the requests for the tree answered by something else.
func (f *Front) With(answer http.HandlerFunc) { f.instead.Store(&answer) }

// Put writes parts of an answer at once.
func Put(w http.ResponseWriter, parts ...string) {
	for _, part := range parts {
		_, _ = w.Write([]byte(part)) // who asked may have left
	}
	_ = http.NewResponseController(w).Flush()
}
