// What only Objective-C can do. The header is plain C, so that Swift sees the same on every system.
#ifndef AGENT_OBJC_H
#define AGENT_OBJC_H

#include <stdbool.h>

/// Runs block. Returns NULL, or what an exception thrown in it says, to be freed by the caller. XCUITest throws where an
/// element is gone; Swift cannot catch that, and the whole runner would die.
char *_Nullable IosAgentCatch(void (^_Nonnull block)(void) __attribute__((noescape)));

/// Whether an object has a property of this name, which no header declares.
bool IosAgentHas(const void *_Nonnull object, const char *_Nonnull key);

/// The value of such a property; false where there is none.
bool IosAgentFlag(const void *_Nonnull object, const char *_Nonnull key);

/// Gives such a property a value. Returns whether the object has it.
bool IosAgentSet(const void *_Nonnull object, const char *_Nonnull key, int value);

/// Replaces a method of the object's class, which no header declares, and whose first argument is an issue of a test: take
/// gets the issue's description, and nothing else happens. Returns whether the object has the method.
bool IosAgentTakeIssues(
    const void *_Nonnull object, const char *_Nonnull selector, void (^_Nonnull take)(const char *_Nonnull text));

#endif
