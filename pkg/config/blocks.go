package config

import "time"

// The blocks that several services share. A service's own struct holds those
// that it needs; About is their text in the documentation.

// TLS names the files of one store's connections. Its prefix is the store's.
type TLS struct {
	CAFile   string `env:"CA_FILE" help:"File of the authorities, in PEM, of which one must have signed the server's certificate; those of the system when not set."`
	CertFile string `env:"CERT_FILE" help:"File of our own certificate for the server, in PEM, with what leads to its authority."`
	KeyFile  string `env:"KEY_FILE" help:"File of our own certificate's key, in PEM."`
}

// About is the block's text in the documentation.
func (TLS) About() string {
	return "Certificates, alike for each store. All files are read again when they change."
}

// NATS says where the bus is.
type NATS struct {
	URL          Secret `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222" help:"Addresses of the NATS servers, nats:// or tls://, separated by commas; also with a user and a password, or a token, in front of each host."`
	URLFile      string `fileOf:"URL"`
	CredsFile    string `env:"NATS_CREDS" help:"Path of a NATS credentials file: a user's JWT and its seed."`
	NkeyFile     string `env:"NATS_NKEY_FILE" help:"Path of a file with the seed of a user's nkey."`
	TLS          TLS    `envPrefix:"NATS_"`
	Prefix       string `env:"SUBJECT_PREFIX" envDefault:"colophon" help:"First token of every subject."`
	StreamPrefix string `env:"STREAM_PREFIX" help:"Put in front of the name of every stream; consumers keep their names, within their streams."`

	AckWait         time.Duration `env:"ACK_WAIT" envDefault:"30s" allowed:"100ms.." help:"After this long without a sign of life a message is delivered again; signs go at a third of it."`
	MaxAckPending   int           `env:"MAX_ACK_PENDING" envDefault:"5000" allowed:"1.." help:"Messages of one consumer that may be out or wait for their next attempt."`
	DuplicateWindow time.Duration `env:"DUPLICATE_WINDOW" envDefault:"10m" allowed:"100ms.." help:"How long a stream remembers message ids."`
	PublishWait     time.Duration `env:"PUBLISH_WAIT" envDefault:"2s" allowed:"10ms.." help:"How long one publish waits for its acknowledgement."`
	PublishFor      time.Duration `env:"PUBLISH_FOR" envDefault:"10s" allowed:"10ms.." help:"How long a publish is repeated before the bus counts as unavailable; an election of a leader takes up to 9s."`
	ReconnectWait   time.Duration `env:"RECONNECT_WAIT" envDefault:"500ms" allowed:"1ms.." help:"Between attempts to connect."`
}

// About is the block's text in the documentation.
func (NATS) About() string { return "The bus: NATS with JetStream." }

// Runner says how a service's runner handles messages (contracts#consumers).
type Runner struct {
	Workers          int             `env:"WORKERS" envDefault:"2" allowed:"1..1024" help:"Messages that are handled at once."`
	Deadline         time.Duration   `env:"DEADLINE" envDefault:"10m" allowed:"100ms.." help:"How long the handling of one message may take."`
	Grace            time.Duration   `env:"GRACE" envDefault:"25s" allowed:"0s.." help:"How long messages in hand may take to end when the process is told to stop."`
	RetryDelays      []time.Duration `env:"RETRY_DELAYS" envDefault:"5s,30s,2m" allowed:"0s.." help:"After the first, second, … failed attempt; there is one attempt more than there are delays."`
	DeferDelay       time.Duration   `env:"DEFER_DELAY" envDefault:"5s" allowed:"0s.." help:"How long a message waits that cannot be handled now through nobody's fault."`
	ProbeEvery       time.Duration   `env:"PROBE_EVERY" envDefault:"1s" allowed:"1ms.." help:"Between questions to a store that is away whether it is back."`
	PullWait         time.Duration   `env:"PULL_WAIT" envDefault:"3s" allowed:"10ms.." help:"How long one request for a message stays open, and a process that is told to stop waits for it."`
	BatchSize        int             `env:"BATCH_SIZE" envDefault:"50" allowed:"1..1000" help:"Messages in one batch, where a service works in batches."`
	BatchWait        time.Duration   `env:"BATCH_WAIT" envDefault:"5ms" allowed:"0s.." help:"How long a batch waits to be full."`
	QuarantineAfter  int             `env:"QUARANTINE_AFTER" envDefault:"4" allowed:"1.." help:"A message delivered more often than this without a recorded failure is handled alone."`
	QuarantineStarts int             `env:"QUARANTINE_STARTS" envDefault:"4" allowed:"1.." help:"The start in quarantine that counts as a failure."`
}

// About is the block's text in the documentation.
func (Runner) About() string { return "How messages are taken, repeated and given up." }

// Streams says how streams are provisioned (contracts#stream-table).
type Streams struct {
	Replicas     int   `env:"STREAM_REPLICAS" envDefault:"1" allowed:"1..5" help:"Copies of every stream; 3 in production."`
	RequestBytes int64 `env:"REQUEST_BYTES" envDefault:"268435456" allowed:"1048576.." help:"Bytes of capture requests that may wait, which the NATS server sets aside; a full stream pushes back. colophon dev takes less on a small disk."`
}

// About is the block's text in the documentation.
func (Streams) About() string { return "What `colophon provision` makes of the streams." }

// Postgres says where the catalog is.
type Postgres struct {
	URL      Secret        `env:"POSTGRES_URL,required" help:"Connection string of the database, as postgres://user:password@host:port/database."`
	URLFile  string        `fileOf:"URL"`
	TLS      TLS           `envPrefix:"POSTGRES_"`
	Schema   string        `env:"POSTGRES_SCHEMA" envDefault:"colophon" help:"Schema of all tables."`
	MaxConns int32         `env:"POSTGRES_MAX_CONNS" envDefault:"8" allowed:"2..1000" help:"Connections of this process."`
	Timeout  time.Duration `env:"POSTGRES_TIMEOUT" envDefault:"30s" allowed:"100ms.." help:"Of one statement. A lock that others hold is waited for half as long, a connection that says nothing twice, and a transaction whose client says nothing is ended after ten times as long."`
	Fulltext bool          `env:"POSTGRES_FULLTEXT" envDefault:"false" help:"Whether searches also rank by the catalog's full text, stemmed by language. Janitors make it and gateways ask it: both need the same."`
}

// About is the block's text in the documentation.
func (Postgres) About() string { return "The catalog: PostgreSQL 15 or later." }

// S3 says where the object store is.
type S3 struct {
	Endpoint     string `env:"S3_ENDPOINT" envDefault:"http://127.0.0.1:9000" help:"Address of the object store, as http://host:port or https://host:port."`
	AccessKey    Secret `env:"S3_ACCESS_KEY,required" help:"Access key."`
	SecretKey    Secret `env:"S3_SECRET_KEY,required" help:"Secret key."`
	SessionToken Secret `env:"S3_SESSION_TOKEN" help:"Session token, where the keys are temporary ones."`

	AccessKeyFile    string `fileOf:"AccessKey"`
	SecretKeyFile    string `fileOf:"SecretKey"`
	SessionTokenFile string `fileOf:"SessionToken"`
	TLS              TLS    `envPrefix:"S3_"`

	Region       string        `env:"S3_REGION" envDefault:"us-east-1" help:"Region of the buckets."`
	BucketPrefix string        `env:"S3_BUCKET_PREFIX" help:"Put in front of the names of the buckets raw, derived, inbox and bundles."`
	Timeout      time.Duration `env:"S3_TIMEOUT" envDefault:"30s" allowed:"100ms.." help:"Of one request for an object that is held in memory, of the wait for any answer, and of a transfer on which nothing moves."`
	TempDir      string        `env:"TEMP_DIR" help:"Folder for large objects while they pass through; the system's when not set."`
}

// About is the block's text in the documentation.
func (S3) About() string { return "The object store: anything that speaks the S3 API." }

// Qdrant says where the vectors are.
type Qdrant struct {
	Addr       string        `env:"QDRANT_ADDR" envDefault:"127.0.0.1:6334" help:"host:port of the gRPC API."`
	APIKey     Secret        `env:"QDRANT_API_KEY" help:"API key; use TLS with it."`
	APIKeyFile string        `fileOf:"APIKey"`
	TLS        bool          `env:"QDRANT_TLS" envDefault:"false" help:"Whether the connection is encrypted; it is when QDRANT_CA_FILE or QDRANT_CERT_FILE is set."`
	TLSFiles   TLS           `envPrefix:"QDRANT_"`
	Timeout    time.Duration `env:"QDRANT_TIMEOUT" envDefault:"30s" allowed:"100ms.." help:"Of one call."`
	Collection string        `env:"QDRANT_COLLECTION" envDefault:"kb_regulatory" help:"Alias of the collection that is searched; collections are named after it."`
}

// About is the block's text in the documentation.
func (Qdrant) About() string { return "The vector store: Qdrant 1.17 or what speaks its API." }

// Embedding says which model makes vectors of chunks and questions.
type Embedding struct {
	URL           string        `env:"EMBED_URL" help:"Address of an OpenAI-compatible endpoint that embeds, up to its version, as https://host/v1; the built-in embedder, which compares letters and not meaning, when not set. Indexer and gateway need the same."`
	Key           Secret        `env:"EMBED_API_KEY" help:"Key for the endpoint, sent as a bearer token."`
	KeyFile       string        `fileOf:"Key"`
	TLS           TLS           `envPrefix:"EMBED_"`
	Model         string        `env:"EMBED_MODEL" envDefault:"text-embedding-3-small" help:"Model that embeds chunks. Another one is another collection, which is filled beside by colophon index rebuild."`
	QueryModel    string        `env:"EMBED_QUERY_MODEL" help:"Model, or name of it, that embeds questions, where that is another; EMBED_MODEL when not set."`
	Dimensions    int           `env:"EMBED_DIMENSIONS" envDefault:"0" allowed:"0..65536" help:"Numbers of one vector of the model; 0 is 1536 for text-embedding-3-small, and an error for others."`
	Shorten       bool          `env:"EMBED_SHORTEN" envDefault:"false" help:"Whether the endpoint is asked for vectors of EMBED_DIMENSIONS numbers, for models that can shorten them."`
	PassagePrefix string        `env:"EMBED_PASSAGE_PREFIX" help:"Put in front of each chunk, for models that were trained so."`
	QueryPrefix   string        `env:"EMBED_QUERY_PREFIX" help:"Put in front of each question."`
	TextTokens    int           `env:"EMBED_TEXT_TOKENS" envDefault:"2000" allowed:"64.." help:"Tokens of one text, estimated as a third of its bytes; a longer one is split, and its vector is the mean of its parts'."`
	BatchTexts    int           `env:"EMBED_BATCH_TEXTS" envDefault:"32" allowed:"1..2048" help:"Texts in one call."`
	BatchTokens   int           `env:"EMBED_BATCH_TOKENS" envDefault:"8000" allowed:"64.." help:"Tokens in one call, estimated."`
	Calls         int           `env:"EMBED_CALLS" envDefault:"2" allowed:"1..256" help:"Calls of one process at once."`
	Timeout       time.Duration `env:"EMBED_TIMEOUT" envDefault:"10s" allowed:"10ms.." help:"How long a call may take, and EMBED_TOKEN_TIME more for each of its tokens."`
	TokenTime     time.Duration `env:"EMBED_TOKEN_TIME" envDefault:"10ms" allowed:"0s.." help:"How much longer a call may take for each token."`
	DailyTokens   int64         `env:"EMBED_DAILY_TOKENS" envDefault:"0" allowed:"0.." help:"Tokens of chunks that may be embedded in one day of UTC by all indexers; then chunks wait for the next day, and are not found until then. 0 is without bound."`
	Former        FormerModel   `envPrefix:"EMBED_FORMER_"`
}

// FormerModel is a model whose collection is still searched while that of another one is
// filled. What is not set is as that of the other one.
type FormerModel struct {
	URL           string `env:"URL" help:"Address of the former model's endpoint; EMBED_URL when not set. To another one the certificate of EMBED_CERT_FILE is not shown, and EMBED_CA_FILE is used with https only."`
	Key           Secret `env:"API_KEY" help:"Key for it; that of EMBED_URL when this is not set and the address is the same."`
	KeyFile       string `fileOf:"Key"`
	Model         string `env:"MODEL" help:"A model whose collection is still searched while index rebuild fills that of EMBED_MODEL; none when not set. Both are written."`
	QueryModel    string `env:"QUERY_MODEL" help:"As EMBED_QUERY_MODEL was."`
	Dimensions    int    `env:"DIMENSIONS" envDefault:"0" allowed:"0..65536" help:"As EMBED_DIMENSIONS was."`
	Shorten       bool   `env:"SHORTEN" envDefault:"false" help:"As EMBED_SHORTEN was."`
	PassagePrefix string `env:"PASSAGE_PREFIX" help:"As EMBED_PASSAGE_PREFIX was."`
	QueryPrefix   string `env:"QUERY_PREFIX" help:"As EMBED_QUERY_PREFIX was."`
}

// About is the block's text in the documentation.
func (FormerModel) About() string { return "The model that another one replaces." }

// About is the block's text in the documentation.
func (Embedding) About() string {
	return "Vectors of chunks and questions. While an endpoint is away chunks wait for it, and questions are answered by their words alone."
}

// Reranking says which model puts the first hits of a search in order.
type Reranking struct {
	URL     string        `env:"RERANK_URL" help:"Address of an endpoint that reranks, up to its version, as https://host/v1; it is asked by POST …/rerank. No reranker when not set."`
	Key     Secret        `env:"RERANK_API_KEY" help:"Key for the endpoint, sent as a bearer token."`
	KeyFile string        `fileOf:"Key"`
	TLS     TLS           `envPrefix:"RERANK_"`
	Model   string        `env:"RERANK_MODEL" help:"Model that reranks; the endpoint's own when not set."`
	Timeout time.Duration `env:"RERANK_TIMEOUT" envDefault:"2s" allowed:"10ms..20s" help:"How long a search waits for it; then it is answered in the order without it."`
}

// About is the block's text in the documentation.
func (Reranking) About() string {
	return "A model that reads the first 50 hits of a search beside the question, and says how well each answers it. While it is away searches are answered without it, and say so."
}

// Telemetry says where traces, metrics and logs go.
type Telemetry struct {
	LogFormat      string        `env:"LOG_FORMAT" envDefault:"json" allowed:"json|text" help:"How log lines are written, on standard error."`
	LogLevel       string        `env:"LOG_LEVEL" envDefault:"info" allowed:"debug|info|warn|error" help:"The least level that is logged."`
	OTLPEndpoint   string        `env:"OTLP_ENDPOINT" help:"Where traces and metrics go over OTLP gRPC, as http://host:4317 or https://host:4317; nowhere when not set. OTEL_EXPORTER_OTLP_ENDPOINT stands in for it."`
	OTLPHeaders    Secret        `env:"OTLP_HEADERS" help:"Headers for the endpoint, as name=value,name=value. OTEL_EXPORTER_OTLP_HEADERS stands in for it."`
	HeadersFile    string        `fileOf:"OTLPHeaders"`
	TLS            TLS           `envPrefix:"OTLP_"`
	TraceRatio     float64       `env:"TRACE_RATIO" envDefault:"1" allowed:"0..1" help:"Share of new traces that are recorded; a trace that began elsewhere keeps its decision. OTEL_TRACES_SAMPLER_ARG stands in for it."`
	MetricInterval time.Duration `env:"METRIC_INTERVAL" envDefault:"15s" allowed:"10ms.." help:"Between sendings of metrics to the endpoint."`
	FlushTimeout   time.Duration `env:"FLUSH_TIMEOUT" envDefault:"4s" allowed:"10ms.." help:"How long the last sending may take when the process stops."`
}

// About is the block's text in the documentation.
func (Telemetry) About() string {
	return "Traces, metrics and logs. Metrics are also served for Prometheus on the health address."
}

// Health says where a process answers for itself.
type Health struct {
	Addr      string        `env:"HEALTH_ADDR" envDefault:"127.0.0.1:own" help:"host:port of /healthz, /readyz and /metrics; port 0 is any free one, off instead of all is none, and port own is the fixed one of the service: 8081 capturer, 8082 splitter, 8083 extractor, 8084 chunker, 8085 indexer, 8086 gateway, 8087 janitor, 8088 annotator."`
	Heartbeat time.Duration `env:"HEARTBEAT" envDefault:"1m" allowed:"10ms.." help:"/healthz fails when the process's own loop has stood still for this long."`
	Probe     time.Duration `env:"READY_TIMEOUT" envDefault:"3s" allowed:"10ms.." help:"How long one question of /readyz may take."`
	StopGrace time.Duration `env:"STOP_GRACE" envDefault:"40s" allowed:"10ms.." help:"How long the whole process may take to stop; above GRACE and below the platform's own limit."`
}

// About is the block's text in the documentation.
func (Health) About() string { return "Health, readiness and the end of a process." }

// Chat says where a model answers that proposes entities.
type Chat struct {
	URL             string        `env:"CHAT_URL" help:"Address of an OpenAI-compatible endpoint with a chat model, up to its version, as https://host/v1: the model proposes entities beside the rules, describes chunks where a source says enrich, and writes answers of /v1/ask; what does not stand in the text is left out. Rules alone when not set."`
	Key             Secret        `env:"CHAT_API_KEY" help:"Key for the endpoint, sent as a bearer token."`
	KeyFile         string        `fileOf:"Key"`
	TLS             TLS           `envPrefix:"CHAT_"`
	Model           string        `env:"CHAT_MODEL" help:"Name of the model. Needed where CHAT_URL is set."`
	PromptVersion   int           `env:"CHAT_PROMPT" envDefault:"2" allowed:"1..2" help:"Version of the prompt: 1 is the founding document's, 2 asks for all fields and says what evidence must be."`
	Timeout         time.Duration `env:"CHAT_TIMEOUT" envDefault:"1m" allowed:"10ms.." help:"How long one call may take."`
	Calls           int           `env:"CHAT_CALLS" envDefault:"4" allowed:"1..1024" help:"Calls of one process at once."`
	TokensPerMinute int           `env:"CHAT_TOKENS_PER_MINUTE" envDefault:"0" allowed:"0.." help:"Tokens that one process may spend in a minute, questions and answers, estimated; 0 is without bound."`
	AnswerTokens    int           `env:"CHAT_ANSWER_TOKENS" envDefault:"4000" allowed:"64.." help:"Tokens of one answer, at most."`
	DailyTokens     int64         `env:"CHAT_DAILY_TOKENS" envDefault:"0" allowed:"0.." help:"Tokens that the pages and chunks of one source may cost in one day of UTC; then they wait for the next day. 0 is without bound."`
	AskTimeout      time.Duration `env:"CHAT_ASK_TIMEOUT" envDefault:"1m" allowed:"10ms..110s" help:"How long the answer to a question of colophon ask or /v1/ask may take."`
	AskCalls        int           `env:"CHAT_ASK_CALLS" envDefault:"4" allowed:"1..1024" help:"Questions that one process answers at once, beside the calls about pages; more are told to ask again."`
	AskDailyTokens  int64         `env:"CHAT_ASK_DAILY_TOKENS" envDefault:"0" allowed:"0.." help:"Tokens that questions may cost in one day of UTC; then they get the passages alone. 0 is without bound."`
}

// About is the block's text in the documentation.
func (Chat) About() string {
	return "A model that proposes entities, and writes answers to questions. While its endpoint is away pages wait for it, and questions get the passages alone."
}

// Enrichment says how chunks wait for what a model proposes (contracts#enrichment-wait).
type Enrichment struct {
	Wait time.Duration `env:"ENRICH_WAIT" envDefault:"1h" allowed:"0s..720h" help:"How long a version of a source that says enrich: wait is not landed while the chat model has not answered about its chunks; then it lands by the rules, and the answer makes a next generation."`
}

// About is the block's text in the documentation.
func (Enrichment) About() string {
	return "Enrichment of chunks by a chat model, on the chunker's side."
}

// Extraction limits what a document may cost.
type Extraction struct {
	Workers       int           `env:"EXTRACT_CHILDREN" envDefault:"0" allowed:"0..1024" help:"Child processes that parse documents; 0 is one for each core."`
	MaxCalls      int           `env:"EXTRACT_CALLS" envDefault:"1000" allowed:"1.." help:"Calls after which a child is replaced."`
	MemoryBytes   int64         `env:"EXTRACT_MEMORY" envDefault:"1073741824" allowed:"268435456.." help:"Bytes of private memory that a child may use."`
	DocumentBytes int64         `env:"EXTRACT_DOCUMENT_MEMORY" envDefault:"536870912" allowed:"33554432..2147483648" help:"Bytes of memory that the PDF engine may use for one document."`
	ProbeTimeout  time.Duration `env:"EXTRACT_PROBE_TIMEOUT" envDefault:"60s" allowed:"100ms.." help:"How long it may take to open a document and find its facts."`
	PageTimeout   time.Duration `env:"EXTRACT_PAGE_TIMEOUT" envDefault:"20s" allowed:"100ms.." help:"How long one page may take."`
	CacheDir      string        `env:"CACHE_DIR" help:"Folder of the compiled PDF engine; below the user's cache folder when not set."`
}

// About is the block's text in the documentation.
func (Extraction) About() string {
	return "Parsing runs in child processes; a document that needs more than this fails, and nothing else."
}

// OCR says what becomes of pages that need OCR, and limits what one may cost.
type OCR struct {
	Mode        string        `env:"OCR" envDefault:"auto" allowed:"on|off|auto" help:"Whether scans and pictures are read by OCR in this installation; to be set alike for all extractors. on: always, by whichever extractor has the engine; auto: when this one has it; off: nobody reads, pages that need OCR or wait for it fail as ocr_failed."`
	Engine      string        `env:"OCR_ENGINE" envDefault:"tesseract" help:"The engine that reads. What begins with fake reads nothing and is for tests."`
	Workers     int           `env:"OCR_WORKERS" envDefault:"0" allowed:"0..1024" help:"Pages that are read at once, each in a child process; 0 is one for each core."`
	MaxCalls    int           `env:"OCR_CALLS" envDefault:"400" allowed:"1.." help:"Calls after which a child is replaced; a page is two."`
	MemoryBytes int64         `env:"OCR_MEMORY" envDefault:"2147483648" allowed:"268435456.." help:"Bytes of private memory that a child may use."`
	PageTimeout time.Duration `env:"OCR_PAGE_TIMEOUT" envDefault:"1m" allowed:"100ms.." help:"How long a page of 4 megapixels may take; larger ones may take longer."`
	DataDir     string        `env:"OCR_DATA" help:"Folder of the engine's trained data; the engine's own when not set."`
}

// About is the block's text in the documentation.
func (OCR) About() string {
	return "Scans and pictures are read by OCR in child processes of their own; text never waits for them."
}
