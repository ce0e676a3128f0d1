package idbcompanion

import vmark "ios-agent/internal/virtualxcode/mark"

// Marks say what is known of idb_companion. Its methods, messages and options are in its public sources; what CoreSimulator does below
// them is assumed.
func Marks() (all []vmark.Mark) {
	const name = "idb_companion"
	for _, b := range []string{
		"start: --udid and --grpc-domain-sock; a line of JSON with grpc_path on standard output when it serves; SIGTERM ends it",
		"service: methods, messages and field numbers are those of the sources of idb of August 2026",
		"tree: backend axbridge-persistent with the format complete has the elements, types and frames that XCTest has; enabled is null, and " +
			"traits tell it; an older companion answers with a flat list",
		"tree: an empty field has its placeholder for a value; focused and the trait IsEditing are of the field that keys go to",
		"front: the pid of the tree's application is that of list_apps; the home screen calls itself a blank",
		"front: under an alert of the system the tree is SpringBoard's, and modal says system",
		"touches: points are those of the panel, which does not turn with the device; a touch that is down already moves the finger",
		"touches: the sides of landscape are named as those of the interface, the other way round than those of the device",
		"keys: usages of a US keyboard; without a focus they are lost, and the answer is a success",
		"older: an event that a companion does not know is an invalid argument before anything is done",
		"record: the film is written to the path when stop comes; nothing tells when it begins",
	} {
		all = append(all, vmark.Mark{Tool: name, Behaviour: b, Source: vmark.Assumed})
	}
	return all
}
