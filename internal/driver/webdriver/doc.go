// Package webdriver is an HTTP client for W3C WebDriver and for the routes that WebDriverAgent and Appium add. It handles sessions,
// errors, element ids and the JSON of touches; it must not know devices or the routes of one server.
//
// A Client keeps one connection alive and may be used by several goroutines. Do sends one Request and returns the value of the answer:
//
//	c, err := webdriver.New(webdriver.Options{URL: "http://127.0.0.1:8100"})
//	s, err := c.NewSession(ctx, map[string]any{"bundleId": "com.example.Shop"})
//	answer, err := c.Do(ctx, webdriver.Request{Method: "GET", Path: webdriver.Path("session", s.ID, "source")})
//	_, err = c.Do(ctx, webdriver.Act(webdriver.Path("session", s.ID, "actions"), webdriver.Perform(webdriver.Tap(at))))
//
// Errors have three types, which errors.As distinguishes:
//
//   - *Error: the server refused or failed. Code is W3C's error code, whichever protocol the server speaks; Refused reports whether
//     the command did nothing.
//   - *SendError: no answer came. A request that only reads was repeated once before, a request that acts only if no byte of it had
//     been sent. Sent reports whether the command may have arrived.
//   - *AnswerError: the answer is not a WebDriver server's, or it is too large.
//
// Fault turns each into the fault that a caller of a device gets: an input that may have arrived has Dispatched "unknown".
package webdriver
