// The app of desktop.txtar: the widgets of strobe's test app, in GTK 3. It writes its own state to the file that it is given, a line
// each, whenever that changes: that is what the script believes.
#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *state_path;
static GtkWidget *label, *entry, *drop_label;
static int clicked, toggled, scrolled, off_pressed;
static double volume = 0.5;
static char dropped[64] = "";
static char selected[256] = "";

static void save(void) {
	char *temporary = g_strconcat(state_path, ".new", NULL);
	FILE *f = fopen(temporary, "w");
	if (!f) {
		perror(temporary);
		exit(1);
	}
	fprintf(f, "clicked=%d\ntoggled=%d\nvolume=%.2f\nname=%s\nselected=%s\nscrolled=%d\ndropped=%s\noff=%d\n", clicked, toggled, volume,
		gtk_entry_get_text(GTK_ENTRY(entry)), selected, scrolled, dropped, off_pressed);
	fclose(f);
	rename(temporary, state_path);
	g_free(temporary);
}

static void on_action(GtkButton *b, gpointer data) {
	char text[64];
	snprintf(text, sizeof text, "Clicked: %d", ++clicked);
	gtk_label_set_text(GTK_LABEL(label), text);
	printf("clicked %d\n", clicked);
	fflush(stdout);
	save();
}

static void on_toggle(GtkToggleButton *b, gpointer data) {
	toggled = gtk_toggle_button_get_active(b);
	save();
}

static void on_volume(GtkRange *r, gpointer data) {
	volume = gtk_range_get_value(r);
	save();
}

static void on_text(GtkEditable *e, gpointer data) { save(); }

static void on_selection(GObject *o, GParamSpec *spec, gpointer data) {
	int from, to;
	selected[0] = 0;
	if (gtk_editable_get_selection_bounds(GTK_EDITABLE(entry), &from, &to)) {
		char *text = gtk_editable_get_chars(GTK_EDITABLE(entry), from, to);
		snprintf(selected, sizeof selected, "%s", text);
		g_free(text);
	}
	save();
}

static void on_scroll(GtkAdjustment *a, gpointer data) {
	scrolled = gtk_adjustment_get_value(a) > 0;
	save();
}

static void on_off(GtkButton *b, gpointer data) {
	off_pressed++;
	save();
}

static void on_drag_get(GtkWidget *w, GdkDragContext *c, GtkSelectionData *d, guint info, guint time, gpointer data) {
	gtk_selection_data_set_text(d, "payload", -1);
}

static void on_drag_received(GtkWidget *w, GdkDragContext *c, gint x, gint y, GtkSelectionData *d, guint info, guint time, gpointer data) {
	guchar *text = gtk_selection_data_get_text(d);
	snprintf(dropped, sizeof dropped, "%s", text ? (char *)text : "nothing");
	g_free(text);
	gtk_label_set_text(GTK_LABEL(drop_label), "Drop Received");
	save();
}

static void on_quit(GtkButton *b, gpointer data) {
	fprintf(stderr, "bye\n");
	exit(3);
}

static GtkWidget *boxed(GtkWidget *child) {
	GtkWidget *box = gtk_event_box_new();
	gtk_widget_set_size_request(box, 200, 40);
	gtk_container_add(GTK_CONTAINER(box), child);
	return box;
}

static GtkWidget *named(GtkWidget *w, const char *name) {
	atk_object_set_name(gtk_widget_get_accessible(w), name);
	return w;
}

int main(int argc, char **argv) {
	gtk_init(&argc, &argv);
	if (argc != 2) {
		fprintf(stderr, "usage: %s STATE_FILE\n", argv[0]);
		return 2;
	}
	state_path = argv[1];
	GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
	gtk_window_set_title(GTK_WINDOW(window), "Desktop Test");
	gtk_window_set_default_size(GTK_WINDOW(window), 400, 500);
	g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
	GtkWidget *all = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
	gtk_container_add(GTK_CONTAINER(window), all);

	GtkWidget *action = gtk_button_new_with_label("Action");
	g_signal_connect(action, "clicked", G_CALLBACK(on_action), NULL);
	GtkWidget *toggle = gtk_check_button_new_with_label("Enabled");
	g_signal_connect(toggle, "toggled", G_CALLBACK(on_toggle), NULL);
	label = gtk_label_new("Ready");
	GtkWidget *slider = named(gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.01), "Volume");
	gtk_range_set_value(GTK_RANGE(slider), volume);
	entry = named(gtk_entry_new(), "Name");
	GtkWidget *list = named(gtk_list_box_new(), "Items");
	for (const char **row = (const char *[]){"Alpha", "Beta", "Gamma", NULL}; *row; row++) {
		GtkWidget *text = gtk_label_new(*row);
		gtk_widget_set_size_request(text, -1, 40);
		gtk_list_box_insert(GTK_LIST_BOX(list), text, -1);
	}
	GtkWidget *scroller = gtk_scrolled_window_new(NULL, NULL);
	gtk_widget_set_size_request(scroller, -1, 60);
	gtk_container_add(GTK_CONTAINER(scroller), list);
	GtkWidget *source = boxed(gtk_label_new("Drag Source"));
	drop_label = gtk_label_new("Drop Here");
	GtkWidget *target = boxed(drop_label);
	GtkTargetEntry kinds[] = {{"text/plain", GTK_TARGET_SAME_APP, 0}};
	gtk_drag_source_set(source, GDK_BUTTON1_MASK, kinds, 1, GDK_ACTION_COPY);
	gtk_drag_dest_set(target, GTK_DEST_DEFAULT_ALL, kinds, 1, GDK_ACTION_COPY);
	g_signal_connect(source, "drag-data-get", G_CALLBACK(on_drag_get), NULL);
	g_signal_connect(target, "drag-data-received", G_CALLBACK(on_drag_received), NULL);
	GtkWidget *off = gtk_button_new_with_label("Off");
	gtk_widget_set_sensitive(off, FALSE);
	g_signal_connect(off, "clicked", G_CALLBACK(on_off), NULL);
	GtkWidget *quit = gtk_button_new_with_label("Quit");
	g_signal_connect(quit, "clicked", G_CALLBACK(on_quit), NULL);

	GtkWidget *widgets[] = {action, toggle, label, slider, entry, scroller, source, target, off, quit};
	for (size_t i = 0; i < G_N_ELEMENTS(widgets); i++) gtk_box_pack_start(GTK_BOX(all), widgets[i], FALSE, FALSE, 0);
	g_signal_connect(slider, "value-changed", G_CALLBACK(on_volume), NULL);
	g_signal_connect(entry, "changed", G_CALLBACK(on_text), NULL);
	g_signal_connect(entry, "notify::selection-bound", G_CALLBACK(on_selection), NULL);
	g_signal_connect(entry, "notify::cursor-position", G_CALLBACK(on_selection), NULL);
	g_signal_connect(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)), "value-changed", G_CALLBACK(on_scroll), NULL);
	save();
	gtk_widget_show_all(window);
	printf("ready\n");
	fflush(stdout);
	gtk_main();
	return 0;
}
