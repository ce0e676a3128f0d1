package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// ticking begins the identifiers of what changes by itself in a generated app.
const ticking = "tick-"

// generated is an app made by chance: screens of controls, some of which act late, cover the screen, or end the app.
type generated struct {
	bundle, scheme string
	screens        int
	ui             string
}

// madeApps is how many there are on a walk.
const madeApps = 2

func bundle(number int) string { return fmt.Sprintf("com.example.made%d", number) }

func scheme(number int) string { return fmt.Sprintf("made%d", number) }

// generate makes an app. The same chance makes the same app.
func generate(number int, r *rand.Rand) generated {
	g := generated{bundle: bundle(number), scheme: scheme(number), screens: 3 + r.IntN(3)}
	var b strings.Builder
	fmt.Fprint(&b, "start: s0\n",
		`state: {a: 0, b: 0, c: 0, ticks: 0, one: "", two: "", note: "", find: "", on: false, off: true, late: false, volume: 40, `,
		"number: 3, size: S, part: 0}\nopen:\n")
	for i := range g.screens {
		fmt.Fprintf(&b, "  %q: [{go: s%d}]\n", fmt.Sprintf("%s://s%d", g.scheme, i), i)
	}
	fmt.Fprint(&b, "screens:\n")
	for i := range g.screens {
		m := maker{Rand: r, app: g, screen: i}
		m.write(&b)
	}
	g.ui = b.String()
	return g
}

// maker makes one screen.
type maker struct {
	*rand.Rand
	app    generated
	screen int
	made   int
}

func (m *maker) write(b *strings.Builder) {
	fmt.Fprintf(b, "  s%d:\n    title: Page %d\n    scroll: %t\n", m.screen, m.screen, m.IntN(2) == 0)
	if m.IntN(5) == 0 {
		fmt.Fprintf(b, "    appear: [{every: {seconds: %g, name: clock, do: [{add: {ticks: 1}}]}}]\n", m.one(1.0, 1.0, 0.1))
	} else if m.IntN(3) == 0 {
		fmt.Fprintf(b, "    appear: [{every: {seconds: %.1f, name: blink, do: [{flip: late}]}}]\n", 2+3*m.Float64())
	}
	fmt.Fprint(b, "    elements:\n")
	if m.IntN(3) == 0 { // what comes late moves all below
		fmt.Fprint(b, "      - {text: Late, id: ", m.id(), ", visible: {late: true}}\n")
	}
	fmt.Fprint(b, "      - {button: Close, id: ", m.id(), ", do: [{dismiss: true}, {back: true}]}\n")
	for range 4 + m.IntN(5) {
		fmt.Fprint(b, "      - ", m.element(), "\n")
	}
}

func (m *maker) one(of ...float64) float64 { return of[m.IntN(len(of))] }

// id is an identifier that no other element of the app has.
func (m *maker) id() string {
	m.made++
	return fmt.Sprintf("%s-%d-%d", m.app.scheme, m.screen, m.made)
}

func (m *maker) element() string {
	id, other := m.id(), m.IntN(m.app.screens)
	kinds := []string{
		fmt.Sprintf(`{text: "Counts {a} {b} {c}", id: %s}`, id),
		fmt.Sprintf(`{text: "Ticks {ticks}", id: %s%s}`, ticking, id),
		fmt.Sprintf(`{text: Late, id: %s, visible: {late: true}}`, id),
		fmt.Sprintf(`{button: Count, id: %s, do: [{add: {a: 1}}]}`, id),
		fmt.Sprintf(`{button: Count later, id: %s, do: [{after: {seconds: %.2f, do: [{add: {b: 1}}]}}]}`, id, m.one(0.1, 0.3, 0.6, 0.9, 1.5, 3)),
		fmt.Sprintf(`{button: Dead, id: %s, do: []}`, id),
		fmt.Sprintf(`{button: Page %d, id: %s, do: [{go: s%d}]}`, other, id, other),
		fmt.Sprintf(`{button: Sheet %d, id: %s, do: [{sheet: s%d}]}`, other, id, other),
		fmt.Sprintf(`{button: Ask, id: %s, do: [{alert: {title: Really?, message: Think, buttons: [{button: Yes, do: [{add: {c: 1}}]}, `+
			`{button: No, style: cancel}]}}]}`, id),
		fmt.Sprintf(`{button: Ask later, id: %s, do: [{after: {seconds: %.1f, do: [{alert: {title: Late}}]}}]}`, id, m.one(0.2, 0.7, 1.2, 2)),
		fmt.Sprintf(`{button: Choose, id: %s, do: [{confirm: {title: Which?, buttons: [{button: This, do: [{add: {a: 1}}]}]}}]}`, id),
		fmt.Sprintf(`{button: Crash, id: %s, do: [{crash: asked to}]}`, id),
		`{row: [{button: Twin, do: [{add: {a: 1}}]}, {button: Twin, do: [{add: {b: 1}}]}]}`,
		fmt.Sprintf(`{field: One, id: %s, bind: one}`, id),
		fmt.Sprintf(`{secure: Two, id: %s, bind: two}`, id),
		fmt.Sprintf(`{search: Find, id: %s, bind: find}`, id),
		fmt.Sprintf(`{editor: Note, id: %s, bind: note, height: 60}`, id),
		fmt.Sprintf(`{toggle: On, id: %s, bind: on}`, id),
		fmt.Sprintf(`{toggle: Off, id: %s, bind: off, do: [{after: {seconds: %.1f, do: [{flip: late}]}}]}`, id, m.one(0, 0.4, 0.8)),
		fmt.Sprintf(`{slider: Volume, id: %s, bind: volume, min: 0, max: 100}`, id),
		fmt.Sprintf(`{stepper: Number, id: %s, bind: number, min: 0, max: 9}`, id),
		fmt.Sprintf(`{segmented: Size, id: %s, bind: size, options: [S, M, L]}`, id),
		fmt.Sprintf(`{spinner: "", id: %s}`, id),
		fmt.Sprintf(`{progress: Download, id: %s, bind: part, min: 0, max: 10}`, id),
		fmt.Sprintf(`{link: Read, id: %s, do: [{add: {c: 1}}]}`, id),
		fmt.Sprintf(`{area: Hold, id: %s, height: 44, hold: {seconds: 1, do: [{add: {a: 1}}]}, double: [{add: {b: 1}}]}`, id),
		fmt.Sprintf(`{button: Wait, id: %s, do: [{flip: late}, {after: {seconds: %.1f, do: [{flip: late}]}}]}`, id, m.one(0.3, 0.8, 1.4)),
		fmt.Sprintf(`{id: %s, height: 170, list: [{repeat: {count: 20, each: {button: "Row {index}", id: "%s-{index}", do: [{add: {c: 1}}]}}}]}`,
			id, id),
	}
	return kinds[m.IntN(len(kinds))]
}

// write puts the app into a folder, as Xcode does.
func (g generated) write(dir string) (path string, err error) {
	path = filepath.Join(dir, g.scheme+".app")
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", err
	}
	plist := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>` + g.bundle + `</string></dict></plist>`
	if err := os.WriteFile(filepath.Join(path, "Info.plist"), []byte(plist), 0o600); err != nil {
		return "", err
	}
	return path, os.WriteFile(filepath.Join(path, "ui.yaml"), []byte(g.ui), 0o600)
}
