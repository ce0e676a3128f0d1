#import "AgentObjC.h"

#import <Foundation/Foundation.h>
#include <string.h>

char *IosAgentCatch(void (^block)(void) __attribute__((noescape))) {
    @try {
        block();
        return NULL;
    } @catch (NSException *exception) {
        NSString *text = exception.reason.length > 0 ? exception.reason : exception.name;
        return strdup(text.UTF8String ?: "an exception without a word");
    }
}

bool IosAgentSkipQuiescence(const void *app) {
    // Bit 0 skips the wait before an event, bit 1 the one after it. The number goes in by its key: handed to the setter
    // as an object it would be taken for the address of one.
    NSString *key = @"currentInteractionOptions";
    NSObject *object = (__bridge NSObject *)app;
    if (![object respondsToSelector:NSSelectorFromString(@"setCurrentInteractionOptions:")]) {
        return false;
    }
    @try {
        [object setValue:@3 forKey:key];
        return true;
    } @catch (NSException *exception) {
        return false;
    }
}
