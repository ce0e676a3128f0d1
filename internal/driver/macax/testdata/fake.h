// A stand-in for Apple's frameworks on any system, for the tests of macax: Core Foundation with real retain counts, the accessibility of
// one small app, run loops, and events that are written down and reach the app. Signatures are those of Apple's headers.
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <errno.h>

typedef unsigned char Boolean;
typedef unsigned long CFTypeID;
typedef unsigned long CFHashCode;
typedef long CFIndex;
typedef struct { CFIndex location, length; } CFRange;
typedef struct { double x, y; } CGPoint;
typedef struct { double width, height; } CGSize;
typedef struct { CGPoint origin; CGSize size; } CGRect;

enum { TEXT = 7, NUMBER = 22, BOOLEAN = 21, ARRAY = 19, DICTIONARY = 18, DATA = 20, ELEMENT = 301, VALUE = 302, OBSERVER = 303,
       SOURCE = 304, LOOP = 305, EVENTSOURCE = 401, EVENT = 402, IMAGE = 403, PROVIDER = 404 };

typedef struct obj obj;
typedef void (*callback)(obj *observer, obj *element, obj *name, void *refcon);

// pending is a notification that was not delivered yet.
typedef struct pending { obj *element, *name; void *refcon; struct pending *next; } pending;

struct obj {
	int kind, fixed;
	atomic_int refs;
	union {
		struct { uint16_t *units; CFIndex n; } text;
		struct { int real; double f; int64_t i; } number;
		int truth;
		struct { obj **items; CFIndex n; } array; // of a dictionary: key, value, key, value
		struct { unsigned char *bytes; CFIndex n; } data;
		struct { int pid, node; } element;
		struct { uint32_t type; double a, b; int32_t error; } value;
		struct { int pid; callback call; obj *source; obj *names[64]; void *refcons[64]; int n; } observer;
		struct { obj *observer, *loop; pending *first, *last; } source;
		struct { obj *sources[8]; int n, running, stopped; pthread_cond_t woken; } loop;
		struct { uint32_t type; CGPoint at, local; uint32_t button; uint16_t key; int down; uint64_t flags; uint16_t text[64]; long n;
		         int64_t fields[128]; int32_t wheel[3]; } event;
		struct { int width, height; obj *provider; } image;
	} as;
};

typedef struct node {
	int id, parent, first, next, last; // of children and siblings
	const char *role, *subrole, *description, *identifier, *placeholder;
	const char *actions[4];
	char title[64], text[512];
	int valued; // 0, or TEXT, NUMBER, BOOLEAN, VALUE
	int real, truth;
	double number;
	int64_t integer;
	int disabled, settable, focusable, selected, minimized, placed;
	int dead, silent;
	double x, y, w, h;
} node;

extern pthread_mutex_t lock; // of all below; notifications are delivered without it
extern struct world {
	int pid, nodes, focus, trusted, capture, hung, hidden, modal, electron, shift, screen[8], screens;
	int cycle, single, perform_error, set_error, observer_error, notification_error;
	int pools, pushed, from, dragged, presses, manual;
	int64_t number; // of the last press of the mouse
	int active, stubborn, covered, asked_trust, asked_capture, lag, responsible, imageless;
	int session; // of the user at the screen: 0 none, 1 there, 2 locked
	int activating; // how often the state is read until the app is active
	uint32_t counter[32]; // of the system's events, by their type
	CGPoint pointer;
	struct timespec moved; // the last move of a drag
	float timeout;
	node node[24000];
} world;
extern int undelivered;    // notifications
extern atomic_int downs;   // presses of buttons and keys that were posted
extern char told[1 << 20]; // what happened, a line each
extern char wrong[4096];   // what must not happen

obj *make(int kind);
obj *text(const char *s);
obj *number(double f);
obj *integer(int64_t i);
obj *truth(int is);
obj *array(CFIndex n);
extern obj *kCFBooleanTrue;
obj *is(obj *o, int kind, const char *who);
void violation(const char *format, ...);
void say(const char *format, ...);
char *utf8(obj *o, char *into, size_t n);
char *utf8_of(const uint16_t *units, CFIndex n, char *into, size_t size);
void notify(const char *name, int id);
node *get(int id);
void press(node *n);
void forget(obj *observer);
void CFRelease(obj *o);
obj *CFRetain(obj *o);
Boolean CFEqual(obj *a, obj *b);
