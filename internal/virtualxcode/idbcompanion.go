package virtualxcode

import "ios-agent/internal/virtualxcode/idbcompanion"

// IDBCompanion is a virtual idb_companion.
type IDBCompanion = idbcompanion.Server

// NewIDBCompanion makes a companion for a simulator, like a companion started without our tools. Its Serve and Listen accept the
// connections.
func NewIDBCompanion(w *World, udid string) *IDBCompanion {
	return idbcompanion.New(idbcompanion.Options{World: w, UDID: udid})
}
