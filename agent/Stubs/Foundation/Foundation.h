// What AgentObjC uses of Apple's Foundation, so that its syntax and types can be checked elsewhere.
#pragma once
#include <stdbool.h>

#define nil ((id)0)

typedef signed char BOOL;
typedef unsigned long NSUInteger;
typedef struct objc_selector *SEL;
@class NSString, NSNumber;

__attribute__((objc_root_class)) @interface NSObject
+ (Class)class;
- (BOOL)isKindOfClass:(Class)type;
- (BOOL)respondsToSelector:(SEL)selector;
- (id)valueForKey:(NSString *)key;
- (void)setValue:(id)value forKey:(NSString *)key;
@end

@interface NSString : NSObject
@property(readonly) NSUInteger length;
@property(readonly) const char *UTF8String;
@property(readonly, copy) NSString *uppercaseString;
+ (instancetype)stringWithUTF8String:(const char *)text;
+ (instancetype)stringWithFormat:(NSString *)format, ...;
- (NSString *)substringToIndex:(NSUInteger)to;
- (NSString *)substringFromIndex:(NSUInteger)from;
@end

@interface NSNumber : NSObject
@property(readonly) BOOL boolValue;
+ (NSNumber *)numberWithInt:(int)value;
@end

@interface NSException : NSObject
@property(readonly, copy) NSString *name;
@property(readonly, copy) NSString *reason;
@end

@interface NSConstantString : NSString
@end

SEL NSSelectorFromString(NSString *name);
