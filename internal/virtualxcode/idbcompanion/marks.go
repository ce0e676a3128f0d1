package idbcompanion

import vmark "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of idb_companion. Methods, messages and options come from its public sources; the effects in CoreSimulator
// are assumed.
func Marks() (all []vmark.Mark) {
	const name = "idb_companion"
	for _, b := range []string{
		"start: --udid and --grpc-domain-sock; a line of JSON with grpc_path on standard output when it serves; SIGTERM ends it",
		"service: methods, messages and field numbers are from the sources of idb of August 2026",
		"tree: backend axbridge-persistent with the format complete has the elements, types and frames that XCTest has; enabled is null, and " +
			"traits say it instead; an older companion answers with a flat list",
		"tree: the value of an empty field is its placeholder; the field that receives keys has focused and the trait IsEditing",
		"front: the pid of the tree's application is the pid in list_apps; the name of the home screen is a space",
		"front: under a system alert the tree shows SpringBoard, and modal is system",
		"touches: points belong to the panel, which does not turn with the device; a second touch down moves the finger",
		"touches: landscape left and right are names of the interface orientation, the opposite of the device orientation",
		"keys: usages of a US keyboard; without a focus keys are lost, and the answer is a success",
		"older: an event unknown to the companion is an invalid argument and has no effect",
		"record: stop writes the film to the path; the beginning of the recording is not reported",
	} {
		all = append(all, vmark.Mark{Tool: name, Behaviour: b, Source: vmark.Assumed})
	}
	return all
}
