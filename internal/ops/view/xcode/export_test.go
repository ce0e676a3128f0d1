package xcode

// What the how-to of CONTRIBUTING names, for the test that follows it.
var (
	Row  = row
	Tool = tool
)
