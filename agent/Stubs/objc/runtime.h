// What AgentObjC uses of Apple's Objective-C runtime, so that its syntax and types can be checked elsewhere.
#pragma once
#include <Foundation/Foundation.h>

typedef void (*IMP)(void);
typedef struct objc_method *Method;

Class object_getClass(id object);
SEL sel_registerName(const char *name);
Method class_getInstanceMethod(Class type, SEL name);
const char *method_getTypeEncoding(Method method);
IMP imp_implementationWithBlock(id block);
IMP class_replaceMethod(Class type, SEL name, IMP implementation, const char *types);
