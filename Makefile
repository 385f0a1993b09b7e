# The two commands of the README are demo and test; `make help` lists all.
SHELL := /bin/bash
MODULES := cmd/colophon devstack pkg services/annotator services/capturer services/chunker services/extractor services/gateway services/indexer services/janitor services/splitter test
LINTED := $(addsuffix /...,$(addprefix ./,$(MODULES)))
GO ?= go
export CGO_ENABLED ?= 0
FUZZTIME ?= 10s
# Of the tests of one package, whose longest take 2 minutes on an idle machine: it ends
# what hangs, beside dozens of other busy processes too.
TEST_TIMEOUT ?= 60m
# Packages that are tested at once: one more than there are processors, since the longest
# wait for servers and processes of theirs a third of their time.
TEST_JOBS ?= $(shell expr $$(nproc 2>/dev/null || echo 4) + 1)
SEED ?= 1

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

.PHONY: demo
demo: install build ## install what is missing, build, run the whole system on the documents of test/documents
	@bin/colophon demo test/documents --query 'quórum mínimo para a instalação das sessões' --failing empty.txt,password-protected.pdf,truncated.pdf

# Two programs read pictures, and have Tesseract's C library linked in where it
# is installed; addresses are looked up in Go all the same.
OCR_TAGS := ocr,netgo,osusergo

.PHONY: build
build: ## build all binaries into bin/, with OCR where Tesseract's headers are
	@mkdir -p bin
	@for s in annotator capturer splitter chunker indexer gateway janitor; do $(GO) build -o bin/ ./services/$$s || exit 1; done
	@if .ci/ocr check; then CGO_ENABLED=1 $(GO) build -tags $(OCR_TAGS) -o bin/ ./cmd/colophon ./services/extractor; \
	else echo "building without OCR: Tesseract's headers or trained data are not installed (make install)"; \
		$(GO) build -o bin/ ./cmd/colophon && $(GO) build -o bin/ ./services/extractor; fi
	@$(GO) build -o bin/ ./devstack/cmd/devstack

.PHONY: install
install: ## install PostgreSQL and Tesseract with apt-get where they are not found
	@.ci/postgres
	@.ci/ocr

.PHONY: test
test: install ## all tests of all modules
	@.ci/oracle >/dev/null || [ "$$CI" != true ] # a laptop without Python leaves one test out
	@.ci/pgvector >/dev/null || [ "$$CI" != true ] # likewise
	@.ci/natspy >/dev/null || [ "$$CI" != true ] # likewise
	$(GO) vet work
	$(GO) test -p $(TEST_JOBS) -timeout $(TEST_TIMEOUT) work
	cd test && $(GO) test -count=1 ./schema ./imports ./citations # what they read is in other modules, which the cache does not watch
	cd pkg && $(GO) test -tags faultpoints ./faultpoint
	@if .ci/ocr check; then cd pkg && CGO_ENABLED=1 $(GO) vet -tags $(OCR_TAGS) ./ocr/... && OMP_THREAD_LIMIT=1 CGO_ENABLED=1 $(GO) test -tags $(OCR_TAGS) ./ocr/...; fi

.PHONY: lint
lint: bin/golangci-lint ## the linter over all modules
	@bin/golangci-lint run $(LINTED)

bin/golangci-lint: tools/go.mod
	@mkdir -p bin
	cd tools && GOWORK=off $(GO) build -o ../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: generate
generate: ## write schemas, AsyncAPI and the page of settings again
	$(GO) run ./test/cmd/generate
	$(GO) run ./cmd/colophon environment > docs/environment.md.new
	mv docs/environment.md.new docs/environment.md

.PHONY: documents
documents: ## write the PDF files and containers of test/documents again
	cd tools && GOWORK=off $(GO) run ./cmd/documents -dir ../test/documents

.PHONY: check-modules
check-modules: ## each module alone: builds, vets, tidy
	@for m in $(MODULES); do echo "== $$m"; \
		(cd $$m && GOWORK=off $(GO) build -o /dev/null ./... && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) mod tidy -diff) || exit 1; done
	@test -z "$$(gofmt -l $(MODULES))" || { gofmt -l $(MODULES); exit 1; }

.PHONY: quality
quality: build ## scores of extraction over a corpus folder, beside other tools: make quality CORPUS=DIR
	@$(GO) run ./test/cmd/quality -entities
	@$(GO) run ./test/cmd/quality $(if $(CORPUS),-corpus "$(CORPUS)" -peers -whole -python "$$(.ci/peers)")
	@if [ -n "$(CORPUS)" ] && .ci/ocr check; then $(MAKE) --no-print-directory scans; fi
	@$(if $(CORPUS),$(MAKE) --no-print-directory quality-retrieval)

.PHONY: scans
scans: install ## errors, boxes and cost of OCR over a corpus folder, beside the tesseract command: make scans CORPUS=DIR (ONLY=FOLDER/)
	@OMP_THREAD_LIMIT=1 CGO_ENABLED=1 $(GO) run -tags $(OCR_TAGS) ./test/cmd/quality -scans -only "$(or $(ONLY),scans/)" $(if $(CORPUS),-corpus "$(CORPUS)")

.PHONY: quality-retrieval
quality-retrieval: build ## how well questions find their documents, with the embedder of COLOPHON_EMBED_…: make quality-retrieval CORPUS=DIR (VECTORS=DIR keeps what an endpoint made)
	@$(GO) run ./test/cmd/quality -retrieval -vectors "$(VECTORS)" $(if $(CORPUS),-corpus "$(CORPUS)")

.PHONY: quality-references
quality-references: build ## how well questions find answers that stand behind a reference, in documents of our own
	@$(GO) run ./test/cmd/quality -references

.PHONY: quality-entities
quality-entities: build ## entities of labelled pages, by rules: precision and recall by type and field, and that every value stands on its page
	@$(GO) run ./test/cmd/quality -entities

.PHONY: quality-heads
quality-heads: build ## running heads and feet of a set of PDF files made for it: body lost, heads found (SEED=N)
	@python=$$(.ci/headset) && $(GO) run ./test/cmd/quality -heads -seed "$(SEED)" -python "$$python" -keep "$(KEEP)"

.PHONY: quality-made
quality-made: ## web pages whose main content is known, made from SEED: what is lost and kept, beside other tools
	@$(GO) run ./test/cmd/quality -made-html -seed "$(SEED)" -python "$$(.ci/peers)"

.PHONY: quality-made-pdf
quality-made-pdf: ## blocks and tables of 220 PDF files made for it: headings, items, captions, tables (SEED=N, TWINS=DIR adds packages with HTML twins)
	@python=$$(.ci/headset) && $(GO) run ./test/cmd/quality -made-pdf -seed "$(or $(SEED),1)" -python "$$python" -keep "$(KEEP)" -made-twins "$(TWINS)"

.PHONY: quality-made-scans
quality-made-scans: install ## scans of 22 kinds whose text is known, made from SEED, read beside the tesseract command (EACH=N pages of each, KEEP=DIR)
	@.ci/scanfonts
	@OMP_THREAD_LIMIT=1 CGO_ENABLED=1 $(GO) run -tags $(OCR_TAGS) ./test/cmd/quality -made-scans -seed "$(or $(SEED),1)" -scans-each "$(or $(EACH),5)" -keep "$(KEEP)"

.PHONY: hostile
hostile: build ## a folder of harmful files: all must end, no service may: make hostile CORPUS=DIR
	@$(GO) run ./test/cmd/quality $(if $(CORPUS),-hostile "$(CORPUS)")

.PHONY: bench
bench: install build ## speed, latency, CPU time and memory of the whole chain: one table, and bin/bench.json
	@if .ci/ocr check; then CGO_ENABLED=1 $(GO) build -tags $(OCR_TAGS) -o bin/ ./test/cmd/bench; else $(GO) build -o bin/ ./test/cmd/bench; fi
	@bin/bench -json bin/bench.json

.PHONY: soak
soak: install build ## ten minutes at half load: nothing of a process grows (FOR=30m for longer)
	@$(GO) build -o bin/ ./test/cmd/soak
	@bin/soak -for $(or $(FOR),10m) -json bin/soak.json

.PHONY: flips
flips: ## verify finds every one of 1,000 random single-byte flips
	cd cmd/colophon && COLOPHON_FLIPS=1000 $(GO) test -count=1 -v -run TestVerify .

.PHONY: rows
rows: ## verify finds every change of a value, in rows of every kind of every table
	cd cmd/colophon && COLOPHON_ROWS=all $(GO) test -count=1 -v -timeout 60m -run 'TestRows$$' .

.PHONY: conformance
conformance: ## the vector store's tests on Qdrant's own engine: make conformance QDRANT_ENGINE=FILE (or QDRANT_URL=…, one that runs)
	@GO="$(GO)" .ci/conformance "$(QDRANT_ENGINE)"

.PHONY: run-separate
run-separate: build ## servers and services as separate processes, until interrupted
	@bin/colophon dev --separate

FAULTS := $(if $(CORPUS),-corpus "$(abspath $(CORPUS))") -seed $(SEED)

.PHONY: e2e
e2e: install ## faults in the long form: 50 kills, outages of 30 s (SEED=N; CORPUS=DIR for more documents; QDRANT_URL=… for another vector store)
	$(GO) test -count=1 -v -timeout 60m -run 'TestFaults|TestOrders|TestAScan' ./test/fault -args -full $(FAULTS)

.PHONY: e2e-wide
e2e-wide: install ## the same with faults of more kinds, and the captures of e2e-capture
	$(GO) test -count=1 -v -timeout 60m ./test/fault -args -wide $(FAULTS)

.PHONY: e2e-capture
e2e-capture: install ## 10,000 captures by four crawlers over 20 kills of the capturer (SEED=N)
	$(GO) test -count=1 -v -timeout 30m -run 'TestCapture$$' ./test/fault -args -full -seed $(SEED)

.PHONY: e2e-full
e2e-full: install ## all of them with the delays of production and outages of 3 minutes: takes hours
	$(GO) test -count=1 -v -timeout 12h ./test/fault -args -real $(FAULTS)

.PHONY: determinism
determinism: install ## the same dump from other builds, numbers of workers, processes, time zones and orders
	$(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run TestDeterminism ./test/e2e -args -builds
	$(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run TestOrders ./test/fault -args -full

.PHONY: access-test
access-test: install .cache/minio .cache/minio-users ## who may what: the whole chain as the identities of docs/access.md on servers that enforce them
	$(GO) test -count=1 -v -timeout 30m ./test/access -args -minio $(CURDIR)/.cache/minio

# An object store that enforces policies, for this test alone: some minutes, once.
.cache/minio: tools/minio/go.mod
	@mkdir -p .cache
	cd tools/minio && GOWORK=off $(GO) build -trimpath -ldflags "-s -w" -o ../../.cache/minio github.com/minio/minio

.cache/minio-users: tools/minio/go.mod tools/minio/users/main.go
	@mkdir -p .cache
	cd tools/minio && GOWORK=off $(GO) build -trimpath -ldflags "-s -w" -o ../../.cache/minio-users ./users

.PHONY: api-test
api-test: install ## Schemathesis asks the gateway for what its OpenAPI document allows and forbids (EXAMPLES=60)
	@program=$$(.ci/schemathesis) && $(GO) test -count=1 -v -timeout 60m -run 'TestOpenAPI$$' ./test/e2e -args -schemathesis "$$program" -examples $(or $(EXAMPLES),60)

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (default 10s)
	@for m in $(MODULES); do (cd $$m && for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do echo "== $$p $$f"; \
		$(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; done; done) || exit 1; done

.PHONY: images
images: ## an image for each service, without a daemon or a registry, as root: bin/images (ONLY=SERVICE)
	deploy/docker/images $(ONLY)

.PHONY: images-twice
images-twice: images ## the images again, from nothing: their ids are equal
	@OUT=$(CURDIR)/bin/images-again WORK=$(CURDIR)/.cache/images-again deploy/docker/images $(ONLY)
	@cmp bin/images/ids bin/images-again/ids && cat bin/images/ids
	@rm -rf bin/images-again .cache/images-again

.PHONY: images-test
images-test: images ## the images are small and bare, and run as in a cluster they take documents to chunks
	@command -v runc >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq --no-install-recommends runc >/dev/null; }
	$(GO) test -count=1 -v -timeout 30m ./test/images -args -images $(CURDIR)/bin/images

.PHONY: k8s-check
k8s-check: ## deploy/k8s: built, decoded strictly, scored, compared with settings and ways; without a server
	GO="$(GO)" .ci/controlplane kustomize kube-score
	cd test/kubernetes && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test -count=1 -timeout $(TEST_TIMEOUT) ./... && GOWORK=off $(GO) mod tidy -diff

.PHONY: k8s-test
k8s-test: ## the same, and applied to a real API server, which is built here once
	GO="$(GO)" .ci/controlplane
	cd test/kubernetes && GOWORK=off $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) ./... -args -apiserver

PROMETHEUS := .cache/prometheus

$(PROMETHEUS)/promtool: tools/prometheus/go.mod
	@mkdir -p $(PROMETHEUS)
	cd tools/prometheus && GOWORK=off CGO_ENABLED=0 $(GO) build -tags remove_all_sd -ldflags '-s -w' -o $(CURDIR)/$(PROMETHEUS)/ \
		github.com/prometheus/prometheus/cmd/prometheus github.com/prometheus/prometheus/cmd/promtool
	@touch $@

.PHONY: telemetry-test
telemetry-test: install $(PROMETHEUS)/promtool ## alerts and dashboards on a real Prometheus, which scrapes the running chain under faults
	$(GO) test -count=1 -v -timeout 30m -run 'TestPrometheus|TestRules' ./test/e2e -args -prometheus $(CURDIR)/$(PROMETHEUS)

.PHONY: tidy
tidy: ## go mod tidy in every module
	@for m in $(MODULES) tools tools/controlplane/* test/kubernetes; do (cd $$m && GOWORK=off $(GO) mod tidy) || exit 1; done
