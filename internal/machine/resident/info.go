package resident

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"ios-agent/internal/machine/processes"
)

// Info is the content of a resident's lock file. The caller of Listen gives Build and BuildTime; Listen fills in the rest. Socket is empty
// during the start.
type Info struct {
	PID       int       `json:"pid"`
	Start     string    `json:"start"` // see processes.StartTime
	Build     string    `json:"build"`
	BuildTime time.Time `json:"build_time,omitzero"`
	Socket    string    `json:"socket"`
	StartedAt time.Time `json:"started_at"`
}

func (i Info) ready() bool { return i.Socket != "" }

func (i Info) same(j Info) bool { return i.PID == j.PID && i.Start == j.Start }

// mine fills in the facts about this process.
func (i Info) mine() Info {
	i.PID = os.Getpid()
	i.Start, _ = processes.StartTime(i.PID) // a sandbox may hide it; the pid alone must then be enough
	i.StartedAt = time.Now().UTC().Truncate(time.Millisecond)
	i.Socket = ""
	return i
}

// info reads the content of the lock file, which is only valid while the lock is held. An empty or half-written file gives the zero Info.
func (p Place) info() Info {
	var i Info
	b, err := os.ReadFile(p.LockPath())
	if err != nil || json.Unmarshal(b, &i) != nil {
		return Info{}
	}
	return i
}

// publish overwrites the content of the lock file in place: after a rename, the lock would be on a file without a name.
func publish(lock *os.File, i Info) error {
	b, err := json.Marshal(i)
	if err == nil {
		err = lock.Truncate(0)
	}
	if err == nil {
		_, err = lock.WriteAt(append(b, '\n'), 0)
	}
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}
