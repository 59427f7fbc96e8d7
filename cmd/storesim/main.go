//go:build unix

// Command storesim runs gamedex against simulated stores, so that the connectors can be
// seen at work without a store: `make sim`. It serves the stores on loopback and writes
// the profile for them. Everything is in a temporary folder, which it removes at the end.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/storesim"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a closed output ends the run, after the service
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "storesim:", err)
		os.Exit(1)
	}
}

// simulation is one run.
type simulation struct {
	world   *storesim.World
	day     time.Duration // of the world
	program string        // gamedex
	flags   []string      // of serve
	dir     string
	url     string // of the stores
	out     io.Writer
}

// run runs the stores and the service until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("storesim", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: storesim [flags] GAMEDEX [flags of gamedex serve]")
		flags.PrintDefaults()
	}
	games := flags.Int("games", 60, "games in each store")
	seed := flags.Uint64("seed", 1, "seed of the random games; another seed gives other games")
	day := flags.Duration("day", time.Minute, "how long a day of the stores lasts; prices change daily")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || *games < 1 || *day <= 0 {
		flags.Usage()
		return errors.New("the path of gamedex is required, with at least one game and a day longer than 0")
	}
	s := simulation{day: *day, program: flags.Arg(0), flags: flags.Args()[1:], out: out}
	s.world = storesim.New(storesim.Config{Seed: *seed, ConsoleGames: *games, PCGames: *games, Regions: regions(), Start: time.Now()})
	if s.dir, err = os.MkdirTemp("", "gamedex-sim-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	return s.run(ctx)
}

// countries must not be changed.
var countries = []string{"UA", "TR", "PL", "IN", "US", "DE"}

func regions() (list []catalog.Region) {
	for _, code := range countries {
		list = append(list, catalog.MustRegion(code))
	}
	return list
}

// run serves the stores while the service runs. Every day it changes the stores.
func (s *simulation) run(ctx context.Context) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.url = "http://" + listener.Addr().String()
	stores := &http.Server{Handler: s.world.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = stores.Serve(listener) }()
	defer stores.Close()
	profile, err := s.profile()
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file("profile.json"), profile, 0o600); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "stores     %s\nprofile    %s\n", s.url, s.file("profile.json"))

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.passDays(ctx, cancel)
	err = s.serve(ctx)
	if ctx.Err() != nil {
		fmt.Fprintln(s.out, "stopped; nothing is left behind")
		return nil
	}
	return fmt.Errorf("gamedex serve has ended: %w", err)
}

func (s *simulation) file(name string) string { return filepath.Join(s.dir, name) }

// passDays changes the stores every day. It stops the run if nobody reads its output.
func (s *simulation) passDays(ctx context.Context, stop func()) {
	tick := time.NewTicker(s.day)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.world.Advance()
			if _, err := fmt.Fprintf(s.out, "day %d of the stores: prices change\n", s.world.Day()); err != nil {
				stop()
				return
			}
		}
	}
}

// profile returns the world's profile with intervals in proportion to its days.
func (s *simulation) profile() ([]byte, error) {
	_, text, _ := bytes.Cut(s.world.Profile(s.url), []byte("\n")) // without the comment
	var profile map[string]any
	if err := json.Unmarshal(text, &profile); err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	intervals := map[string]string{"prices": (s.day / 2).String()}
	for _, kind := range []string{"editions", "addons", "titles", "details", "otherPrices", "otherRest"} {
		intervals[kind] = s.day.String()
	}
	profile["intervals"] = intervals
	return json.MarshalIndent(profile, "", "  ")
}

// serve runs the service until it ends or ctx does.
func (s *simulation) serve(ctx context.Context) error {
	cmd := s.command(ctx, append([]string{
		"serve", "--collect-profile", s.file("profile.json"), "--rates-from", s.url + storesim.TablePath,
		"--active-regions", strings.Join(countries, ","),
	}, s.flags...)...)
	cmd.Stdout = nil
	// A Ctrl-C reaches all of a terminal's processes, and a second signal would end the
	// service at once: in its own group it gets only the signal of Cancel, which waits
	// for no load balancer.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 2 * time.Minute // on a busy machine
	cmd.Stderr = os.Stderr
	printed, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		fmt.Fprintln(s.out, lines.Text())
		if strings.HasPrefix(lines.Text(), "operations ") { // it listens
			if err := s.command(ctx, "key", "create", "--name", "sim").Run(); err != nil {
				fmt.Fprintln(s.out, "no key:", err)
			}
		}
	}
	return cmd.Wait()
}

// command prepares a command of gamedex in the temporary folder.
func (s *simulation) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program, append([]string{"--data-dir", s.file("data")}, args...)...)
	cmd.Stdout = s.out
	return cmd
}
