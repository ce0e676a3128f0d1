#include "fake.h"

struct world world;

enum { Failure = -25200, IllegalArgument = -25201, InvalidElement = -25202, CannotComplete = -25204, AttributeUnsupported = -25205,
       ActionUnsupported = -25206, NotificationUnsupported = -25207, AlreadyRegistered = -25209, NotRegistered = -25210,
       APIDisabled = -25211, NoValue = -25212 };

// The app.

node *get(int id) { return id > 0 && id < world.nodes ? &world.node[id] : 0; }

static node *add(int parent, const char *role, const char *title) {
	node *n = &world.node[world.nodes], *p = get(parent);
	memset(n, 0, sizeof *n);
	n->id = world.nodes++, n->parent = parent, n->role = role;
	snprintf(n->title, sizeof n->title, "%s", title);
	n->selected = n->minimized = -1;
	if (p) {
		if (p->last) get(p->last)->next = n->id;
		else p->first = n->id;
		p->last = n->id;
	}
	return n;
}

static node *place(node *n, double x, double y, double w, double h) {
	n->placed = 1, n->x = x, n->y = y, n->w = w, n->h = h;
	return n;
}

static node *row(int i, const char *role, const char *title) { return place(add(2, role, title), 120, 90 + 50 * i, 200, 30); }

static node *holds(node *n, const char *text) {
	n->valued = TEXT;
	snprintf(n->text, sizeof n->text, "%s", text);
	return n;
}

static node *counts(node *n, double f) { n->valued = NUMBER, n->real = 1, n->number = f; return n; }
static node *counts_whole(node *n, int64_t i) { n->valued = NUMBER, n->integer = i; return n; }

// fake_reset makes the app anew. The numbers of its elements are those that tests name.
void fake_reset(int pid) {
	node *n;
	pthread_mutex_lock(&lock);
	int pools = world.pools;
	memset(&world, 0, offsetof(struct world, node));
	world.pid = pid, world.pools = pools, world.trusted = world.capture = world.active = world.session = world.nodes = 1;
	world.counter[1] = 5000, world.counter[3] = 70, world.pointer = (CGPoint){7, 8};
	told[0] = wrong[0] = 0;
	add(0, "AXApplication", "Fake");                                                         // 1
	n = place(add(1, "AXWindow", "Test App"), 100, 50, 400, 900), n->minimized = 0;          // 2
	n->subrole = "AXStandardWindow", n->actions[0] = "AXRaise";
	add(add(1, "AXMenuBar", "")->id, "AXMenuBarItem", "File");                               // 3, 4
	n = row(0, "AXButton", "Action"), n->actions[0] = "AXPress", n->identifier = "action";   // 5
	row(1, 0, "no role");                                                                    // 6
	n = counts_whole(row(2, "AXCheckBox", "Enabled"), 0), n->actions[0] = "AXPress";         // 7
	holds(row(3, "AXStaticText", ""), "Ready");                                              // 8
	n = counts(row(4, "AXSlider", ""), 0.5), n->description = "Volume", n->settable = 1;     // 9
	n->actions[0] = "AXIncrement", n->actions[1] = "AXDecrement";
	n = holds(row(5, "AXTextField", ""), ""), n->description = "Name", n->settable = 1;      // 10
	n->focusable = 1, n->placeholder = "Your name", n->actions[0] = "AXConfirm";
	n = row(6, "AXList", ""), n->description = "Items";                                      // 11
	for (int i = 0; i < 3; i++)                                                              // 12, 13, 14
		place(holds(add(11, "AXStaticText", ""), (const char *[]){"Alpha", "Beta", "Gamma"}[i]), 120, 390 + 10 * i, 200, 10)->selected = i == 1;
	n = holds(row(7, "AXTextField", "Password"), "hunter2"), n->subrole = "AXSecureTextField"; // 15
	n->settable = n->focusable = 1;
	row(8, "AXStaticText", "Drag Source");                                                   // 16
	row(9, "AXStaticText", "Drop Here");                                                     // 17
	n = row(10, "AXButton", "Off"), n->disabled = 1, n->actions[0] = "AXPress";              // 18
	row(11, "AXTextArea", "Range")->valued = VALUE;                                          // 19
	n = row(12, "AXCheckBox", "Wi-Fi"), n->subrole = "AXSwitch", n->valued = BOOLEAN, n->truth = 1; // 20
	counts_whole(row(13, "AXValueIndicator", "Big"), 9007199254740993);                      // 21
	add(2, "AXGroup", "Nowhere");                                                            // 22
	world.screen[world.screens++] = 2;
	pthread_mutex_unlock(&lock);
}

// fake_second_window puts another one in front; accessibility names it last, as nobody promises an order.
int fake_second_window(void) {
	pthread_mutex_lock(&lock);
	node *n = place(add(1, "AXWindow", "Second"), 150, 80, 200, 100);
	n->minimized = 0;
	memmove(world.screen + 1, world.screen, sizeof(int) * world.screens++);
	world.screen[0] = n->id;
	pthread_mutex_unlock(&lock);
	return n->id;
}

void fake_minimize(int id) {
	pthread_mutex_lock(&lock);
	get(id)->minimized = 1;
	pthread_mutex_unlock(&lock);
}

// fake_deep and fake_wide add that many elements, below each other or beside each other.
void fake_deep(int n) { for (int at = 2; n--;) at = add(at, "AXGroup", "deep")->id; }
void fake_wide(int n) { while (n--) add(11, "AXRow", ""); }
void fake_single(int is) { world.single = is; } // only single attributes can be asked for
void fake_cycle(void) { world.cycle = 1; } // a window that is in itself

void fake_kill(int id) { get(id)->dead = 1; }
void fake_silence(int id) { get(id)->silent = 1; }
void fake_mute(int id) { get(id)->role = 0; }
void fake_trust(int is) { world.trusted = is; }
void fake_session(int is) { world.session = is; }
void fake_hang(int is) { world.hung = is; }
void fake_hide(int is) { world.hidden = is; }
void fake_modal(int window) { world.modal = window; }
void fake_active(int is) { world.active = is, world.activating = 0; }
void fake_stubborn(int is) { world.stubborn = is; }
int fake_asked(void) { return world.asked_trust + 10 * world.asked_capture; }
void fake_responsible(int pid) { world.responsible = pid; }
void fake_errors(int perform, int set, int observer, int notification) {
	world.perform_error = perform, world.set_error = set, world.observer_error = observer, world.notification_error = notification;
}
float fake_timeout(void) { return world.timeout; }
int fake_pools(void) { return world.pools; }
int fake_pushed(void) { return world.pushed; }
const char *fake_told(void) { return told; }
const char *fake_wrong(void) { return wrong; }
void fake_forget(void) { told[0] = 0, downs = 0; }

static atomic_int observers, registered;
int fake_observers(void) { return observers; }
int fake_registered(void) { return registered; }

void fake_title(int id, const char *title) {
	pthread_mutex_lock(&lock);
	snprintf(get(id)->title, sizeof get(id)->title, "%s", title);
	notify("AXTitleChanged", id);
	pthread_mutex_unlock(&lock);
}

// Elements.

static obj *element(int id) {
	obj *o = make(ELEMENT);
	o->as.element.pid = world.pid, o->as.element.node = id;
	return o;
}

obj *AXUIElementCreateSystemWide(void) { obj *o = make(ELEMENT); o->as.element.pid = -1; return o; }
obj *AXUIElementCreateApplication(int32_t pid) { obj *o = make(ELEMENT); o->as.element.pid = pid, o->as.element.node = 1; return o; }
CFTypeID AXUIElementGetTypeID(void) { return ELEMENT; }
CFTypeID AXValueGetTypeID(void) { return VALUE; }
static obj prompt = {.kind = TEXT, .fixed = 1};
obj *kAXTrustedCheckOptionPrompt = &prompt;
Boolean AXIsProcessTrustedWithOptions(obj *options) {
	obj **items = options ? is(options, DICTIONARY, "AXIsProcessTrustedWithOptions")->as.array.items : 0;
	if (items && (options->as.array.n != 2 || items[0] != &prompt || items[1] != kCFBooleanTrue)) violation("unknown options");
	world.asked_trust += items && !world.trusted;
	return world.trusted;
}
int32_t responsibility_get_pid_responsible_for_pid(int32_t pid) { return world.responsible; }

int32_t AXUIElementSetMessagingTimeout(obj *o, float seconds) {
	is(o, ELEMENT, "AXUIElementSetMessagingTimeout");
	if (seconds <= 0) violation("timeout %g", seconds);
	if (o->as.element.pid == -1) world.timeout = seconds;
	return 0;
}

// reach finds the element of an object, or says why it cannot be asked.
static node *reach(obj *o, int32_t *error) {
	is(o, ELEMENT, "AXUIElement");
	node *n = get(o->as.element.node);
	*error = !world.trusted ? APIDisabled : world.hung || o->as.element.pid != world.pid ? CannotComplete
	         : !n || n->dead ? InvalidElement : n->silent ? CannotComplete : 0;
	return *error ? 0 : n;
}

static obj *value(uint32_t type, double a, double b) {
	obj *o = make(VALUE);
	o->as.value.type = type, o->as.value.a = a, o->as.value.b = b;
	return o;
}

static obj *children(node *n, int windows) {
	int count = 0;
	if (n->id == 22) {
		obj *window = array(1);
		window->as.array.items[0] = element(2);
		return window;
	}
	for (int c = n->first; c; c = get(c)->next) count += !windows || !strcmp(get(c)->role, "AXWindow");
	obj *all = array(count);
	count = 0;
	for (int c = n->first; c; c = get(c)->next)
		if (!windows || !strcmp(get(c)->role, "AXWindow")) all->as.array.items[count++] = element(c);
	return all;
}

static int32_t attribute(node *n, obj *name, obj **out) {
	char s[64];
	utf8(name, s, sizeof s);
	int is_window = n->role && !strcmp(n->role, "AXWindow");
	*out = 0;
#define WHEN(what) else if (!strcmp(s, what))
#define SAYS(string) *out = (string) && *(string) ? text(string) : 0
	if (0) ;
	WHEN("AXRole") SAYS(n->role);
	WHEN("AXSubrole") SAYS(n->subrole);
	WHEN("AXTitle") SAYS(n->title);
	WHEN("AXDescription") SAYS(n->description);
	WHEN("AXIdentifier") SAYS(n->identifier);
	WHEN("AXPlaceholderValue") SAYS(n->placeholder);
	WHEN("AXValue") switch (n->valued) {
		case TEXT: *out = text(n->text); break;
		case NUMBER: *out = n->real ? number(n->number) : integer(n->integer); break;
		case BOOLEAN: *out = truth(n->truth); break;
		case VALUE: *out = value(4, 0, 3); break;
	}
	WHEN("AXEnabled") *out = truth(!n->disabled);
	WHEN("AXFocused") *out = truth(world.focus == n->id);
	WHEN("AXPosition") *out = n->placed ? value(1, n->x, n->y) : 0;
	WHEN("AXSize") *out = n->placed ? value(2, n->w, n->h) : 0;
	WHEN("AXSelected") *out = n->selected >= 0 ? truth(n->selected) : 0;
	WHEN("AXMinimized") *out = n->minimized >= 0 ? truth(n->minimized) : 0;
	WHEN("AXMain") *out = is_window ? truth(n->id == world.screen[0]) : 0;
	WHEN("AXHidden") *out = n->id == 1 ? truth(world.hidden) : 0;
	WHEN("AXModal") *out = is_window ? truth(n->id == world.modal) : 0;
	WHEN("AXMinValue") *out = n->role && !strcmp(n->role, "AXSlider") ? number(0) : 0;
	WHEN("AXMaxValue") *out = n->role && !strcmp(n->role, "AXSlider") ? integer(1) : 0;
	WHEN("AXFrontmost") {
		if (world.activating && !--world.activating) world.active = 1;
		*out = n->id == 1 ? truth(world.active) : 0;
	}
	WHEN("AXChildren") *out = n->first || (world.cycle && n->id == 22) ? children(n, 0) : 0;
	WHEN("AXWindows") *out = n->id == 1 ? children(n, 1) : 0;
	else { violation("who asks for %s?", s); return AttributeUnsupported; }
	return *out ? 0 : NoValue;
}

int32_t AXUIElementCopyAttributeValue(obj *o, obj *name, obj **out) {
	int32_t error;
	pthread_mutex_lock(&lock);
	node *n = reach(o, &error);
	if (n) error = attribute(n, name, out);
	pthread_mutex_unlock(&lock);
	return error;
}

int32_t AXUIElementCopyMultipleAttributeValues(obj *o, obj *names, uint32_t options, obj **out) {
	int32_t error;
	if (options) violation("options %u", options);
	pthread_mutex_lock(&lock);
	node *n = reach(o, &error);
	if (n && world.single) error = Failure;
	else if (n) {
		obj *all = *out = array(is(names, ARRAY, "attributes")->as.array.n);
		for (CFIndex i = 0; i < all->as.array.n; i++) {
			int32_t missing = attribute(n, names->as.array.items[i], &all->as.array.items[i]);
			if (missing) (all->as.array.items[i] = value(5, 0, 0))->as.value.error = missing;
		}
	}
	pthread_mutex_unlock(&lock);
	return error;
}

Boolean AXValueGetValue(obj *o, uint32_t type, double *into) {
	is(o, VALUE, "AXValueGetValue");
	if (type != o->as.value.type) return 0;
	into[0] = o->as.value.a, into[1] = o->as.value.b;
	return 1;
}

int32_t AXUIElementCopyActionNames(obj *o, obj **out) {
	int32_t error;
	pthread_mutex_lock(&lock);
	node *n = reach(o, &error);
	if (n) {
		int count = 0;
		while (count < 4 && n->actions[count]) count++;
		*out = array(count);
		while (count--) (*out)->as.array.items[count] = text(n->actions[count]);
	}
	pthread_mutex_unlock(&lock);
	return error;
}

// press does what the app does.
void press(node *n) {
	say("press %s", n->title);
	if (n->disabled) return;
	if (n->id == 5) {
		snprintf(get(8)->text, sizeof get(8)->text, "Clicked: %d", ++world.presses);
		notify("AXValueChanged", 8);
	} else if (n->valued == NUMBER) {
		n->integer = !n->integer;
		notify("AXValueChanged", n->id);
	}
}

int32_t AXUIElementPerformAction(obj *o, obj *action) {
	int32_t error;
	char s[64];
	pthread_mutex_lock(&lock);
	node *n = reach(o, &error);
	if (n) {
		utf8(action, s, sizeof s);
		error = ActionUnsupported;
		for (int i = 0; i < 4 && n->actions[i]; i++)
			if (!strcmp(n->actions[i], s)) error = world.perform_error;
		if (!error && !strcmp(s, "AXPress")) press(n);
	}
	pthread_mutex_unlock(&lock);
	return error;
}

int32_t AXUIElementSetAttributeValue(obj *o, obj *name, obj *v) {
	int32_t error;
	char s[64];
	is(v, 0, "AXUIElementSetAttributeValue");
	pthread_mutex_lock(&lock);
	node *n = reach(o, &error);
	utf8(name, s, sizeof s);
	if (n && !strcmp(s, "AXManualAccessibility")) {
		world.manual = v == truth(1) && n->id == 1;
		error = AttributeUnsupported;
	} else if (n && !strcmp(s, "AXFrontmost")) {
		if (n->id != 1 || v != truth(1)) violation("AXFrontmost of element %d", n->id);
		else if (!world.stubborn && !world.active) world.activating = 3;
	} else if (n && world.set_error) error = world.set_error;
	else if (n && !strcmp(s, "AXFocused")) {
		if (!n->focusable) error = AttributeUnsupported;
		else world.focus = n->id, notify("AXFocusedUIElementChanged", n->id);
	} else if (n && !strcmp(s, "AXValue")) {
		if (!n->settable) error = AttributeUnsupported;
		else if (n->valued != v->kind) error = IllegalArgument;
		else if (v->kind == TEXT) utf8(v, n->text, sizeof n->text);
		else n->number = fmax(0, fmin(1, v->as.number.f));
		if (!error) notify("AXValueChanged", n->id);
	}
	pthread_mutex_unlock(&lock);
	return error;
}
int fake_manual(void) { return world.manual; }

// Observers.

static obj *all[64];

int32_t AXObserverCreate(int32_t pid, callback call, obj **out) {
	int32_t error = world.observer_error;
	if (error) return error;
	obj *o = *out = make(OBSERVER);
	o->as.observer.pid = pid, o->as.observer.call = call;
	(o->as.observer.source = make(SOURCE))->as.source.observer = o;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 64; i++) if (!all[i]) { all[i] = o; break; }
	pthread_mutex_unlock(&lock);
	observers++;
	return 0;
}
obj *AXObserverGetRunLoopSource(obj *o) { return is(o, OBSERVER, "AXObserverGetRunLoopSource")->as.observer.source; }

int32_t AXObserverAddNotification(obj *o, obj *e, obj *name, void *refcon) {
	int32_t error;
	char s[64];
	is(o, OBSERVER, "AXObserverAddNotification");
	pthread_mutex_lock(&lock);
	reach(e, &error);
	if (!error) error = world.notification_error;
	if (!error && !strcmp(utf8(name, s, sizeof s), "AXElementBusyChanged")) error = NotificationUnsupported; // as some apps do
	if (!error) {
		o->as.observer.names[o->as.observer.n] = CFRetain(name);
		o->as.observer.refcons[o->as.observer.n++] = refcon;
		registered++;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

int32_t AXObserverRemoveNotification(obj *o, obj *e, obj *name) {
	is(o, OBSERVER, "AXObserverRemoveNotification"), is(e, ELEMENT, "AXObserverRemoveNotification");
	int32_t error = NotRegistered;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < o->as.observer.n; i++)
		if (CFEqual(o->as.observer.names[i], name)) {
			CFRelease(o->as.observer.names[i]);
			int last = --o->as.observer.n;
			o->as.observer.names[i] = o->as.observer.names[last], o->as.observer.refcons[i] = o->as.observer.refcons[last];
			registered--;
			error = 0;
			break;
		}
	pthread_mutex_unlock(&lock);
	return error;
}

// forget is called with the lock, when an observer ends.
void forget(obj *o) {
	for (int i = 0; i < 64; i++) if (all[i] == o) all[i] = 0;
	observers--;
}

// notify is called with the lock.
void notify(const char *name, int id) {
	for (int i = 0; i < 64; i++) {
		obj *o = all[i], *n = o && o->as.observer.pid == world.pid ? text(name) : 0;
		for (int j = 0; n && j < o->as.observer.n; j++)
			if (CFEqual(o->as.observer.names[j], n)) {
				obj *s = o->as.observer.source;
				pending *p = calloc(1, sizeof *p);
				p->element = element(id), p->name = CFRetain(n), p->refcon = o->as.observer.refcons[j];
				if (s->as.source.first) s->as.source.last->next = p;
				else s->as.source.first = p;
				s->as.source.last = p;
				undelivered++;
				if (s->as.source.loop) pthread_cond_broadcast(&s->as.source.loop->as.loop.woken);
			}
		if (n) CFRelease(n);
	}
}
