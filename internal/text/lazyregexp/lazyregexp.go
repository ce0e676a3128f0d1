// Package lazyregexp compiles regular expressions when they are first used. Regexp has the methods of regexp.Regexp; New makes one for a
// package variable. Most starts of the program use none of them, and compiling the expressions for all of Apple's tools would take a third
// of the start's time.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is one expression. It is safe for concurrent use.
type Regexp struct {
	text string
	get  func() *regexp.Regexp
}

// New makes an expression. A wrong expression panics at its first use, which the tests of each package cover.
func New(text string) *Regexp {
	return &Regexp{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// String returns the text of the expression.
func (r *Regexp) String() string { return r.text }

// The methods have the names and meanings of regexp.Regexp's.

func (r *Regexp) Match(b []byte) bool                    { return r.get().Match(b) }
func (r *Regexp) MatchString(s string) bool              { return r.get().MatchString(s) }
func (r *Regexp) FindString(s string) string             { return r.get().FindString(s) }
func (r *Regexp) FindStringSubmatch(s string) []string   { return r.get().FindStringSubmatch(s) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }
func (r *Regexp) FindAll(b []byte, n int) [][]byte       { return r.get().FindAll(b, n) }
func (r *Regexp) Split(s string, n int) []string         { return r.get().Split(s, n) }

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }
func (r *Regexp) FindSubmatch(b []byte) [][]byte         { return r.get().FindSubmatch(b) }
func (r *Regexp) ReplaceAll(b, to []byte) []byte         { return r.get().ReplaceAll(b, to) }
func (r *Regexp) ReplaceAllString(s, to string) string   { return r.get().ReplaceAllString(s, to) }

func (r *Regexp) ReplaceAllStringFunc(s string, to func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, to)
}

func (r *Regexp) ReplaceAllFunc(b []byte, to func([]byte) []byte) []byte {
	return r.get().ReplaceAllFunc(b, to)
}
