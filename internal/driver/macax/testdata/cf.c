#include "fake.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char told[1 << 20], wrong[4096];
static atomic_long made, ended;

void violation(const char *format, ...) {
	size_t n = strlen(wrong);
	va_list args;
	va_start(args, format);
	vsnprintf(wrong + n, sizeof wrong - n, format, args);
	va_end(args);
	n = strlen(wrong);
	if (n + 1 < sizeof wrong) strcpy(wrong + n, "\n");
}

void say(const char *format, ...) {
	size_t n = strlen(told);
	va_list args;
	va_start(args, format);
	vsnprintf(told + n, sizeof told - n - 1, format, args);
	va_end(args);
	strcat(told, "\n");
}

long fake_live(void) { return made - ended; }
long fake_made(void) { return made; }

obj *make(int kind) {
	int large = kind == EVENT || kind == OBSERVER;
	obj *o = calloc(1, large ? sizeof *o : offsetof(obj, as) + 48); // none is ever freed
	o->kind = kind;
	o->refs = 1;
	made++;
	return o;
}

// is finds out whether an object may be used here. What was released for the last time is never freed, so that its use is seen.
obj *is(obj *o, int kind, const char *who) {
	if (!o) violation("%s: NULL", who);
	else if (!o->fixed && o->refs <= 0) violation("%s: object of type %d was released", who, o->kind);
	else if (kind && o->kind != kind) violation("%s: type %d and not %d", who, o->kind, kind);
	return o;
}

obj *CFRetain(obj *o) {
	is(o, 0, "CFRetain");
	o->refs++;
	return o;
}

void CFRelease(obj *o) {
	is(o, 0, "CFRelease");
	if (!o || o->fixed || o->refs <= 0 || --o->refs > 0 || o->kind == LOOP) return;
	ended++;
	switch (o->kind) {
	case ARRAY: case DICTIONARY:
		for (CFIndex i = 0; i < o->as.array.n; i++) CFRelease(o->as.array.items[i]);
		free(o->as.array.items);
		break;
	case TEXT: free(o->as.text.units); break;
	case DATA: free(o->as.data.bytes); break;
	case IMAGE: CFRelease(o->as.image.provider); break;
	case OBSERVER:
		pthread_mutex_lock(&lock);
		if (o->as.observer.n) violation("an observer was released with %d notifications", o->as.observer.n);
		if (o->as.observer.source->as.source.loop) violation("an observer was released while its source is in a run loop");
		for (pending *p = o->as.observer.source->as.source.first; p; p = p->next) { CFRelease(p->element); CFRelease(p->name); undelivered--; }
		forget(o);
		pthread_mutex_unlock(&lock);
		CFRelease(o->as.observer.source);
		break;
	}
}

CFTypeID CFGetTypeID(obj *o) { return is(o, 0, "CFGetTypeID")->kind; }
CFTypeID CFStringGetTypeID(void) { return TEXT; }
CFTypeID CFNumberGetTypeID(void) { return NUMBER; }
CFTypeID CFBooleanGetTypeID(void) { return BOOLEAN; }
CFTypeID CFArrayGetTypeID(void) { return ARRAY; }

Boolean CFEqual(obj *a, obj *b) {
	is(a, 0, "CFEqual"), is(b, 0, "CFEqual");
	if (a == b) return 1;
	if (a->kind != b->kind) return 0;
	if (a->kind == TEXT) return a->as.text.n == b->as.text.n && !memcmp(a->as.text.units, b->as.text.units, 2 * a->as.text.n);
	if (a->kind == ELEMENT) return a->as.element.pid == b->as.element.pid && a->as.element.node == b->as.element.node;
	return 0;
}

CFHashCode CFHash(obj *o) {
	is(o, 0, "CFHash");
	if (o->kind != ELEMENT) return (CFHashCode)o;
	return o->as.element.node < 100 ? o->as.element.node % 7 : o->as.element.node; // different elements share one
}

obj *CFStringCreateWithBytes(void *alloc, const uint8_t *s, CFIndex n, uint32_t encoding, Boolean external) {
	if (alloc || encoding != 0x08000100 || external) violation("CFStringCreateWithBytes: %p %#x %d", alloc, encoding, external);
	obj *o = make(TEXT);
	uint16_t *u = o->as.text.units = malloc(2 * n + 2);
	for (CFIndex i = 0; i < n;) {
		uint32_t c = s[i++];
		int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
		if (more) c &= 0x3F >> more;
		while (more-- && i < n) c = c << 6 | (s[i++] & 0x3F);
		if (c >= 0x10000) {
			u[o->as.text.n++] = 0xD800 + ((c - 0x10000) >> 10);
			c = 0xDC00 + (c & 0x3FF);
		}
		u[o->as.text.n++] = c;
	}
	return o;
}

obj *text(const char *s) { return CFStringCreateWithBytes(0, (const uint8_t *)s, strlen(s), 0x08000100, 0); }

char *utf8_of(const uint16_t *u, CFIndex n, char *into, size_t size) {
	char *to = into;
	for (CFIndex i = 0; i < n && to + 5 < into + size; i++) {
		uint32_t c = u[i];
		if (c >= 0xD800 && c < 0xDC00) {
			if (i + 1 == n || (u[i + 1] & 0xFC00) != 0xDC00) { violation("half a surrogate pair"); continue; }
			c = 0x10000 + ((c - 0xD800) << 10) + (u[++i] - 0xDC00);
		} else if (c >= 0xDC00 && c < 0xE000) { violation("half a surrogate pair"); continue; }
		if (c < 0x80) *to++ = c;
		else if (c < 0x800) *to++ = 0xC0 | c >> 6, *to++ = 0x80 | (c & 0x3F);
		else if (c < 0x10000) *to++ = 0xE0 | c >> 12, *to++ = 0x80 | (c >> 6 & 0x3F), *to++ = 0x80 | (c & 0x3F);
		else *to++ = 0xF0 | c >> 18, *to++ = 0x80 | (c >> 12 & 0x3F), *to++ = 0x80 | (c >> 6 & 0x3F), *to++ = 0x80 | (c & 0x3F);
	}
	*to = 0;
	return into;
}

char *utf8(obj *o, char *into, size_t n) { return utf8_of(is(o, TEXT, "text")->as.text.units, o->as.text.n, into, n); }

CFIndex CFStringGetLength(obj *o) { return is(o, TEXT, "CFStringGetLength")->as.text.n; }
void CFStringGetCharacters(obj *o, CFRange r, uint16_t *into) {
	is(o, TEXT, "CFStringGetCharacters");
	if (r.location < 0 || r.location + r.length > o->as.text.n) violation("CFStringGetCharacters: beyond the end");
	else memcpy(into, o->as.text.units + r.location, 2 * r.length);
}

obj *number(double f) { obj *o = make(NUMBER); o->as.number.real = 1; o->as.number.f = f; o->as.number.i = (int64_t)f; return o; }
obj *integer(int64_t i) { obj *o = make(NUMBER); o->as.number.i = i; o->as.number.f = (double)i; return o; }
obj *CFNumberCreate(void *alloc, CFIndex type, const void *value) {
	if (alloc || type != 6) violation("CFNumberCreate: type %ld", type);
	return number(*(const double *)value);
}
Boolean CFNumberIsFloatType(obj *o) { return is(o, NUMBER, "CFNumberIsFloatType")->as.number.real; }
Boolean CFNumberGetValue(obj *o, CFIndex type, void *into) {
	is(o, NUMBER, "CFNumberGetValue");
	if (type == 6) *(double *)into = o->as.number.f;
	else if (type == 4) *(int64_t *)into = o->as.number.i;
	else violation("CFNumberGetValue: type %ld", type);
	return 1;
}

static obj yes = {.kind = BOOLEAN, .fixed = 1, .as.truth = 1}, no = {.kind = BOOLEAN, .fixed = 1};
obj *kCFBooleanTrue = &yes, *kCFBooleanFalse = &no;
obj *truth(int is) { return is ? &yes : &no; }
Boolean CFBooleanGetValue(obj *o) { return is(o, BOOLEAN, "CFBooleanGetValue")->as.truth; }

struct { CFIndex version; void *functions[4]; } kCFTypeArrayCallBacks;
obj *array(CFIndex n) {
	obj *o = make(ARRAY);
	o->as.array.items = calloc(n + 1, sizeof(obj *));
	o->as.array.n = n;
	return o;
}
obj *CFArrayCreate(void *alloc, obj **values, CFIndex n, const void *callbacks) {
	if (alloc || callbacks != &kCFTypeArrayCallBacks) violation("CFArrayCreate: without kCFTypeArrayCallBacks");
	obj *o = array(n);
	for (CFIndex i = 0; i < n; i++) o->as.array.items[i] = CFRetain(values[i]);
	return o;
}
struct { CFIndex version; void *functions[5]; } kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks;
obj *CFDictionaryCreate(void *alloc, obj **keys, obj **values, CFIndex n, const void *k, const void *v) {
	if (alloc || k != &kCFTypeDictionaryKeyCallBacks || v != &kCFTypeDictionaryValueCallBacks) violation("CFDictionaryCreate: without callbacks");
	obj *o = array(2 * n);
	o->kind = DICTIONARY;
	for (CFIndex i = 0; i < n; i++) o->as.array.items[2 * i] = CFRetain(keys[i]), o->as.array.items[2 * i + 1] = CFRetain(values[i]);
	return o;
}
CFIndex CFArrayGetCount(obj *o) { return is(o, ARRAY, "CFArrayGetCount")->as.array.n; }
void CFArrayGetValues(obj *o, CFRange r, obj **into) {
	is(o, ARRAY, "CFArrayGetValues");
	if (r.location < 0 || r.location + r.length > o->as.array.n) violation("CFArrayGetValues: %ld and %ld of %ld", r.location, r.length, o->as.array.n);
	else memcpy(into, o->as.array.items + r.location, sizeof(obj *) * r.length);
}
obj *CFDictionaryGetValue(obj *o, obj *key) {
	is(o, DICTIONARY, "CFDictionaryGetValue");
	for (CFIndex i = 0; i < o->as.array.n; i += 2)
		if (CFEqual(o->as.array.items[i], key)) return o->as.array.items[i + 1];
	return 0;
}
CFIndex CFDataGetLength(obj *o) { return is(o, DATA, "CFDataGetLength")->as.data.n; }
void CFDataGetBytes(obj *o, CFRange r, uint8_t *into) {
	is(o, DATA, "CFDataGetBytes");
	if (r.location < 0 || r.location + r.length > o->as.data.n) violation("CFDataGetBytes: beyond the end");
	else memcpy(into, o->as.data.bytes + r.location, r.length);
}

void *objc_autoreleasePoolPush(void) { pthread_mutex_lock(&lock); world.pools++, world.pushed++; pthread_mutex_unlock(&lock); return &world; }
void objc_autoreleasePoolPop(void *p) { pthread_mutex_lock(&lock); world.pools--; pthread_mutex_unlock(&lock); if (p != &world) violation("pool"); }

// Run loops: one a thread.
int undelivered;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
void fake_idle(void) { // waits until all notifications are delivered
	pthread_mutex_lock(&lock);
	while (undelivered) pthread_cond_wait(&idle, &lock);
	pthread_mutex_unlock(&lock);
}
static obj mode = {.kind = TEXT, .fixed = 1};
obj *kCFRunLoopDefaultMode = &mode;
static pthread_key_t key;
__attribute__((constructor)) static void make_key(void) { pthread_key_create(&key, (void (*)(void *))CFRelease); }

obj *CFRunLoopGetCurrent(void) { // the thread's, which releases it when it ends
	obj *here = pthread_getspecific(key);
	if (!here) {
		here = calloc(1, sizeof *here);
		here->kind = LOOP, here->refs = 1;
		pthread_cond_init(&here->as.loop.woken, 0);
		pthread_setspecific(key, here);
	}
	return here;
}
void CFRunLoopAddSource(obj *l, obj *s, obj *m) {
	is(l, LOOP, "CFRunLoopAddSource"), is(s, SOURCE, "CFRunLoopAddSource");
	if (m != &mode) violation("CFRunLoopAddSource: mode");
	pthread_mutex_lock(&lock);
	l->as.loop.sources[l->as.loop.n++] = CFRetain(s);
	s->as.source.loop = l;
	pthread_mutex_unlock(&lock);
}
void CFRunLoopRemoveSource(obj *l, obj *s, obj *m) {
	is(l, LOOP, "CFRunLoopRemoveSource"), is(s, SOURCE, "CFRunLoopRemoveSource");
	if (m != &mode) violation("CFRunLoopRemoveSource: mode");
	pthread_mutex_lock(&lock);
	for (int i = 0; i < l->as.loop.n; i++)
		if (l->as.loop.sources[i] == s) {
			l->as.loop.sources[i] = l->as.loop.sources[--l->as.loop.n];
			s->as.source.loop = 0;
			CFRelease(s);
		}
	pthread_mutex_unlock(&lock);
}
void CFRunLoopStop(obj *l) { // one that does not run is not told
	is(l, LOOP, "CFRunLoopStop");
	pthread_mutex_lock(&lock);
	if (l->as.loop.running) l->as.loop.stopped = 1, pthread_cond_broadcast(&l->as.loop.woken);
	pthread_mutex_unlock(&lock);
}
int32_t CFRunLoopRunInMode(obj *m, double seconds, Boolean once) {
	obj *l = CFRunLoopGetCurrent();
	struct timespec until;
	int32_t why = 0;
	if (m != &mode || once || seconds < 1) violation("CFRunLoopRunInMode: %g %d", seconds, once);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (time_t)seconds;
	pthread_mutex_lock(&lock);
	for (l->as.loop.running = 1; !why;) {
		pending *p = 0;
		obj *from = 0;
		for (int i = 0; i < l->as.loop.n && !p; i++)
			if ((p = (from = l->as.loop.sources[i])->as.source.first)) from->as.source.first = p->next;
		if (p) {
			obj *observer = from->as.source.observer;
			pthread_mutex_unlock(&lock);
			observer->as.observer.call(observer, p->element, p->name, p->refcon);
			CFRelease(p->element), CFRelease(p->name);
			free(p);
			pthread_mutex_lock(&lock);
			if (!--undelivered) pthread_cond_broadcast(&idle);
		} else if (l->as.loop.stopped) why = 2; // kCFRunLoopRunStopped
		else if (!l->as.loop.n) why = 1;        // kCFRunLoopRunFinished
		else if (pthread_cond_timedwait(&l->as.loop.woken, &lock, &until) == ETIMEDOUT) why = 3;
	}
	l->as.loop.running = l->as.loop.stopped = 0;
	pthread_mutex_unlock(&lock);
	return why;
}
