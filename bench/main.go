// Command bench measures the service beside what people would use instead:
//
//	go run . [-quick] [-only REGEXP] [-out RESULTS.md]
//
// A whole run writes what it found to RESULTS.md, with curves in the folder
// pictures; a quick one, and one of some subjects, prints it. See package measure for how, package sample for the
// catalog, and scripts/bench-setup for the servers it compares with.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"gamedex/bench/lab"
	"gamedex/bench/report"
	"gamedex/bench/stands"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	work := run
	if len(os.Args) > 1 && os.Args[1] == "stand" {
		work = stand // a server of ours, as a process of its own
	}
	if err := work(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func stand(ctx context.Context) error { return stands.Run(ctx, os.Args[2:], os.Stdout) }

type options struct {
	quick, keep    bool
	only           *regexp.Regexp
	out, dir, root string
	seed           uint64
}

func parse() (options, error) {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "small catalogs and few rounds: under three minutes in all")
	only := flag.String("only", "", "measure the subjects whose names match this regular expression: "+strings.Join(names(), ", "))
	flag.StringVar(&o.out, "out", "", "where the results are written, with a folder of pictures beside (default: RESULTS.md for a whole run, else standard output)")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of catalogs, questions and rounds")
	flag.StringVar(&o.dir, "dir", "out", "where the work folder is made; it is gone at the end")
	flag.StringVar(&o.root, "root", "..", "module of the service")
	flag.BoolVar(&o.keep, "keep", false, "leave the work folder")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	if !slices.ContainsFunc(names(), o.only.MatchString) {
		return o, fmt.Errorf("-only %s matches none of %s", *only, strings.Join(names(), ", "))
	}
	if o.out == "" && !o.quick && *only == "" {
		o.out = "RESULTS.md"
	}
	return o, nil
}

func names() []string {
	var list []string
	for _, s := range subjects() {
		list = append(list, s.Name)
	}
	return list
}

func run(ctx context.Context) (err error) {
	o, err := parse()
	if err != nil {
		return err
	}
	l, err := lab.New(o.dir, o.root, o.quick, o.seed, os.Stderr)
	if err != nil {
		return err
	}
	if !o.keep {
		l.AtEnd(func() error { return os.RemoveAll(l.Dir) })
	}
	defer func() {
		if closing := l.Close(); err == nil {
			err = closing
		}
	}()
	began := time.Now()
	results := measureAll(ctx, l, o)
	if ctx.Err() != nil {
		return ctx.Err() // half a report takes nobody's place
	}
	results.Date, results.Took = began.UTC(), time.Since(began)
	results.Command = strings.Join(append([]string{"bench"}, os.Args[1:]...), " ")
	if err := write(results, o.out); err != nil {
		return err
	}
	if failed := results.Failed(); len(failed) > 0 {
		return fmt.Errorf("not measured: %s", strings.Join(failed, ", "))
	}
	return nil
}

// measureAll goes on behind a subject that failed: the others are worth having,
// and the report says what is missing.
func measureAll(ctx context.Context, l *lab.Lab, o options) *report.Report {
	results := &report.Report{Quick: o.quick}
	for _, s := range subjects() {
		if !o.only.MatchString(s.Name) {
			continue
		}
		began := time.Now()
		l.Logf("%s", s.Name)
		section, err := s.Measure(ctx, l)
		if err != nil {
			l.Logf("%s FAILED: %v", s.Name, err)
			section = report.Section{Title: s.Name, Failure: err.Error()}
		}
		l.Logf("%s took %v", s.Name, time.Since(began).Round(time.Second/10))
		results.Sections = append(results.Sections, section)
	}
	results.Machine, results.Versions = lab.Machine(), l.Versions()
	return results
}

func write(r *report.Report, out string) error {
	if out == "" {
		_, err := r.WriteTo(os.Stdout)
		return err
	}
	return r.WriteFile(out)
}
