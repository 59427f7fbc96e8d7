package browsertest

import (
	"slices"

	"github.com/chromedp/cdproto/page"
)

// dialogPolicy is what is done with the browser's dialogs: alert, confirm,
// prompt, and the question before leaving a page.
type dialogPolicy int

const (
	noDialogs      dialogPolicy = iota // accepted, and an error of the test
	acceptDialogs                      // answered with yes
	dismissDialogs                     // answered with no: the page stays
)

// AcceptDialogs answers dialogs with yes from now on. Before AcceptDialogs or
// DismissDialogs a dialog is an error.
func (v *Visitor) AcceptDialogs() { v.watch.answerWith(acceptDialogs) }

// DismissDialogs answers dialogs with no from now on: the visitor stays on a
// page that asks before leaving.
func (v *Visitor) DismissDialogs() { v.watch.answerWith(dismissDialogs) }

// Dialogs returns what dialogs there were so far: their kind (alert, confirm,
// prompt, beforeunload), a colon, a space and their text.
func (v *Visitor) Dialogs() []string {
	v.watch.mu.Lock()
	defer v.watch.mu.Unlock()
	return slices.Clone(v.watch.dialogs)
}

func (w *watch) answerWith(p dialogPolicy) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.policy = p
}

func (w *watch) dialog(e *page.EventJavascriptDialogOpening) {
	said := string(e.Type) + ": " + e.Message
	w.dialogs = append(w.dialogs, said)
	if w.policy == noDialogs {
		w.add("", "a dialog opened: %s", said)
	}
	if w.policy == dismissDialogs {
		w.dismissed++
	}
	w.answer(w.policy != dismissDialogs)
}
