// Command bench compares the product with what people would use instead:
//
//	go run . [-quick] [-only REGEXP] [-out RESULTS.md]
//
// A full run writes RESULTS.md, with pictures in the folder pictures. A quick run,
// and a run of some subjects, prints its results. scripts/bench-setup installs the
// servers that the product is compared with.
//
//	subjects      what is compared; a file for each subject
//	sample        the catalogs
//	harness       runs the program, other servers and the load, and measures them
//	servers       servers of ours that run beside the program
//	alternatives  what people would build or use instead
//	report        RESULTS.md and its pictures
//
// Command scale, beside it, simulates what doc/scale.md says about many nodes;
// command soak runs the program under load for hours (doc/reliability.md).
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

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/servers"
	"gamedex/bench/subjects"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if len(os.Args) > 1 && os.Args[1] == "serve" { // started by this program; see package servers
		err = servers.Run(ctx, os.Args[2:], os.Stdout)
	} else {
		err = run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	quick, keep    bool
	only           *regexp.Regexp
	out, dir, root string
	seed           uint64
}

func parseOptions() (options, error) {
	var names []string
	for _, s := range subjects.All {
		names = append(names, s.Name)
	}
	var o options
	flag.BoolVar(&o.quick, "quick", false, "use small catalogs and few rounds")
	only := flag.String("only", "", "measure the subjects that match this regular expression: "+strings.Join(names, ", "))
	flag.StringVar(&o.out, "out", "", "write the results to this file and the pictures next to it (default RESULTS.md for a full run, otherwise standard output)")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of catalogs, queries and rounds")
	flag.StringVar(&o.dir, "dir", "out", "where to make the work folder")
	flag.StringVar(&o.root, "root", "..", "folder of the product's module")
	flag.BoolVar(&o.keep, "keep", false, "keep the work folder")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	if !slices.ContainsFunc(names, o.only.MatchString) {
		return o, fmt.Errorf("-only %s matches none of %s", *only, strings.Join(names, ", "))
	}
	if o.out == "" && !o.quick && *only == "" {
		o.out = "RESULTS.md"
	}
	return o, nil
}

func run(ctx context.Context) (err error) {
	o, err := parseOptions()
	if err != nil {
		return err
	}
	r, err := harness.NewRun(o.dir, o.root, o.quick, o.seed, os.Stderr)
	if err != nil {
		return err
	}
	if !o.keep {
		r.AtEnd(func() error { return os.RemoveAll(r.Dir) })
	}
	defer func() {
		if closing := r.Close(); err == nil {
			err = closing
		}
	}()
	results := measure(ctx, r, o)
	if ctx.Err() != nil {
		return ctx.Err() // an incomplete report must not replace a complete one
	}
	if o.out == "" {
		_, err = results.WriteTo(os.Stdout)
	} else {
		err = results.WriteFile(o.out)
	}
	if err != nil {
		return err
	}
	if failed := results.Failed(); len(failed) > 0 {
		return fmt.Errorf("not measured: %s", strings.Join(failed, ", "))
	}
	return nil
}

// measure measures the selected subjects. A subject that fails does not stop the
// others.
func measure(ctx context.Context, r *harness.Run, o options) *report.Report {
	began := time.Now()
	results := &report.Report{Quick: o.quick, Date: began.UTC(), Command: strings.Join(append([]string{"bench"}, os.Args[1:]...), " ")}
	for _, s := range subjects.All {
		if !o.only.MatchString(s.Name) {
			continue
		}
		began := time.Now()
		r.Logf("%s", s.Name)
		section, err := s.Measure(ctx, r)
		if err != nil {
			r.Logf("%s FAILED: %v", s.Name, err)
			section = report.Section{Title: s.Name, Failure: err.Error()}
		}
		r.Logf("%s took %v", s.Name, time.Since(began).Round(time.Second/10))
		results.Sections = append(results.Sections, section)
	}
	results.Took, results.Machine, results.Versions = time.Since(began), harness.Machine(), r.Versions()
	return results
}
