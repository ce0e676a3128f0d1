package idb_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

// The gRPC library and the messages compiled from idb.proto are independent of this project: the tests check each end of the protocol
// against them.

// service is the companion's, as idb.proto declares it.
var service = sync.OnceValue(func() protoreflect.ServiceDescriptor {
	text, err := os.ReadFile("idb.proto")
	if err != nil {
		panic(err)
	}
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"idb.proto": string(text)})}}
	files, err := compiler.Compile(context.Background(), "idb.proto")
	if err != nil {
		panic(err)
	}
	return files[0].Services().ByName("CompanionService")
})

func methodOf(name string) protoreflect.MethodDescriptor {
	return service().Methods().ByName(protoreflect.Name(name))
}

// message makes one from its JSON.
func message(t *testing.T, d protoreflect.MessageDescriptor, text string) proto.Message {
	t.Helper()
	m := dynamicpb.NewMessage(d)
	if err := protojson.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGRPCClientIsServed: the virtual companion serves a client of the gRPC library.
func TestGRPCClientIsServed(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	conn, err := grpc.NewClient(serve(t, r), grpc.WithTransportCredentials(insecure.NewCredentials()))
	r.Must(err)
	t.Cleanup(func() { conn.Close() })
	ask := func(name string, requests ...string) (string, error) {
		m := methodOf(name)
		s, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true},
			"/"+string(service().FullName())+"/"+name)
		r.Must(err)
		for _, text := range requests {
			if err := s.SendMsg(message(t, m.Input(), text)); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
		}
		r.Must(s.CloseSend())
		answer := dynamicpb.NewMessage(m.Output())
		if err := s.RecvMsg(answer); err != nil {
			return "", err
		}
		if err := s.RecvMsg(dynamicpb.NewMessage(m.Output())); !errors.Is(err, io.EOF) {
			return "", err
		}
		out, err := protojson.Marshal(answer)
		return strings.ReplaceAll(string(out), " ", ""), err
	}
	for _, c := range []struct {
		method   string
		requests []string
		want     string
	}{
		{"describe", []string{`{}`}, `"udid":"` + r.Info.UDID + `"`},
		{"launch", []string{`{"start":{"bundleId":"` + rig.Conformance + `","appArgs":["a"],"env":{"A":"1"}}}`}, `"pid":`},
		{"list_apps", []string{`{}`}, `"processState":"RUNNING"`},
		{"accessibility_info", []string{`{"format":"COMPLETE","backend":"AXBRIDGE","keys":["AXLabel"]}`}, `axbridge`},
		{"accessibility_info", []string{`{"format":"NESTED"}`}, `AXApplication`},
		{"hid", []string{
			`{"press":{"action":{"touch":{"point":{"x":60,"y":820}}},"direction":"DOWN"}}`, `{"delay":{"duration":0.05}}`,
			`{"press":{"action":{"touch":{"point":{"x":60,"y":820}}},"direction":"UP"}}`}, `{}`},
		{"screenshot", []string{`{}`}, `imageData`},
		{"terminate", []string{`{"bundleId":"` + rig.Conformance + `"}`}, `{}`},
	} {
		if got, err := ask(c.method, c.requests...); err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %.200s, %v", c.method, got, err)
		}
	}
	if got, _ := r.World.Inputs(r.Info.UDID, 0); len(got) != 1 || got[0].From.X != 60 {
		t.Errorf("the touch became %v", got)
	}
	_, err = ask("terminate", `{"bundleId":"com.no.such"}`)
	if s := status.Convert(err); s.Code() != codes.Internal || !strings.Contains(s.Message(), "com.no.such") {
		t.Errorf("an app that is not there: %v", err)
	}
	if _, err = ask("hid", `{}`); status.Code(err) != codes.InvalidArgument {
		t.Errorf("an event that is none: %v", err)
	}
}

// strange is a companion that the gRPC library serves: it answers each method with messages, and keeps what it was asked.
type strange struct {
	t       *testing.T
	answers map[string][]string
	mu      sync.Mutex
	asked   []string
}

func (s *strange) serve() string {
	path := filepath.Join(rig.Dir(s.t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		s.t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(s.handle))
	go server.Serve(l)
	s.t.Cleanup(server.Stop)
	return "unix://" + path
}

func (s *strange) handle(_ any, stream grpc.ServerStream) error {
	full, _ := grpc.MethodFromServerStream(stream)
	name := full[strings.LastIndex(full, "/")+1:]
	m := methodOf(name)
	if m == nil {
		return status.Error(codes.Unimplemented, full)
	}
	for {
		in := dynamicpb.NewMessage(m.Input())
		if err := stream.RecvMsg(in); err != nil {
			break
		}
		text, _ := protojson.Marshal(in)
		s.mu.Lock()
		s.asked = append(s.asked, name+strings.ReplaceAll(string(text), " ", ""))
		s.mu.Unlock()
		if len(in.GetUnknown()) > 0 {
			return status.Errorf(codes.InvalidArgument, "%s has fields that idb.proto has not", name)
		}
	}
	for _, text := range s.answers[name] {
		if code, says, refused := strings.Cut(text, ": "); refused && code == "INTERNAL" {
			return status.Error(codes.Internal, says)
		}
		if err := stream.SendMsg(message(s.t, m.Output(), text)); err != nil {
			return err
		}
	}
	return nil
}

// TestGRPCServerIsUnderstood: the driver speaks to a server of the gRPC library, which uses idb.proto.
func TestGRPCServerIsUnderstood(t *testing.T) {
	t.Parallel()
	info := device.Info{UDID: "U-1", Name: "Phone", Type: device.TypeSimulator}
	tree := `[{\"AXLabel\":\"Shop\",\"type\":\"Application\",\"pid\":7,\"frame\":{\"x\":0,\"y\":0,\"width\":390,\"height\":844}},` +
		`{\"AXLabel\":\"Buy\",\"type\":\"Button\",\"frame\":{\"x\":10,\"y\":10,\"width\":90,\"height\":40}}]`
	s := &strange{t: t, answers: map[string][]string{
		"describe":           {`{"targetDescription":{"udid":"U-1","name":"Phone","state":"Booted"}}`},
		"accessibility_info": {`{"json":"` + tree + `"}`},
		"list_apps":          {`{"apps":[{"bundleId":"a.shop","name":"Shop","processState":"RUNNING"}]}`},
		"hid":                {`{}`},
		"launch":             {`{"debugger":{"pid":"7"}}`},
		"terminate":          {"INTERNAL: no such\napp: ü"},
	}}
	d := idb.New(idb.Options{})
	at := s.serve()
	if says, err := d.Probe(t.Context(), at); err != nil || !strings.Contains(says, "U-1") {
		t.Errorf("%s, %v", says, err)
	}
	phone := d.Open(info, at)
	t.Cleanup(func() { phone.Close() })
	screen, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	if err != nil || screen.App != "a.shop" || len(screen.Match(ui.Query{Label: "Buy", Type: "Button"})) != 1 || screen.Truncated != -1 {
		t.Errorf("%+v, %v", screen, err)
	}
	touch := phone.(device.Touch)
	err = errors.Join(touch.Tap(t.Context(), ui.Point{X: 1.5, Y: 2}), touch.Swipe(t.Context(), ui.Point{X: 1}, ui.Point{Y: 2}, 0),
		phone.(device.Buttons).Press(t.Context(), "siri", 0), phone.(device.Rotation).Rotate(t.Context(), "landscape-left"))
	pid, failed := phone.(device.Apps).Launch(t.Context(), "a.shop", device.Launch{Args: []string{"-x"}, Env: map[string]string{"K": "V"}})
	if err = errors.Join(err, failed); err != nil || pid != 7 {
		t.Errorf("%d, %v", pid, err)
	}
	f := want(t, phone.(device.Apps).Terminate(t.Context(), "a.shop"), fault.AppTerminate, "")
	if !strings.Contains(f.Message, "no such\napp: ü") {
		t.Errorf("message = %q, want the companion's own text", f.Message)
	}
	told := strings.Join(s.asked, "\n")
	for _, want := range []string{
		`hid{"press":{"action":{"touch":{"point":{"x":1.5,"y":2}}}}}`, `hid{"delay":{"duration":0.05}}`,
		`hid{"press":{"action":{"touch":{"point":{"x":1.5,"y":2}}},"direction":"UP"}}`,
		`hid{"swipe":{"start":{"x":1},"end":{"y":2},"delta":10,"duration":0.3}}`,
		`hid{"press":{"action":{"button":{"button":"SIRI"}},"direction":"UP"}}`, `hid{"orientation":{"orientation":"LANDSCAPE_RIGHT"}}`,
		`launch{"start":{"bundleId":"a.shop","env":{"K":"V"},"appArgs":["-x"],"foregroundIfRunning":true}}`,
		`"format":"COMPLETE"`, `"backend":"AXBRIDGE_PERSISTENT"`,
	} {
		if !strings.Contains(told, want) {
			t.Errorf("it was not asked %s:\n%s", want, told)
		}
	}
}
