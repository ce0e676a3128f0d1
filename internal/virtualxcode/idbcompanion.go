package virtualxcode

import "ios-agent/internal/virtualxcode/idbcompanion"

// IDBCompanion is a virtual idb_companion.
type IDBCompanion = idbcompanion.Server

// NewIDBCompanion makes a companion for a simulator, as somebody would start it who does not use our tools. It serves what is given to its
// Serve or Listen.
func NewIDBCompanion(w *World, udid string) *IDBCompanion {
	return idbcompanion.New(idbcompanion.Options{World: w, UDID: udid})
}
