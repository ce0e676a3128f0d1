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

bool IosAgentHas(const void *object, const char *key) {
    NSObject *it = (__bridge NSObject *)object;
    return [it respondsToSelector:NSSelectorFromString([NSString stringWithUTF8String:key])];
}

bool IosAgentFlag(const void *object, const char *key) {
    if (!IosAgentHas(object, key)) {
        return false;
    }
    @try {
        id value = [(__bridge NSObject *)object valueForKey:[NSString stringWithUTF8String:key]];
        return [value isKindOfClass:[NSNumber class]] && [value boolValue];
    } @catch (NSException *exception) {
        return false;
    }
}

bool IosAgentSet(const void *object, const char *key, int value) {
    // The number goes in by its key: handed to the setter as an object it would be taken for the address of one.
    NSString *name = [NSString stringWithUTF8String:key];
    NSString *first = [[name substringToIndex:1] uppercaseString];
    NSString *setter = [NSString stringWithFormat:@"set%@%@:", first, [name substringFromIndex:1]];
    NSObject *it = (__bridge NSObject *)object;
    if (![it respondsToSelector:NSSelectorFromString(setter)]) {
        return false;
    }
    @try {
        [it setValue:[NSNumber numberWithInt:value] forKey:name];
        return true;
    } @catch (NSException *exception) {
        return false;
    }
}
