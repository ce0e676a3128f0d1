package quern

import (
	"context"
	"maps"
	"net/http"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/network"
)

// systemProxyOut is what quern tells of the Mac's proxy settings.
type systemProxyOut struct {
	Configured bool    `json:"configured"`
	Interface  *string `json:"interface"`
	Original   *string `json:"original_state"` // what is put back
}

func systemProxyOf(o *network.HostProxyOut) systemProxyOut {
	if o == nil {
		return systemProxyOut{}
	}
	return systemProxyOut{Configured: true, Interface: some(o.Service), Original: some(o.Before)}
}

// restoredOut is what quern tells when they are put back.
type restoredOut struct {
	Restored  bool    `json:"restored"`
	Interface *string `json:"interface"`
	To        *string `json:"restored_to"`
}

// configureIn is quern's input.
type configureIn struct {
	Interface op.Address `json:"interface,omitempty" doc:"network service, such as Wi-Fi; absent: the one that is used"`
}

func (v views) configureSystemProxy(ctx context.Context, c *op.Call, in configureIn) (systemProxyOut, error) {
	now, err := v.core.Network.State(ctx, c)
	if err != nil {
		return systemProxyOut{}, err
	}
	if now.Host != nil {
		return systemProxyOut{}, fault.New(fault.ProxyRunning, "the proxy of %s is set to ours already", now.Host.Service).
			WithHint("there is nothing to do; `ios-agent proxy stop` puts it back")
	}
	o, err := v.core.Network.System(ctx, c, true, string(in.Interface))
	return systemProxyOf(o.Host), err
}

func (v views) unconfigureSystemProxy(ctx context.Context, c *op.Call, _ noIn) (restoredOut, error) {
	now, err := v.core.Network.State(ctx, c)
	if err != nil {
		return restoredOut{}, err
	}
	if now.Host == nil {
		return restoredOut{}, fault.New(fault.ProxyNotRunning, "the Mac's proxy is not set to ours").
			WithHint("there is nothing to put back; `ios-agent proxy status` tells how it is")
	}
	o, err := v.core.Network.System(ctx, c, false, "")
	return restored(now, o), err
}

// restored is what was put back between two looks.
func restored(before, after network.ProxyOut) restoredOut {
	if before.Host == nil || after.Host != nil {
		return restoredOut{}
	}
	return restoredOut{Restored: true, Interface: some(before.Host.Service), To: some(before.Host.Before)}
}

// instead are the statuses of quern's with another one for a proxy that does not run, where its clients know that.
func instead(name string, status int) *op.Statuses {
	s := Statuses()
	s.Name += name
	s.Codes = maps.Clone(s.Codes)
	s.Codes[fault.ProxyNotRunning] = status
	return s
}

// notRunning are the statuses of a row: nothing to stop or to put back is a conflict, a certificate that is not made yet is not found.
func notRunning(row string) *op.Statuses {
	switch row {
	case stopProxy.Name, unconfigureSystemProxy.Name:
		return instead("Stop", http.StatusConflict)
	case getProxyCert.Name:
		return instead("Cert", http.StatusNotFound)
	}
	return Statuses()
}
