# Targets for people; .ci/run calls `make test`. Everything needed beyond Go, git and a C compiler (for the
# race detector) comes through go.mod.

GO        ?= go
FUZZTIME  ?= 2s
# The determinism suite: golden traces and pinned hashes, run again where they could differ.
PINNED    ?= Golden|Pinned|Fixed|Hash|Draws|Alike
PINNED_IN  = ./core/... ./sim/... ./fakes/... ./scenarios/... ./cmd/simrun/...
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.7.0

.PHONY: test tools check race fuzz machines smoke lint bench golden docs

test: tools check smoke race machines fuzz ## everything that must pass before a change goes in

tools:
	@GO=$(GO) .ci/tools

check: ## format and vet
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted (gofmt -w):"; echo "$$files"; exit 1; }
	$(GO) vet ./...

race: ## all tests under the race detector
	$(GO) test -race -timeout 35m ./...

machines: ## the same hashes on one processor, and on a 32-bit machine
	GOMAXPROCS=1 $(GO) test -count=1 -run '$(PINNED)' $(PINNED_IN)
	@if [ "$$($(GO) env GOHOSTARCH)" = amd64 ]; then \
		echo "GOARCH=386 $(GO) test -count=1 -run '$(PINNED)' $(PINNED_IN)"; \
		GOARCH=386 CGO_ENABLED=0 $(GO) test -count=1 -run '$(PINNED)' $(PINNED_IN); \
	else echo "skipped GOARCH=386: this machine cannot run it"; fi

smoke: ## 10,000 small drawn worlds; some of the catalogue alone, in other orders and as a 32-bit program
	$(GO) run ./cmd/simrun swarm --profile small --seeds 10000 --no-shrink
	$(GO) run ./cmd/simrun determinism --alone 4

fuzz: ## every fuzz target for FUZZTIME
	@GO=$(GO) .ci/fuzz $(FUZZTIME)

lint: check ## format, vet and staticcheck
	$(GO) run $(STATICCHECK) ./...

bench: ## benchmarks; docs/performance.md says what they mean
	$(GO) test -run '^$$' -bench . -benchmem ./...

golden: ## rewrite golden files; read the difference before you commit it
	$(GO) test ./scenarios -run "Golden|Schema" -update
	git --no-pager diff --stat

docs: ## rewrite the generated pages in docs/
	$(GO) test ./internal/rules -run TestDocsAreFresh -update
	$(GO) test ./internal/rules -count=1
