// What only Objective-C can do. The header is plain C, so that Swift sees the same on every system.
#ifndef AGENT_OBJC_H
#define AGENT_OBJC_H

#include <stdbool.h>

/// Runs block. Returns NULL, or what an exception thrown in it says, to be freed by the caller. XCUITest throws where an
/// element is gone; Swift cannot catch that, and the whole runner would die.
char *_Nullable IosAgentCatch(void (^_Nonnull block)(void) __attribute__((noescape)));

/// Tells an XCUIApplication not to wait, before and after each event, until the app is idle: one that shows a spinner
/// never is. There is no public way. Returns whether this XCTest still has the private one.
bool IosAgentSkipQuiescence(const void *_Nonnull app);

#endif
