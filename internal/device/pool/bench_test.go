package pool_test

import (
	"fmt"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
)

// BenchmarkResolve is one of a thousand devices, half of which are taken.
func BenchmarkResolve(b *testing.B) {
	f := &farm{}
	for i := range 1000 {
		f.infos = append(f.infos, sim(fmt.Sprintf("%08d", i), fmt.Sprint("iPhone ", i%40), fmt.Sprintf("iOS 18.%d", i%7), device.Booted))
	}
	p := pool.New(pool.Options{Drivers: []device.Driver{f}})
	if _, _, err := p.Acquire(b.Context(), pool.Ask{Holder: "others", Count: 500}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		grants, _, err := p.Acquire(b.Context(), pool.Ask{Holder: "bench", On: true, Want: pool.Want{OS: "18"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Release(b.Context(), lease.Who{Holder: "bench"}, grants[0].Info.UDID, ""); err != nil {
			b.Fatal(err)
		}
	}
}
