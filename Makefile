# `make run` starts the demo, `make quick` tests a change, `make test` runs the tests,
# `make check` is what CI runs.
.DEFAULT_GOAL := help
GO       ?= go
PACKAGES := ./...
LOOKS    := ^TestLooksOf
TOOL     := $(GO) tool -modfile=tools/go.mod
# Prints a line for each package, and at the end what failed or was skipped.
SUM       = $(TOOL) gotestsum --format pkgname --format-hide-empty-pkg
# The timeout is for a test that hangs: on a busy machine tests are slow, but pass. `make lint`
# runs vet, so that the tests need not. Without debug information (-w) the 80 test binaries are
# linked in half the time.
FLAGS    := -vet=off -ldflags=-w -timeout 60m
# Four packages run at once, and four tests of each: while some wait for their servers,
# others run.
TEST      = $(SUM) -- -p 4 -parallel 4 $(FLAGS)
# The race detector does not check SQLite, which is C code translated to Go: tests
# on a database take several times as long if it does.
RACE     := -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false
# GAMEDEX_SEED repeats all random tests, including those of rapid.
ifdef GAMEDEX_SEED
export RAPID_SEED := $(GAMEDEX_SEED)
endif

.PHONY: help run sim build install uninstall quick test check fmt lint torture bench bench-quick gobench audit update setup release

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## start the service with the sample catalog in ./data
	bin/gamedex serve --demo

sim: build ## start the service on simulated stores, whose prices change every minute; keeps nothing
	@$(GO) build -trimpath -o bin/storesim ./cmd/storesim
	@bin/storesim bin/gamedex

build: ## build bin/gamedex, static and stripped
	@GO="$(GO)" CGO_ENABLED=0 scripts/build -trimpath -ldflags='-s -w' -o bin/gamedex ./cmd/gamedex

# With DESTDIR, a folder takes the place of /.
PROGRAM ?= bin/gamedex
MAN  := /usr/local/share/man/man1
BASH := /usr/local/share/bash-completion/completions
ZSH  := /usr/local/share/zsh/site-functions
FISH := /usr/local/share/fish/vendor_completions.d
install: ## install bin/gamedex, its unit for systemd, its manual and its completions
	@test -x $(PROGRAM) || { echo "there is no $(PROGRAM); first: make build"; exit 1; }
	test ! -e "$(DESTDIR)/usr/local/bin/gamedex" || cp -p "$(DESTDIR)/usr/local/bin/gamedex" "$(DESTDIR)/usr/local/bin/gamedex.old"
	install -D -m 755 $(PROGRAM) "$(DESTDIR)/usr/local/bin/gamedex"
	install -D -m 644 packaging/gamedex.service "$(DESTDIR)/etc/systemd/system/gamedex.service"
	test -e "$(DESTDIR)/etc/gamedex.env" || install -m 600 packaging/gamedex.env "$(DESTDIR)/etc/gamedex.env"
	install -d "$(DESTDIR)$(MAN)" "$(DESTDIR)$(BASH)" "$(DESTDIR)$(ZSH)" "$(DESTDIR)$(FISH)"
	$(PROGRAM) man >"$(DESTDIR)$(MAN)/gamedex.1"
	$(PROGRAM) completion bash >"$(DESTDIR)$(BASH)/gamedex"
	$(PROGRAM) completion zsh >"$(DESTDIR)$(ZSH)/_gamedex"
	$(PROGRAM) completion fish >"$(DESTDIR)$(FISH)/gamedex.fish"
	test -n "$(DESTDIR)" || systemctl daemon-reload
	@echo 'installed. To start it: systemctl enable --now gamedex; after an upgrade: systemctl restart gamedex'

uninstall: ## stop the service and remove what make install installed, but neither settings nor data
	test -n "$(DESTDIR)" || systemctl disable --now gamedex || test ! -e /etc/systemd/system/gamedex.service
	rm -f "$(DESTDIR)/usr/local/bin/gamedex" "$(DESTDIR)/usr/local/bin/gamedex.old" "$(DESTDIR)/etc/systemd/system/gamedex.service" \
		"$(DESTDIR)$(MAN)/gamedex.1" "$(DESTDIR)$(BASH)/gamedex" "$(DESTDIR)$(ZSH)/_gamedex" "$(DESTDIR)$(FISH)/gamedex.fish"
	test -n "$(DESTDIR)" || systemctl daemon-reload
	@echo 'removed. /etc/gamedex.env and the data, such as /var/lib/gamedex, stay'

quick: ## the inner loop: test what changed and what imports it, for at most a minute
	@scripts/quick

# Cases of each property; make check tries 100, make torture 5,000.
test: export RAPID_CHECKS := 30
# Tests and the processes that they start live for seconds: the garbage collector of Go may
# run less often, which saves a tenth of the CPU time.
test: export GOGC := 400
# One line at the end says what was left out, not one for each test.
test: setup ## run all tests, with small simulated stores, but for pictures of pages: four to five minutes on two cores
	@status=0; GO="$(GO)" $(SUM) --hide-summary skipped --raw-command -- scripts/test $(FLAGS) -skip '$(LOOKS)' || status=$$?; scripts/setup left-out; exit $$status

# The race detector makes tests ten times as slow, and says something only about memory that
# goroutines share; how large the world is and how many cases a property has makes no difference
# to that. So all tests run without it, in the full world, and those of packages with goroutines
# once more with it, in the small one; of the dashboard, those that send requests at once. The
# tests of cmd/gamedex start the program in separate processes: the race detector would check only
# the tests, and slow the simulated stores down. They run a second time on PostgreSQL, Redis and S3.
check: export GAMEDEX_BROWSER := required
check: export GAMEDEX_WORLD := full
check: export GAMEDEX_CLIENTS := required
check: export GAMEDEX_ENGINES := required
check: export GAMEDEX_MACHINE := required
check: fmt lint ## run what CI runs: formatting, vet, staticcheck, all tests with full simulated stores, and those of concurrent code with the race detector
	@scripts/setup race
	@scripts/setup clients
	@scripts/setup engines
	@scripts/setup release
	GOGC=400 $(TEST) ./internal/...
	packages="$$(scripts/concurrent)" && GAMEDEX_WORLD=small RAPID_CHECKS=10 $(TEST) -p 2 $(RACE) $$packages
	GAMEDEX_WORLD=small $(TEST) $(RACE) -run ^TestAtOnce ./internal/dashboard
	$(TEST) ./cmd/...
	GAMEDEX_ENGINE=shared GAMEDEX_WORLD=small GAMEDEX_CLIENTS= $(TEST) ./cmd/gamedex
	@scripts/bench-setup
	cd bench && $(GO) test ./...
	cd deploy && $(GO) test ./...
	cd tools/release && $(GO) test -count=1 ./...
	scripts/reproduce linux/amd64

fmt:
	@files="$$(gofmt -l clients cmd internal bench deploy tools)"; test -z "$$files" || { echo "not gofmt'ed (run: make update): $$files"; exit 1; }

lint:
	$(GO) vet $(PACKAGES)
	cd bench && $(GO) vet ./... && $(GO) tool -modfile=../tools/go.mod staticcheck ./... && $(GO) mod tidy -diff
	cd deploy && $(GO) vet ./... && $(GO) tool -modfile=../tools/go.mod staticcheck ./... && $(GO) mod tidy -diff
	cd tools/release && $(GO) vet ./... && $(GO) tool -modfile=../go.mod staticcheck ./... && $(GO) mod tidy -diff
	$(TOOL) staticcheck $(PACKAGES)
	$(GO) mod tidy -diff
	$(GO) mod verify >/dev/null
	CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/gamedex
	CGO_ENABLED=0 GOOS=windows $(GO) build -o /dev/null ./cmd/gamedex
	CGO_ENABLED=0 GOOS=darwin $(GO) build -o /dev/null ./cmd/gamedex

torture: setup ## run the long campaigns at full numbers (kills, simulated days, fuzzing); GAMEDEX_SEED=n repeats a run
	scripts/torture

bench: ## compare with nginx, Redis, PostgreSQL and others; write bench/RESULTS.md (about an hour)
	@scripts/bench-setup
	@scripts/setup engines
	cd bench && $(GO) run .

bench-quick: ## the same on small catalogs and with few rounds; print the results
	@scripts/bench-setup
	@scripts/setup engines
	cd bench && $(GO) run . -quick

gobench: ## run the benchmarks of the hot paths, without tests
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

audit: ## look for known vulnerabilities and bad licences in the dependencies
	scripts/audit

update: ## rewrite formatting, goldens and generated files; read the diff
	gofmt -w clients cmd internal bench deploy tools
	scripts/update

release: ## write the files of a release of the last commit into dist/: make release VERSION=0.3.0
	@cd tools/release && $(GO) run . -version "$(VERSION)" -maintainer "$(MAINTAINER)" -out ../../dist

setup:
	@scripts/setup
