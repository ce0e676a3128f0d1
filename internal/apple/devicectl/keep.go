package devicectl

import "ios-agent/internal/apple/jsondoc"

// Each type takes the fields it knows and keeps the others.

// UnmarshalJSON keeps what is not understood.
func (v *Output) UnmarshalJSON(b []byte) error {
	type plain Output
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Output) MarshalJSON() ([]byte, error) {
	type plain Output
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Info) UnmarshalJSON(b []byte) error {
	type plain Info
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Info) MarshalJSON() ([]byte, error) {
	type plain Info
	return jsondoc.From(plain(v), v.Extra)
}

// MarshalJSON writes that again.
func (v Result) MarshalJSON() ([]byte, error) {
	type plain Result
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
func (v *Connection) UnmarshalJSON(b []byte) error {
	type plain Connection
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Connection) MarshalJSON() ([]byte, error) {
	type plain Connection
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Properties) UnmarshalJSON(b []byte) error {
	type plain Properties
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Properties) MarshalJSON() ([]byte, error) {
	type plain Properties
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Hardware) UnmarshalJSON(b []byte) error {
	type plain Hardware
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Hardware) MarshalJSON() ([]byte, error) {
	type plain Hardware
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *App) UnmarshalJSON(b []byte) error {
	type plain App
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v App) MarshalJSON() ([]byte, error) {
	type plain App
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Process) UnmarshalJSON(b []byte) error {
	type plain Process
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Process) MarshalJSON() ([]byte, error) {
	type plain Process
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Installed) UnmarshalJSON(b []byte) error {
	type plain Installed
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Installed) MarshalJSON() ([]byte, error) {
	type plain Installed
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *Error) UnmarshalJSON(b []byte) error {
	type plain Error
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v Error) MarshalJSON() ([]byte, error) {
	type plain Error
	return jsondoc.From(plain(v), v.Extra)
}

// UnmarshalJSON keeps what is not understood.
func (v *UserInfo) UnmarshalJSON(b []byte) error {
	type plain UserInfo
	return jsondoc.Into(b, (*plain)(v), &v.Extra)
}

// MarshalJSON writes that again.
func (v UserInfo) MarshalJSON() ([]byte, error) {
	type plain UserInfo
	return jsondoc.From(plain(v), v.Extra)
}
