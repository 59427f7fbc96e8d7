package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"gamedex/internal/testing/await"
)

// Browser is one process of Chromium without a window. Visitors of one browser
// share its clipboard, and nothing else. It may be used by parallel tests.
type Browser struct {
	ctx    context.Context
	cancel context.CancelFunc
	agent  string // what it calls itself, as a browser with a window would
}

// Missing returns what the tests need and this machine lacks, with the way to
// get it, so that a test can be skipped. Where GAMEDEX_BROWSER is "required" it
// returns nil, and what is missing fails the test. Where it is "none", the tests
// are skipped in any case.
func Missing() error {
	switch os.Getenv("GAMEDEX_BROWSER") {
	case "required":
		return nil
	case "none":
		return errors.New("GAMEDEX_BROWSER is none, as make quick sets it")
	}
	if named := os.Getenv("GAMEDEX_CHROMIUM"); named == "" { // a wrong name is a mistake, and fails
		if _, err := find(named, exec.LookPath); err != nil {
			return err
		}
	}
	_, err := axeSource()
	return err
}

// Start starts a browser that ends with the test. To share one among all tests
// of a package, use [Launch] in TestMain.
func Start(t testing.TB) *Browser {
	t.Helper()
	b, err := Launch(context.Background())
	if err != nil {
		t.Fatalf("browsertest: %v", err)
	}
	t.Cleanup(b.Close)
	return b
}

// Launch starts a browser that runs until Close, or until ctx is done.
func Launch(ctx context.Context) (*Browser, error) {
	path, err := Program()
	if err != nil {
		return nil, err
	}
	ctx, stop := chromedp.NewExecAllocator(ctx, flags(path)...)
	ctx, cancel := chromedp.NewContext(ctx, chromedp.WithErrorf(ignore), chromedp.WithLogf(ignore))
	b := &Browser{ctx: ctx, cancel: func() { cancel(); stop() }}
	if err := chromedp.Run(ctx, b.introduce()); err != nil {
		b.cancel()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return b, nil
}

// Program returns the path of the browser.
func Program() (string, error) { return find(os.Getenv("GAMEDEX_CHROMIUM"), exec.LookPath) }

// Close ends the process and its visitors, and waits for it.
func (b *Browser) Close() {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	_ = chromedp.Cancel(ctx) // a browser that is closed properly removes its files
	b.cancel()
}

// open creates a browser context for one visitor of a site, and a tab in it.
func (b *Browser) open(site string) (jar cdp.BrowserContextID, tab target.ID, err error) {
	ctx := cdp.WithExecutor(b.ctx, chromedp.FromContext(b.ctx).Browser)
	if jar, err = target.CreateBrowserContext().WithDisposeOnDetach(true).Do(ctx); err != nil {
		return "", "", err
	}
	// With a window, a click allows it; the headless shell needs the permission.
	if err := browser.SetPermission(&browser.PermissionDescriptor{Name: "clipboard-write"}, browser.PermissionSettingGranted).
		WithOrigin(site).WithBrowserContextID(jar).Do(ctx); err != nil {
		return "", "", err
	}
	tab, err = target.CreateTarget("about:blank").WithBrowserContextID(jar).WithNewWindow(true).Do(ctx)
	return jar, tab, err
}

// dispose removes the browser context of one visitor, unless the browser has
// ended.
func (b *Browser) dispose(jar cdp.BrowserContextID) {
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Second)
	defer cancel()
	_ = target.DisposeBrowserContext(jar).Do(cdp.WithExecutor(ctx, chromedp.FromContext(b.ctx).Browser))
}

func (b *Browser) introduce() chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		_, _, _, agent, _, err := browser.GetVersion().Do(cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser))
		b.agent = strings.ReplaceAll(agent, "HeadlessChrome", "Chrome")
		return err
	})
}

// programs are the browsers that find looks for, best first: in the headless shell a new tab
// takes a sixth of the CPU time. On a Mac a browser is an app, which is not on the PATH.
var programs = []string{
	"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "$HOME/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium", "$HOME/Applications/Chromium.app/Contents/MacOS/Chromium",
}

// find returns the browser: the named one, or the first that there is.
func find(named string, look func(string) (string, error)) (string, error) {
	if named != "" {
		path, err := look(named)
		if err != nil {
			return "", fmt.Errorf("GAMEDEX_CHROMIUM is %q, which is not a program: %w; name the browser itself, or unset it", named, err)
		}
		return path, nil
	}
	for _, name := range programs {
		if path, err := look(os.ExpandEnv(name)); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no Chromium or Chrome: run make setup, or set GAMEDEX_CHROMIUM to a browser")
}

// flags keep the browser to the pages it is sent to. chromedp adds no-sandbox
// for root, and a fresh directory for the profile, removed at the end.
func flags(path string) []chromedp.ExecAllocatorOption {
	set := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.WSURLReadTimeout(await.Patience),
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
		chromedp.Flag("disable-features", "Translate,OptimizationHints,MediaRouter,HttpsUpgrades,AutofillServerCommunication"),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("password-store", "basic"),
	}
	for _, name := range []string{
		"disable-gpu", "disable-quic", "disable-background-networking", "disable-component-update", "disable-sync",
		"disable-dev-shm-usage", "disable-extensions", "disable-default-apps", "disable-breakpad",
		"disable-background-timer-throttling", "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
		"disable-hang-monitor", "disable-prompt-on-repost", "metrics-recording-only",
	} {
		set = append(set, chromedp.Flag(name, true))
	}
	return set
}

// ignore drops the log of chromedp about events that it does not know.
func ignore(string, ...any) {}

// root returns the directory of go.mod, above the one that the test runs in.
func root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the root of the module: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find the root of the module: no go.mod in %s or above", start)
		}
	}
}
