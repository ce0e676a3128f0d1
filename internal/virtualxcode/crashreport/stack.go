package crashreport

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/uuid"
)

// libraries are the libraries on an app's stacks, with their folders in the runtime.
var libraries = []struct{ name, folder string }{
	{swiftImage, "usr/lib/swift"}, {coreImage, "System/Library/Frameworks/CoreFoundation.framework"}, {objcImage, "usr/lib"},
	{uikitImage, "System/Library/PrivateFrameworks/UIKitCore.framework"}, {swiftuiName, "System/Library/Frameworks/SwiftUI.framework"},
	{serverImage, "System/Library/PrivateFrameworks/GraphicsServices.framework"}, {cppImage, "usr/lib"}, {cImage, "usr/lib/system"},
	{dyldImage, "usr/lib"},
}

// loaded lists the images of a process: first the app's, then the host's, then the runtime's.
func loaded(d Device) []ipsImage {
	b := d.App
	image := func(file, arch string, base, size uint64) ipsImage {
		return ipsImage{Source: "P", Arch: arch, Base: base, Size: size, UUID: strings.ToLower(uuid.Of("image", file)), Path: file,
			Name: path.Base(file)}
	}
	own := image(d.Executable, "arm64", 4336517120, 65536)
	own.UUID = strings.ToLower(uuid.Of("slice", b.ID, b.Version, b.Build))
	own.Version, own.ID, own.Build = b.Version, b.ID, b.Build
	out := []ipsImage{own, image("/usr/lib/system/"+kernelImage, "arm64e", 4340924416, 245760),
		image("/usr/lib/system/"+threadImage, "arm64e", 4341432320, 65536)}
	for i, l := range libraries {
		out = append(out, image(path.Join(d.RuntimeRoot, l.folder, l.name), "arm64", 6620000256+uint64(i)*67108864, 33554432))
	}
	return out
}

func isApp(i ipsImage) bool { return i.ID != "" }

// ours names the app's own function on a stack after the screen in use.
func ours(c Crash) []symbol {
	letters := []rune(c.Screen)
	if len(letters) > 0 {
		letters[0] = unicode.ToUpper(letters[0])
	}
	return []symbol{{appImage, fmt.Sprintf("closure #1 in %sView.body.getter", string(letters))}}
}

// stackOf returns the main thread's stack at the crash.
func stackOf(k kind, c Crash) []symbol {
	if k.throw != nil { // the stack is already unwound
		return slices.Concat(k.stack, callers()[4:])
	}
	return slices.Concat(k.stack, ours(c), callers())
}

// traced gives the functions of a stack their addresses in the images.
func traced(images []ipsImage, stack []symbol, c Crash) (out []ipsFrame) {
	for _, s := range stack {
		i := slices.IndexFunc(images, func(m ipsImage) bool { return m.Name == s.image || s.image == appImage && isApp(m) })
		f := ipsFrame{Symbol: s.name, Image: i, Location: 4 * (1 + digest(s.name, "in")%120)}
		f.Offset = (digest(s.name, "at")%(images[i].Size/2))&^3 + f.Location
		if s.image == appImage && s.name != "main" {
			f.SourceFile, f.SourceLine = app.UIFile, c.Line
		}
		out = append(out, f)
	}
	return out
}

// digest returns a number that depends on the words only, so a function always has the same address.
func digest(of ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	return uint64(binary.BigEndian.Uint32(sum[:]))
}

func address(images []ipsImage, f ipsFrame) uint64 { return images[f.Image].Base + f.Offset }

// raised describes the exception of a crash with the given stack.
func (k kind) raised(images []ipsImage, frames []ipsFrame) ipsException {
	e := ipsException{Type: k.exception, Signal: k.signal, Subtype: k.subtype, Raw: []uint64{0, 0}}
	switch k.exception {
	case "EXC_BREAKPOINT":
		e.Raw = []uint64{1, address(images, frames[0])}
	case "EXC_BAD_ACCESS":
		e.Raw = []uint64{1, 0}
	}
	e.Codes = fmt.Sprintf("0x%016x, 0x%016x", e.Raw[0], e.Raw[1])
	return e
}

// terminated describes the end of the process.
func (k kind) terminated(c Crash) *ipsTermination {
	if k.namespace != "" {
		return &ipsTermination{Flags: 6, Code: k.code, Namespace: k.namespace, Indicator: k.indicator, By: "SpringBoard",
			Details: []string{fmt.Sprintf("%s[%d] %s", c.Bundle, c.PID, c.Message)}}
	}
	t := &ipsTermination{Code: k.number, Namespace: "SIGNAL", Indicator: k.indicator, By: "exc handler", ByPID: c.PID}
	if k.signal == "SIGABRT" {
		t.By = c.Name
	}
	return t
}

// threads are the crashed main thread and one waiting thread.
func threads(images []ipsImage, frames []ipsFrame, c Crash) []ipsThread {
	state := &ipsState{Flavor: "ARM_THREAD_STATE64", CPSR: ipsValue{Value: 1610616832},
		PC: ipsValue{Value: address(images, frames[0]), Matches: 1}}
	for n := range 29 {
		state.X = append(state.X, ipsValue{Value: digest("x", fmt.Sprint(n), c.Bundle)})
	}
	state.LR.Value = address(images, frames[min(1, len(frames)-1)])
	state.SP.Value, state.FP.Value = 6133787952, 6133788080
	if kinds()[c.Kind].exception == "EXC_BREAKPOINT" {
		state.ESR = ipsValue{Value: 4060086273, Description: "(Breakpoint) brk 1"}
	} else {
		state.ESR = ipsValue{Value: 1442840704, Description: " Address size fault"}
	}
	idle := traced(images, []symbol{{kernelImage, "__workq_kernreturn"}, {threadImage, "_pthread_wqthread"},
		{threadImage, "start_wqthread"}}, c)
	return []ipsThread{
		{Triggered: true, ID: 100000 + c.PID, Queue: mainQueue, State: state, Frames: frames},
		{ID: 100001 + c.PID, Frames: idle},
	}
}
