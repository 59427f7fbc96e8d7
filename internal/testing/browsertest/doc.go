// Package browsertest looks at the dashboard as its visitors do: in a real
// Chromium, by what they can read, click and type.
//
//	Start ─► Browser (one process) ─Visitor─► Visitor (own cookies, one tab)
//	                                            │ Go, Click, Fill, Submit, See …
//	                                            │ Axe, Fits, PageBytes, Shot
//	             watch: console, exceptions, ◄──┘
//	             CSP, foreign requests, 5xx ─► errors of the test at its end
//
// A test names controls by their labels and links by their text, so it also
// shows that labels are there. Every step waits for the page that the previous
// step requested, has two minutes, and fails the test with the address and the
// visible text of the page if it cannot be done. Mouse and keyboard are real:
// what is covered by something else cannot be clicked, and every step works
// with the page's scripts switched off.
//
// The browser reaches this machine only. Names that end in .test are this
// machine too, for pages that act as another site.
//
// The package is for tests. It needs what `make setup` finds or fetches:
// Chromium, and axe-core in .cache/axe. Without them tests are skipped, or fail
// where GAMEDEX_BROWSER is "required", as `make check` and CI set it.
package browsertest
