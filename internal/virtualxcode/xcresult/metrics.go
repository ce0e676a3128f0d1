package xcresult

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
)

// metrics is: get test-results metrics, of one test or suite, or of all tests with measurements.
func metrics(b Bundle, q query) (any, error) {
	all := array{}
	found := q.testID == ""
	for c := range b.cases() {
		named := q.testID == "" || b.names(c, q.testID) || q.testID == c.suite.Name
		found = found || named
		if !named || len(c.Measures) == 0 {
			continue
		}
		all = append(all, object{"testIdentifier": c.identifier(), "testIdentifierURL": b.caseURL(c), "testRuns": array{object{
			"device":  object{"deviceId": b.Device.ID, "deviceName": b.Device.Name},
			"metrics": array{clockMetric(c.Measures)}, "testPlanConfiguration": configuration()}}})
	}
	if !found {
		return nil, notFound(q)
	}
	return all, nil
}

// clockMetric is the only metric: time.
func clockMetric(values []float64) object {
	return object{"baselineAverage": 0, "baselineName": "", "displayName": "Time",
		"identifier":           "com.apple.XCTPerformanceMetric_WallClockTime",
		"maxPercentRegression": 10, "maxPercentRelativeStandardDeviation": 10, "maxRegression": 0.1, "maxStandardDeviation": 10,
		"measurements": list(values, func(v float64) any { return v }), "polarity": "prefers smaller", "unitOfMeasurement": "seconds"}
}

// exportMetrics writes a table for each test with measurements, and a manifest.
func exportMetrics(t Tool, q query) error {
	b, err := Read(q.abs(q.path))
	if err != nil {
		return err
	}
	to := q.abs(q.output)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	manifest := array{}
	for c := range b.cases() {
		if len(c.Measures) == 0 || q.testID != "" && !b.names(c, q.testID) {
			continue
		}
		name := strings.NewReplacer("/", "_", "(", "", ")", "").Replace(c.identifier()) + ".csv"
		text := "metric,unit,iteration,value\n"
		for i, v := range c.Measures {
			text += fmt.Sprintf("Time,seconds,%d,%g\n", i+1, v)
		}
		if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o644); err != nil {
			return err
		}
		manifest = append(manifest, object{"metricsFileName": name, "testIdentifier": c.identifier(), "testIdentifierURL": b.caseURL(c)})
	}
	return os.WriteFile(filepath.Join(to, "manifest.json"), []byte(applejson.Style{PlainSlashes: true}.Encode(manifest)), 0o644)
}

// availability is: get content-availability.
func availability(b Bundle, _ query) (any, error) {
	logs := array{}
	for _, kind := range b.logKinds() {
		logs = append(logs, kind)
	}
	return object{"hasCoverage": b.HasCoverage, "hasDiagnostics": b.Tested, "hasTestResults": len(b.Tests) > 0, "logs": logs}, nil
}
