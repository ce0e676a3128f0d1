package world

import (
	"path/filepath"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/app"
)

// WriteFile implements app.Stage. After a failure the app logs it and continues.
func (s stage) WriteFile(name, text string, more bool) {
	file, ok := s.dataFile(name)
	if !ok {
		return
	}
	before := ""
	if more {
		before = s.ReadFile(name)
	}
	if err := s.on.world.write(file, []byte(before+text)); err != nil {
		s.Log(app.Log{Level: "error"}, "cannot write "+name+": "+err.Error())
	}
}

// ReadFile implements app.Stage.
func (s stage) ReadFile(name string) string {
	file, ok := s.dataFile(name)
	if !ok {
		return ""
	}
	data, err := regularfile.Read(file, maxDataFile)
	if err != nil {
		return ""
	}
	return string(data)
}

const maxDataFile = 64 << 20 // maximum size of a file that an app reads, in bytes

// dataFile returns the path of a file in the app's data folder, or false in a world without files and for a name outside the folder.
func (s stage) dataFile(name string) (string, bool) {
	if !s.on.world.files || !app.LocalFile(name) {
		return "", false
	}
	return filepath.Join(s.on.world.containers(s.on, s.bundle).Data, filepath.FromSlash(name)), true
}
