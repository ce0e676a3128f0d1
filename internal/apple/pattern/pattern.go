// Package pattern is regular expressions that are compiled when they are first used. Most starts of the program read
// nothing, and compiling the grammars of all of Apple's tools would be a third of their time.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is one expression. It is safe for concurrent use.
type Pattern struct{ get func() *regexp.Regexp }

// New makes a pattern; one that is wrong panics when it is first used, which the tests of its package do.
func New(text string) *Pattern {
	return &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// The methods are those of regexp.Regexp.

func (p *Pattern) Match(b []byte) bool                    { return p.get().Match(b) }
func (p *Pattern) MatchString(s string) bool              { return p.get().MatchString(s) }
func (p *Pattern) FindString(s string) string             { return p.get().FindString(s) }
func (p *Pattern) FindStringSubmatch(s string) []string   { return p.get().FindStringSubmatch(s) }
func (p *Pattern) FindStringSubmatchIndex(s string) []int { return p.get().FindStringSubmatchIndex(s) }
func (p *Pattern) FindAll(b []byte, n int) [][]byte       { return p.get().FindAll(b, n) }
func (p *Pattern) Split(s string, n int) []string         { return p.get().Split(s, n) }

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.get().FindAllStringSubmatch(s, n)
}

func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.get().FindAllStringSubmatchIndex(s, n)
}

func (p *Pattern) FindAllString(s string, n int) []string { return p.get().FindAllString(s, n) }
func (p *Pattern) FindSubmatch(b []byte) [][]byte         { return p.get().FindSubmatch(b) }
func (p *Pattern) ReplaceAll(b, to []byte) []byte         { return p.get().ReplaceAll(b, to) }
func (p *Pattern) ReplaceAllString(s, to string) string   { return p.get().ReplaceAllString(s, to) }

func (p *Pattern) ReplaceAllStringFunc(s string, to func(string) string) string {
	return p.get().ReplaceAllStringFunc(s, to)
}

func (p *Pattern) ReplaceAllFunc(b []byte, to func([]byte) []byte) []byte {
	return p.get().ReplaceAllFunc(b, to)
}
