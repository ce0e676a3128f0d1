package deskapp

// StillFor is stillFor, for tests.
var StillFor = stillFor
