package virtualxcode_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ios-agent/internal/machine/resident"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/world"
)

// fuseVariable makes the service of this test kill itself, as kill -9 would, at one of its writes: "3 before" is in
// front of the third, "3 after" right behind it.
const fuseVariable = "VIRTUAL_TEST_FUSE"

// fuse is a store that kills its own process.
type fuse struct {
	service.Files
	left   int
	before bool
}

func (f *fuse) Save(key string, state []byte) error {
	return f.around(func() error { return f.Files.Save(key, state) })
}
func (f *fuse) Delete(key string) error { return f.around(func() error { return f.Files.Delete(key) }) }

func (f *fuse) around(write func() error) error {
	f.left--
	if f.left == 0 && f.before {
		die()
	}
	err := write()
	if f.left == 0 {
		die()
	}
	return err
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // until it arrives
}

// serveFused is the service with a fuse.
func serveFused(dir, when string) error {
	number, where, _ := strings.Cut(when, " ")
	left, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	builtin, err := apps.Builtin()
	if err != nil {
		return err
	}
	clock := world.RequestClock(start())
	w, err := world.New(world.Options{Clock: clock, Root: filepath.Join(dir, "CoreSimulator"), Preinstalled: builtin,
		Store: &fuse{service.Files(filepath.Join(dir, "state")), left, where == "before"}})
	if err != nil {
		return err
	}
	server := service.New(service.Options{World: w, Clock: clock, Time: "request",
		Tools: map[string]service.FrontEnd{"simctl": simctl.Run}})
	return server.Run(context.Background(), installation(dir).Place())
}

// The service is killed at every single write of a command: the tool fails as the real one does when CoreSimulatorService
// dies, and the next run finds a complete state, in which the command can be given again.
func TestKilledServiceLeavesCompleteState(t *testing.T) {
	if testing.Short() {
		t.Skip("a process for every write takes long")
	}
	const phone = "iPhone 16"
	for name, c := range map[string]struct {
		prepare, command []string
		already          string // what the command says when it had been done after all
		check            func(*rack)
	}{
		"create": {nil, []string{"create", "Mine", "iPhone 15"}, "", func(r *rack) {
			if n := strings.Count(r.ok("list", "devices", "Mine"), "Mine ("); n < 1 || n > 2 {
				t.Errorf("there are %d devices of that name", n)
			}
		}},
		"boot": {nil, []string{"boot", phone}, "in current state: Booted", func(r *rack) {
			r.ok("spawn", phone, "true")
		}},
		"install": {[]string{"boot", phone}, []string{"install", phone, "Shop.app"}, "", func(r *rack) {
			r.ok("launch", phone, "com.iosagent.shop")
			r.ok("get_app_container", phone, "com.iosagent.shop")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := apps.Write(dir); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			killed := 0
			for write, over := 1, false; !over; write++ {
				for _, where := range []string{"before", "after"} {
					r := newRack(t)
					if c.prepare != nil {
						r.ok(c.prepare...)
						r.stop()
					}
					t.Setenv(fuseVariable, fmt.Sprintf("%d %s", write, where))
					_, errout, exit := r.simctl(c.command...)
					os.Unsetenv(fuseVariable)
					if exit == 0 { // it writes less often than that
						over = true
						r.stop()
						continue
					}
					killed++
					if exit != 204 || !strings.Contains(errout, "CoreSimulatorService connection interrupted.") || !strings.Contains(errout,
						"(ipc/mig) server died") {
						t.Errorf("%d %s: exit %d\n%s", write, where, exit, errout)
					}
					r.stop() // waits until the kernel is done with it
					r.ok("list", "-j")
					if _, errout, exit := r.simctl(c.command...); exit != 0 && (c.already == "" || !strings.Contains(errout, c.already)) {
						t.Errorf("%d %s: the next time: exit %d\n%s", write, where, exit, errout)
					}
					c.check(r)
				}
			}
			if killed < 4 {
				t.Errorf("it was killed %d times only", killed)
			}
		})
	}
}

func (r *rack) stop() {
	r.t.Helper()
	if err := resident.Stop(r.t.Context(), r.Place()); err != nil {
		r.t.Fatal(err)
	}
}
