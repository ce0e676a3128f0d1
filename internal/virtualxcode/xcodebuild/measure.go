package xcodebuild

import (
	"fmt"
	"math"
	"strings"
)

// The clock metric of every measure block.
const clockMetric = "com.apple.XCTPerformanceMetric_WallClockTime"

// measured is the line of a test that measured something.
func (t testCase) measured(id string) string {
	average, deviation := statistics(t.Measures)
	values := make([]string, len(t.Measures))
	for i, v := range t.Measures {
		values[i] = fmt.Sprintf("%.6f", v)
	}
	return fmt.Sprintf("%s:%d: Test Case '%s' measured [Time, seconds] average: %.3f, relative standard deviation: %.3f%%, values: "+
		"[%s], performanceMetricID:%s, baselineName: \"\", baselineAverage: , polarity: prefers smaller, maxPercentRegression: "+
		"10.000%%, maxPercentRelativeStandardDeviation: 10.000%%, maxRegression: 0.100, maxStandardDeviation: 0.100",
		t.File, t.MeasureLine, id, average, deviation, strings.Join(values, ", "), clockMetric)
}

// statistics are the mean and the standard deviation relative to it, in per cent.
func statistics(values []float64) (average, deviation float64) {
	for _, v := range values {
		average += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - average) * (v - average) / float64(len(values))
	}
	if average == 0 {
		return 0, 0
	}
	return average, 100 * math.Sqrt(deviation) / average
}
