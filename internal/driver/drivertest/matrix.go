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

// matrixHead stands above the table of the support matrix.
const matrixHead = "# What drivers can do\n\n" +
	"Written by the driver contract (`internal/driver/drivertest`): each ability was tried on the Conformance app, over Virtual\n" +
	"Xcode, not over a Mac; those of deskapp on an app in memory that does the same. Where a driver lacks an ability, the text after\n" +
	"\"no\" is what a caller is told.\n\n"

// CheckMatrix fails unless the support matrix in a file has the rows of the contract and a driver's column says what Run
// returned. With update it writes the file instead.
func CheckMatrix(t *testing.T, file, driver string, rows []Row, update bool) {
	t.Helper()
	was, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	now := readMatrix(string(was)).with(driver, rows).markdown()
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

// with is the matrix with a driver's column replaced. The rows are those of the contract, in its order.
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
