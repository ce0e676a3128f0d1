package drivertest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// The first word of a cell of the matrix.
const (
	onReal   = "yes"
	onDouble = "double"
	lacking  = "no: "
)

// matrixHead stands above the table of the support matrix.
const matrixHead = "# What works where\n\n" +
	"Two tables: the abilities of each driver, tried with the Conformance app; and facts about systems, Xcodes, devices and kinds of\n" +
	"apps. Tests write both (`test/drivertest`, `drivertest/compat.go`). [drivers.md](drivers.md) says which driver drives, and how to\n" +
	"choose another.\n\n" +
	"## Drivers\n\n" +
	"- **yes**: tried on the real thing.\n" +
	"- **double**: tried on a stand-in (Virtual Xcode, or an app in memory), and not on a Mac yet.\n" +
	"- **no**: the message that the caller gets, and what to use instead.\n\n" +
	"A chosen driver alone reads the screen and sends input. If it lacks another ability, the driver that lists the device provides it.\n\n"

// CheckMatrix fails unless the support matrix in a file has the rows of the contract and a driver's column says what Run
// returned. Of what the driver cannot do it tells what does it instead. With update it writes the file.
func CheckMatrix(t *testing.T, file, driver string, rows []Row, others []Substitute, update bool) {
	t.Helper()
	was, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for i, r := range rows {
		other := instead(others, r.Ability)
		if strings.HasPrefix(r.Says, lacking) && other == "" {
			t.Errorf("%s lacks %q, and nobody says what does it instead", driver, r.Ability)
		}
		if strings.HasPrefix(r.Says, lacking) {
			rows[i].Says += "; instead: " + other
		}
	}
	now := readMatrix(string(was)).with(driver, rows).markdown() + compatText()
	if update {
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(was) != now {
		t.Errorf("%s is not what the contract says (go test -update writes it):\n%s", file, now)
	}
}

// matrix is what each driver says to each ability. Every row has a cell for every driver.
type matrix struct {
	drivers   []string
	abilities []string
	cells     map[string]map[string]string // by driver and ability
}

// readMatrix reads the table of a file that was written before.
func readMatrix(text string) matrix {
	m := matrix{cells: map[string]map[string]string{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(m.abilities) > 0 && !strings.HasPrefix(line, "|") {
			break // what follows is another table
		}
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if m.drivers == nil {
			m.drivers = cells[1:]
			continue
		}
		m.abilities = append(m.abilities, cells[0])
		for i, driver := range m.drivers {
			m.set(driver, cells[0], cells[min(i+1, len(cells)-1)])
		}
	}
	return m
}

func (m matrix) set(driver, ability, says string) {
	if m.cells[driver] == nil {
		m.cells[driver] = map[string]string{}
	}
	m.cells[driver][ability] = says
}

// with is the matrix with another column for a driver. The rows are the contract's, in its order.
func (m matrix) with(driver string, rows []Row) matrix {
	if !slices.Contains(m.drivers, driver) {
		m.drivers = append(m.drivers, driver)
		slices.SortFunc(m.drivers, func(a, b string) int { return strings.Compare(b, a) }) // xctest, which can do most, comes first
	}
	m.abilities = nil
	delete(m.cells, driver)
	for _, r := range rows {
		m.abilities = append(m.abilities, r.Ability)
		m.set(driver, r.Ability, r.Says)
	}
	return m
}

func (m matrix) markdown() string {
	out := strings.Builder{}
	out.WriteString(matrixHead)
	fmt.Fprintf(&out, "| ability | %s |\n|---|%s\n", strings.Join(m.drivers, " | "), strings.Repeat("---|", len(m.drivers)))
	for _, ability := range m.abilities {
		fmt.Fprintf(&out, "| %s", ability)
		for _, driver := range m.drivers {
			fmt.Fprintf(&out, " | %s", m.cells[driver][ability])
		}
		out.WriteString(" |\n")
	}
	return out.String()
}
