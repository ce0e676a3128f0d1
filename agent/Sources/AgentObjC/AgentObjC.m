#import "AgentObjC.h"

#import <Foundation/Foundation.h>
#import <objc/runtime.h>
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

bool IosAgentTakeIssues(const void *object, const char *selector, void (^take)(const char *text)) {
    Class type = object_getClass((__bridge id)object);
    SEL name = sel_registerName(selector);
    Method method = class_getInstanceMethod(type, name);
    if (method == NULL) {
        return false;
    }
    // The method may have further arguments, such as the caught error. The block does not read them.
    IMP replacement = imp_implementationWithBlock(^(id self, id issue) {
        NSString *text = nil;
        @try {
            text = [issue valueForKey:@"compactDescription"];
        } @catch (NSException *exception) {
            text = exception.reason;
        }
        take(text.UTF8String ?: "an issue without a description");
    });
    class_replaceMethod(type, name, replacement, method_getTypeEncoding(method));
    return true;
}
