package xcresult

import "ios-agent/internal/apple/jsondoc"

// Each type takes the fields it knows and keeps the others.

// UnmarshalJSON keeps what is not understood.
func (v *Summary) UnmarshalJSON(b []byte) error {
	type plain Summary
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Summary) MarshalJSON() ([]byte, error) {
	type plain Summary
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *TestFailure) UnmarshalJSON(b []byte) error {
	type plain TestFailure
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v TestFailure) MarshalJSON() ([]byte, error) {
	type plain TestFailure
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Insight) UnmarshalJSON(b []byte) error {
	type plain Insight
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Insight) MarshalJSON() ([]byte, error) {
	type plain Insight
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Statistic) UnmarshalJSON(b []byte) error {
	type plain Statistic
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Statistic) MarshalJSON() ([]byte, error) {
	type plain Statistic
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Run) UnmarshalJSON(b []byte) error {
	type plain Run
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Run) MarshalJSON() ([]byte, error) {
	type plain Run
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Device) UnmarshalJSON(b []byte) error {
	type plain Device
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Device) MarshalJSON() ([]byte, error) {
	type plain Device
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Tests) UnmarshalJSON(b []byte) error {
	type plain Tests
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Tests) MarshalJSON() ([]byte, error) {
	type plain Tests
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Node) UnmarshalJSON(b []byte) error {
	type plain Node
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Node) MarshalJSON() ([]byte, error) {
	type plain Node
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Details) UnmarshalJSON(b []byte) error {
	type plain Details
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Details) MarshalJSON() ([]byte, error) {
	type plain Details
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Activities) UnmarshalJSON(b []byte) error {
	type plain Activities
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Activities) MarshalJSON() ([]byte, error) {
	type plain Activities
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *ActivityRun) UnmarshalJSON(b []byte) error {
	type plain ActivityRun
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v ActivityRun) MarshalJSON() ([]byte, error) {
	type plain ActivityRun
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Activity) UnmarshalJSON(b []byte) error {
	type plain Activity
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Activity) MarshalJSON() ([]byte, error) {
	type plain Activity
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Attachment) UnmarshalJSON(b []byte) error {
	type plain Attachment
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Attachment) MarshalJSON() ([]byte, error) {
	type plain Attachment
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Build) UnmarshalJSON(b []byte) error {
	type plain Build
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Build) MarshalJSON() ([]byte, error) {
	type plain Build
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Issue) UnmarshalJSON(b []byte) error {
	type plain Issue
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Issue) MarshalJSON() ([]byte, error) {
	type plain Issue
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *TestMetrics) UnmarshalJSON(b []byte) error {
	type plain TestMetrics
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v TestMetrics) MarshalJSON() ([]byte, error) {
	type plain TestMetrics
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *MetricRun) UnmarshalJSON(b []byte) error {
	type plain MetricRun
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v MetricRun) MarshalJSON() ([]byte, error) {
	type plain MetricRun
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Metric) UnmarshalJSON(b []byte) error {
	type plain Metric
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Metric) MarshalJSON() ([]byte, error) {
	type plain Metric
	return jsondoc.From(plain(v), v.Extra)
}

// MarshalJSON writes that again.
func (v Coverage) MarshalJSON() ([]byte, error) {
	type plain Coverage
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *TargetCoverage) UnmarshalJSON(b []byte) error {
	type plain TargetCoverage
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v TargetCoverage) MarshalJSON() ([]byte, error) {
	type plain TargetCoverage
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *SourceCoverage) UnmarshalJSON(b []byte) error {
	type plain SourceCoverage
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v SourceCoverage) MarshalJSON() ([]byte, error) {
	type plain SourceCoverage
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *FunctionCoverage) UnmarshalJSON(b []byte) error {
	type plain FunctionCoverage
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v FunctionCoverage) MarshalJSON() ([]byte, error) {
	type plain FunctionCoverage
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *LineCoverage) UnmarshalJSON(b []byte) error {
	type plain LineCoverage
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v LineCoverage) MarshalJSON() ([]byte, error) {
	type plain LineCoverage
	return jsondoc.From(plain(v), v.Extra)
}
