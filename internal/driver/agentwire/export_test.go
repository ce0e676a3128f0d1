package agentwire

// SetVersion has the client speak a version as after a Welcome.
func (c *Client) SetVersion(v uint16) { c.conn.SetVersion(v) }
