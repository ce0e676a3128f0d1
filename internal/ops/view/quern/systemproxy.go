package quern

import (
	"context"
	"maps"
	"net/http"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/network"
)

// systemProxyOut is quern's state of the Mac's proxy settings.
type systemProxyOut struct {
	Configured bool    `json:"configured"`
	Interface  *string `json:"interface"`
	Original   *string `json:"original_state"` // the settings to restore
}

func systemProxyOf(o *network.HostProxyOut) systemProxyOut {
	if o == nil {
		return systemProxyOut{}
	}
	return systemProxyOut{Configured: true, Interface: some(o.Service), Original: some(o.Before)}
}

// restoredOut is quern's answer about restored settings.
type restoredOut struct {
	Restored  bool    `json:"restored"`
	Interface *string `json:"interface"`
	To        *string `json:"restored_to"`
}

// configureIn is quern's input.
type configureIn struct {
	Interface op.Address `json:"interface,omitempty" doc:"network service, such as Wi-Fi (default: the active one)"`
}

func (v views) configureSystemProxy(ctx context.Context, c *op.Call, in configureIn) (systemProxyOut, error) {
	now, err := v.core.Network.State(ctx, c)
	if err != nil {
		return systemProxyOut{}, err
	}
	if now.Host != nil {
		return systemProxyOut{}, fault.New(fault.ProxyRunning, "%s already uses this proxy", now.Host.Service).
			WithHint("%s restores the earlier settings", hint.Do(unconfigureSystemProxy.FullName()))
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
		return restoredOut{}, fault.New(fault.ProxyNotRunning, "the Mac does not use this proxy").
			WithHint("%s shows the Mac's proxy", hint.Do(proxyStatus.FullName()))
	}
	o, err := v.core.Network.System(ctx, c, false, "")
	return restored(now, o), err
}

// restored are the settings that were restored between two states.
func restored(before, after network.ProxyOut) restoredOut {
	if before.Host == nil || after.Host != nil {
		return restoredOut{}
	}
	return restoredOut{Restored: true, Interface: some(before.Host.Service), To: some(before.Host.Before)}
}

// instead are quern's statuses with another status for a proxy that is not running.
func instead(name string, status int) *op.Statuses {
	s := Statuses()
	s.Name += name
	s.Codes = maps.Clone(s.Codes)
	s.Codes[fault.ProxyNotRunning] = status
	return s
}

// notRunning are the statuses of a tool: 409 without a proxy to stop or settings to restore, 404 without a certificate.
func notRunning(row string) *op.Statuses {
	switch row {
	case stopProxy.Name, unconfigureSystemProxy.Name:
		return instead("Stop", http.StatusConflict)
	case getProxyCert.Name:
		return instead("Cert", http.StatusNotFound)
	}
	return Statuses()
}
