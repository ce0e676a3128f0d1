package world_test

import (
	"testing"

	"ios-agent/internal/virtualxcode/app"
)

// TestConformanceHasEveryElementOfTheSuite looks for each element that the suite's scenarios name, with its kind.
func TestConformanceHasEveryElementOfTheSuite(t *testing.T) {
	kinds := map[string]app.Kind{
		"controls-tap-button": app.KindButton, "controls-tap-count": app.KindText, "controls-toggle-wifi": app.KindToggle,
		"controls-wifi-status": app.KindText, "controls-slider-volume": app.KindSlider, "controls-slider-value": app.KindText,
		"controls-stepper-quantity": app.KindStepper, "controls-stepper-value": app.KindText, "controls-picker-size": app.KindSegmented,
		"controls-picker-value": app.KindText, "controls-delete-button": app.KindButton, "controls-delete-status": app.KindText,
		"text-username-field": app.KindField, "text-email-field": app.KindField, "text-password-field": app.KindSecure,
		"text-search-field": app.KindSearch, "text-notes-editor": app.KindEditor, "text-submit-button": app.KindButton,
		"text-submit-result": app.KindText, "text-clear-button": app.KindButton, "text-username-value": app.KindText,
		"text-email-value": app.KindText,
		"nav-push-button":  app.KindButton, "nav-detail-label": app.KindText, "nav-sheet-button": app.KindButton,
		"nav-sheet-content": app.KindText,
		"nav-sheet-dismiss": app.KindButton, "nav-alert-button": app.KindButton, "nav-confirm-button": app.KindButton,
		"nav-status-label": app.KindText,
		"nav-alert-ok":     app.KindButton, "nav-confirm-delete": app.KindButton,
		"scroll-list": app.KindList, "scroll-item-1": app.KindText, "scroll-item-50": app.KindText,
		"gesture-longpress-target": app.KindArea,
		"gesture-longpress-status": app.KindText, "gesture-swipe-area": app.KindArea, "gesture-swipe-status": app.KindText,
		"gesture-tap-area": app.KindArea, "gesture-tap-location": app.KindText,
		"dynamic-show-delayed": app.KindButton, "dynamic-delayed-label": app.KindText, "dynamic-show-brief": app.KindButton,
		"dynamic-brief-label":   app.KindText,
		"dynamic-start-loading": app.KindButton, "dynamic-loading-spinner": app.KindSpinner, "dynamic-loading-done": app.KindText,
		"dynamic-toggle-visibility": app.KindButton, "dynamic-togglable": app.KindText, "dynamic-start-counter": app.KindButton,
		"dynamic-counter-value": app.KindText, "dynamic-stop-counter": app.KindButton, "dynamic-reset": app.KindButton,
	}
	for _, b := range everyApp(t) {
		if b.ID != conformance {
			continue
		}
		found := map[string]app.Kind{}
		var walk func([]*app.Element)
		walk = func(elements []*app.Element) {
			for _, e := range elements {
				found[e.ID] = e.Kind
				walk(e.Inner)
			}
		}
		for _, s := range b.App.Screens {
			walk(s.Elements)
		}
		for _, d := range b.App.Dialogs {
			walk(d.Buttons)
		}
		for id, kind := range kinds {
			if found[id] != kind {
				t.Errorf("%s is a %q, want a %s", id, found[id], kind)
			}
		}
		if b.App.Tabs.ID != "main-tab-view" || len(b.App.Tabs.Items) != 5 {
			t.Errorf("the tabs are %+v", b.App.Tabs)
		}
	}
}
