package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// Everything here reads /proc and finds nothing on a system without it: figures are skipped there, not guessed.

// marked are the living processes that have an entry in their environment, as NAME=VALUE.
func marked(entry string) []int {
	var pids []int
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if hasMark(pid, entry) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// hasMark is false for a zombie, whose environment is empty.
func hasMark(pid int, entry string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.ContainsFunc(bytes.Split(env, []byte{0}), func(b []byte) bool { return string(b) == entry })
}

// endAll ends all processes that carry a mark, each by its pid: some servers leave daemons behind in groups and
// sessions of their own.
func endAll(entry string) error {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, pid := range marked(entry) {
			_ = syscall.Kill(pid, sig) // it may have left by itself
		}
		if allGone(entry) {
			return nil
		}
	}
	return fmt.Errorf("processes that do not end: %v", marked(entry))
}

func allGone(entry string) bool {
	for late := time.Now().Add(3 * time.Second); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		if len(marked(entry)) == 0 {
			return true
		}
	}
	return false
}

// memoryMB is the memory of a process in RAM, by its name in proc(5): VmRSS is all of it, RssAnon what is not a page of a file.
func memoryMB(pid int, name string) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if rest, found := bytes.CutPrefix(line, []byte(name+":")); found {
			kb, err := strconv.ParseFloat(string(bytes.Fields(rest)[0]), 64)
			return kb / 1024, err
		}
	}
	return 0, errors.New("no " + name)
}

// residentMB is the memory a process has in RAM.
func residentMB(pid int) (float64, error) { return memoryMB(pid, "VmRSS") }

// resident is residentMB as a figure.
func resident(name string, pid int, bound float64) figure {
	mb, err := residentMB(pid)
	return figure{name: name, value: mb, unit: megabytes, bound: bound, skipped: err != nil}
}

// owned is the memory that a process made for itself.
func owned(name string, pid int, bound float64) figure {
	mb, err := memoryMB(pid, "RssAnon")
	return figure{name: name, value: mb, unit: megabytes, bound: bound, skipped: err != nil}
}

// processorTime is how long a process has run, in its own code and in the system's. Linux counts it in hundredths of a second.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name before may hold spaces
	if len(fields) < 13 {
		return 0, errors.New("no processor time")
	}
	var ticks int64
	for _, field := range fields[11:13] { // fields 14 and 15 of proc(5)
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// family is the processes of a lab, and a number that grows whenever one of them has waited for a child.
type family struct {
	pids   []int
	faults int64
}

// familyOf adds up the page faults of children that have ended: a program cannot run without any, so even a child that
// lived for a millisecond between two looks shows.
func familyOf(entry string) family {
	f := family{pids: marked(entry)}
	for _, pid := range f.pids {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name before may hold spaces
		if len(fields) > 8 {
			n, _ := strconv.ParseInt(string(fields[8]), 10, 64) // field 11 of proc(5), cminflt
			f.faults += n
		}
	}
	return f
}

// spawned reports whether any process was started between two looks.
func (f family) spawned(later family) bool {
	return later.faults != f.faults || slices.ContainsFunc(later.pids, func(pid int) bool { return !slices.Contains(f.pids, pid) })
}
