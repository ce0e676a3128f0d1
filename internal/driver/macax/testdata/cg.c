#include "fake.h"

// Events.

atomic_int downs;
int fake_downs(void) { return downs; }

void fake_hold_shift(int is) { world.shift = is; }

obj *CGEventSourceCreate(int32_t state) {
	if (state != 1) violation("CGEventSourceCreate: %d is not the state of the hardware", state);
	return make(EVENTSOURCE);
}

static obj *event(obj *source, uint32_t type) {
	is(source, EVENTSOURCE, "CGEventCreate");
	obj *o = make(EVENT);
	o->as.event.type = type;
	o->as.event.flags = world.shift ? 0x20000 : 0; // what the user holds
	o->as.event.local = (CGPoint){-1, -1};
	return o;
}

uint32_t CGEventSourceCounterForEventType(int32_t state, uint32_t type) {
	if (state != 1 || type >= 32) violation("CGEventSourceCounterForEventType: %d %u", state, type);
	return world.counter[type];
}
void fake_user_clicks(int n) { world.counter[1] += n; }

obj *CGEventCreateMouseEvent(obj *source, uint32_t type, CGPoint at, uint32_t button) {
	obj *o = event(source, type);
	o->as.event.at = at, o->as.event.button = button;
	return o;
}

obj *CGEventCreateKeyboardEvent(obj *source, uint16_t key, bool down) {
	obj *o = event(source, down ? 10 : 11);
	o->as.event.key = key, o->as.event.down = down;
	if (key >= 0x7B && key <= 0x7E) o->as.event.flags |= 1 << 21 | 1 << 23; // arrows
	return o;
}

obj *CGEventCreateScrollWheelEvent2(obj *source, uint32_t unit, uint32_t wheels, int32_t y, int32_t x, int32_t z) {
	obj *o = event(source, 22);
	if (unit != 1 || wheels != 2 || z) violation("CGEventCreateScrollWheelEvent2: %u %u %d", unit, wheels, z);
	o->as.event.wheel[0] = y, o->as.event.wheel[1] = x;
	return o;
}

void CGEventKeyboardSetUnicodeString(obj *o, unsigned long n, const uint16_t *units) {
	is(o, EVENT, "CGEventKeyboardSetUnicodeString");
	if (n > 20) violation("%lu units in one event", n), n = 20;
	memcpy(o->as.event.text, units, 2 * n);
	o->as.event.n = n;
}
void CGEventSetIntegerValueField(obj *o, uint32_t field, int64_t v) {
	is(o, EVENT, "CGEventSetIntegerValueField");
	if (field < 128) o->as.event.fields[field] = v;
	else violation("field %u", field);
}
void CGEventSetDoubleValueField(obj *o, uint32_t field, double v) {
	is(o, EVENT, "CGEventSetDoubleValueField");
	if (field != 4 && field != 5) violation("field %u", field);
}
obj *CGEventCreate(obj *source) {
	obj *o = make(EVENT);
	if (source) violation("CGEventCreate: with a source");
	o->as.event.at = world.pointer;
	return o;
}
CGPoint CGEventGetLocation(obj *o) { return is(o, EVENT, "CGEventGetLocation")->as.event.at; }
void CGEventSetFlags(obj *o, uint64_t flags) { is(o, EVENT, "CGEventSetFlags")->as.event.flags = flags; }
uint64_t CGEventGetFlags(obj *o) { return is(o, EVENT, "CGEventGetFlags")->as.event.flags; }
void CGEventSetLocation(obj *o, CGPoint at) { is(o, EVENT, "CGEventSetLocation")->as.event.at = at; }
#ifndef OLD
void CGEventSetWindowLocation(obj *o, CGPoint at) { is(o, EVENT, "CGEventSetWindowLocation")->as.event.local = at; }
#endif

static node *hit(CGPoint at) {
	for (int i = world.nodes - 1; i > 2; i--) {
		node *n = get(i);
		if (n->placed && !n->dead && at.x >= n->x && at.x < n->x + n->w && at.y >= n->y && at.y < n->y + n->h) return n;
	}
	return 0;
}

void fake_lag(int ms) { world.lag = ms; } // of the moves of drags

static int lagging(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - world.moved.tv_sec) * 1000 + (now.tv_nsec - world.moved.tv_nsec) / 1000000 < world.lag;
}

// mouse is what the app makes of an event. AppKit ignores a press whose number is used, or not just above the system's own, and a drag and
// a release whose number is not the press's; a number has 15 bits. It begins no drag for events that are posted to a process, or that have
// no delta.
static void mouse(obj *o, int posted) {
	node *n = hit(o->as.event.at);
	int64_t *f = o->as.event.fields, number = f[0], own = world.counter[1] + world.counter[3] + world.counter[25];
	if (number < 0 || number > 0x7fff) violation("event number %ld", number);
	if (o->as.event.type == 1 || o->as.event.type == 3) {
		if (number == world.number || number <= own || number > own + 1000) return;
		world.number = number;
	} else if (o->as.event.type != 5 && (!number || number != world.number))
		return;
	switch (o->as.event.type) {
	case 1: world.from = n ? n->id : 0, world.dragged = 0; break;
	case 6:
		world.dragged += !posted && (f[4] || f[5]);
		clock_gettime(CLOCK_MONOTONIC, &world.moved);
		break;
	case 2:
		if (!n) break;
		if (world.from == n->id && n->actions[0] && !strcmp(n->actions[0], "AXPress")) press(n);
		if (world.from == 16 && n->id == 17 && world.dragged > 1 && !lagging())
			strcpy(n->title, "Drop Received"), notify("AXTitleChanged", 17);
		if (n->focusable) world.focus = n->id;
	}
}

static const char *names[] = {"?", "down", "up", "right down", "right up", "moved", "dragged"};

void fake_cover(int is) { world.covered = is; } // by another app's window: 1 unless the app is active, 2 always

// CGEventPost is an event of the hardware: it moves the pointer, and reaches the window in front.
void CGEventPost(uint32_t tap, obj *o) {
	is(o, EVENT, "CGEventPost");
	pthread_mutex_lock(&lock);
	int type = o->as.event.type;
	if (tap || type > 6) violation("CGEventPost: %u %d", tap, type);
	world.pointer = o->as.event.at;
	downs += type == 1;
	say("pointer %s %g,%g by %ld,%ld", names[type], world.pointer.x, world.pointer.y, o->as.event.fields[4], o->as.event.fields[5]);
	if (world.covered > world.active) say("another app got it");
	else mouse(o, 0);
	world.counter[type] += type < 5;
	pthread_mutex_unlock(&lock);
}

void CGEventPostToPid(int32_t pid, obj *o) {
	char s[256];
	is(o, EVENT, "CGEventPostToPid");
	pthread_mutex_lock(&lock);
	downs += o->as.event.type == 1 || o->as.event.type == 3 || o->as.event.type == 10;
	if (pid != world.pid) violation("posted to %d", pid);
	int64_t *f = o->as.event.fields;
	if (o->as.event.type < 7 || o->as.event.type == 22) {
		if (f[51] != f[91] || f[91] != f[92] || f[40] != pid) violation("addressed to %ld %ld %ld %ld", f[51], f[91], f[92], f[40]);
		if (o->as.event.flags) violation("the mouse has flags %#lx", o->as.event.flags);
	}
	if (o->as.event.type < 7) {
		say("%s %g,%g clicks %ld button %u window %ld at %g,%g", names[o->as.event.type], o->as.event.at.x, o->as.event.at.y, f[1],
		    o->as.event.button, f[51], o->as.event.local.x, o->as.event.local.y);
		mouse(o, 1);
	} else if (o->as.event.type == 22)
		say("scroll %d,%d over %g,%g window %ld at %g,%g", o->as.event.wheel[1], o->as.event.wheel[0], o->as.event.at.x, o->as.event.at.y,
		    f[51], o->as.event.local.x, o->as.event.local.y);
	else if (!world.active) ; // keys of an app that is not active are dropped
	else if (o->as.event.n) {
		utf8_of(o->as.event.text, o->as.event.n, s, sizeof s);
		say("text %s %s %#lx", o->as.event.down ? "down" : "up", s, o->as.event.flags);
		node *n = get(world.focus);
		if (n && o->as.event.down && strlen(n->text) + strlen(s) < sizeof n->text) strcat(n->text, s), notify("AXValueChanged", n->id);
	} else say("key %s %#x %#lx", o->as.event.down ? "down" : "up", o->as.event.key, o->as.event.flags);
	pthread_mutex_unlock(&lock);
}

// Windows.

#define KEY(name) static uint16_t name##_units[sizeof #name]; static obj name##_text = {.kind = TEXT, .fixed = 1}; obj *name = &name##_text;
KEY(kCGWindowNumber) KEY(kCGWindowOwnerPID) KEY(kCGWindowBounds) KEY(kCGWindowLayer) KEY(kCGWindowName) KEY(kCGWindowOwnerName)
KEY(kCGWindowIsOnscreen)

__attribute__((constructor)) static void name_keys(void) {
#define NAME(name) for (unsigned i = 0; i < sizeof #name - 1; i++) name##_units[i] = #name[i]; \
	name##_text.as.text.units = name##_units, name##_text.as.text.n = sizeof #name - 1;
	NAME(kCGWindowNumber) NAME(kCGWindowOwnerPID) NAME(kCGWindowBounds) NAME(kCGWindowLayer) NAME(kCGWindowName) NAME(kCGWindowOwnerName)
	NAME(kCGWindowIsOnscreen)
}

static void put(obj *d, obj *key, obj *value) { // takes the value over
	obj **items = d->as.array.items;
	items[d->as.array.n++] = CFRetain(key), items[d->as.array.n++] = value;
}

static obj *window(int id, int pid, int layer, node *n) {
	obj *d = array(14), *bounds = array(8);
	d->kind = bounds->kind = DICTIONARY, d->as.array.n = bounds->as.array.n = 0;
	double sides[] = {n->x, n->y, n->w, n->h};
	for (int i = 0; i < 4; i++) {
		obj *key = text((const char *[]){"X", "Y", "Width", "Height"}[i]);
		put(bounds, key, number(sides[i]));
		CFRelease(key);
	}
	put(d, kCGWindowNumber, integer(id));
	put(d, kCGWindowOwnerPID, integer(pid));
	put(d, kCGWindowLayer, integer(layer));
	put(d, kCGWindowBounds, bounds);
	put(d, kCGWindowOwnerName, text(pid == world.pid ? "Fake" : "other"));
	if (world.capture) put(d, kCGWindowName, text(n->title));
	if (n->minimized != 1) put(d, kCGWindowIsOnscreen, truth(1));
	return d;
}

void fake_allow_pictures(int is) { world.capture = is; }
void fake_no_image(int is) { world.imageless = is; }

obj *CGWindowListCopyWindowInfo(uint32_t option, uint32_t relative) {
	static node other = {.title = "Other", .w = 2000, .h = 2000}, bar = {.title = "Bar", .w = 2000, .h = 24};
	if (relative || !(option & 16)) violation("CGWindowListCopyWindowInfo: %u %u", option, relative);
	pthread_mutex_lock(&lock);
	obj *o = array(16);
	o->as.array.n = 0;
	o->as.array.items[o->as.array.n++] = window(1, 1, 25, &bar);
	if (world.covered > world.active) o->as.array.items[o->as.array.n++] = window(3, 1, 0, &other);
	for (int i = 0; i < world.screens; i++) {
		node *n = get(world.screen[i]);
		if (n->dead || ((option & 1) && (n->minimized == 1 || world.hidden))) continue;
		o->as.array.items[o->as.array.n++] = window(100 + n->id, world.pid, 0, n);
	}
	o->as.array.items[o->as.array.n++] = window(2, 1, 0, &other);
	pthread_mutex_unlock(&lock);
	return o;
}

bool CGRectMakeWithDictionaryRepresentation(obj *d, CGRect *into) {
	is(d, DICTIONARY, "CGRectMakeWithDictionaryRepresentation");
	obj **v = d->as.array.items;
	*into = (CGRect){{v[1]->as.number.f, v[3]->as.number.f}, {v[5]->as.number.f, v[7]->as.number.f}};
	return true;
}

// CGSessionCopyCurrentDictionary is null without a user at the screen; a session that is not locked lacks the key.
obj *CGSessionCopyCurrentDictionary(void) {
	if (!world.session) return 0;
	obj *d = array(4), *console = text("kCGSSessionOnConsoleKey"), *locked = text("CGSSessionScreenIsLocked");
	d->kind = DICTIONARY, d->as.array.n = 0;
	put(d, console, truth(1));
	if (world.session == 2) put(d, locked, truth(1));
	CFRelease(console), CFRelease(locked);
	return d;
}

// Pictures: twice the points, a row longer than its pixels, BGRA.

bool CGPreflightScreenCaptureAccess(void) { return world.capture; }
bool CGRequestScreenCaptureAccess(void) { world.asked_capture++; return world.capture; }

#ifndef OLD
obj *CGWindowListCreateImage(CGRect r, uint32_t option, uint32_t id, uint32_t image) {
	if (!isinf(r.origin.x) || !isinf(r.origin.y) || r.size.width || r.size.height || option != 8 || image != 1)
		violation("CGWindowListCreateImage: %g,%g %gx%g %u %u", r.origin.x, r.origin.y, r.size.width, r.size.height, option, image);
	node *n = world.imageless ? 0 : get(id - 100);
	if (!n) return 0;
	obj *o = make(IMAGE);
	o->as.image.width = 2 * n->w, o->as.image.height = 2 * n->h;
	o->as.image.provider = make(PROVIDER);
	o->as.image.provider->as.image.width = o->as.image.width, o->as.image.provider->as.image.height = o->as.image.height;
	return o;
}
#endif
size_t CGImageGetWidth(obj *o) { return is(o, IMAGE, "CGImageGetWidth")->as.image.width; }
size_t CGImageGetHeight(obj *o) { return is(o, IMAGE, "CGImageGetHeight")->as.image.height; }
size_t CGImageGetBytesPerRow(obj *o) { return 4 * is(o, IMAGE, "CGImageGetBytesPerRow")->as.image.width + 32; }
size_t CGImageGetBitsPerPixel(obj *o) { is(o, IMAGE, "CGImageGetBitsPerPixel"); return 32; }
uint32_t CGImageGetBitmapInfo(obj *o) { is(o, IMAGE, "CGImageGetBitmapInfo"); return 2 << 12 | 2; }
obj *CGImageGetDataProvider(obj *o) { return is(o, IMAGE, "CGImageGetDataProvider")->as.image.provider; }
obj *CGDataProviderCopyData(obj *o) {
	is(o, PROVIDER, "CGDataProviderCopyData");
	int w = o->as.image.width, h = o->as.image.height, row = 4 * w + 32;
	obj *d = make(DATA);
	d->as.data.bytes = calloc(row, h), d->as.data.n = (CFIndex)row * h;
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			unsigned char *p = d->as.data.bytes + y * row + 4 * x;
			p[0] = 1, p[1] = y, p[2] = x, p[3] = 255; // blue 1, green the row, red the column
		}
	return d;
}
