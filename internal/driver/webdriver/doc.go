// Package webdriver speaks W3C WebDriver, and what WebDriverAgent and Appium add to it, as a client over HTTP. It knows sessions,
// errors, element ids and the JSON of touches; it knows no devices and no routes of one server.
//
// A Client keeps one connection alive and may be used by several goroutines. Do sends one Request and gives the value of the answer:
//
//	c, err := webdriver.New(webdriver.Options{URL: "http://127.0.0.1:8100"})
//	s, err := c.NewSession(ctx, map[string]any{"bundleId": "com.example.Shop"})
//	answer, err := c.Do(ctx, webdriver.Request{Method: "GET", Path: webdriver.Path("session", s.ID, "source")})
//	_, err = c.Do(ctx, webdriver.Act(webdriver.Path("session", s.ID, "actions"), webdriver.Perform(webdriver.Tap(at))))
//
// What can go wrong has three types, told apart with errors.As:
//
//   - *Error: the server answered no. Code is W3C's word for it, whichever protocol the server speaks; Refused tells whether that
//     means that nothing was done.
//   - *SendError: no answer came. A request that only reads was repeated once before, one that acts only if no byte of it had
//     left. Sent tells whether it may have arrived.
//   - *AnswerError: what answered is no WebDriver server, or its answer is too large.
//
// Fault makes of each the fault that a caller of a device gets: an input that may have arrived says Dispatched "unknown".
package webdriver
