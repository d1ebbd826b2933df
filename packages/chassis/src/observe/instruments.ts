import {
	type Attributes,
	type Histogram,
	type Meter,
	type ObservableResult,
	ValueType,
} from "@opentelemetry/api";

/** A measurement: description, unit (UCUM) and attributes. */
export type Instrument = {
	kind: "counter" | "gauge" | "histogram";
	unit: string;
	attributes: readonly string[];
	/** Which services have it. */
	of: string;
	because: string;
};

const define = <const T extends Readonly<Record<string, Instrument>>>(table: T): T => table;

const everyService = "every service";

/**
 * All that is measured, by the names of OpenTelemetry's semantic conventions, and under `lango.` what they
 * have none for. Every attribute has few values: routes are patterns, and no attribute is a tenant or a
 * person.
 */
// biome-ignore format: reads as a table
export const instruments = define({
	"http.server.request.duration": { kind: "histogram", unit: "s", attributes: ["http.request.method", "http.route", "http.response.status_code"], of: everyService, because: "how long requests took; 429 is a limiter's refusal, 5xx a fault of ours" },
	"process.cpu.time": { kind: "counter", unit: "s", attributes: ["cpu.mode"], of: everyService, because: "processor time of the process" },
	"process.memory.usage": { kind: "gauge", unit: "By", attributes: [], of: everyService, because: "resident memory of the process" },
	"process.uptime": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "how long the process has run: it falls when it is started again" },
	"nodejs.eventloop.delay.p50": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "how late the event loop was, in the middle, over ten seconds or since the last look" },
	"nodejs.eventloop.delay.p99": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "how late it was at the 99th percentile: work that holds up everything else" },
	"nodejs.eventloop.delay.max": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "how late it was at the worst" },
	"nodejs.eventloop.time": { kind: "counter", unit: "s", attributes: ["nodejs.eventloop.state"], of: everyService, because: "time the event loop was active and idle: all active is a full core" },
	"v8js.memory.heap.used": { kind: "gauge", unit: "By", attributes: ["v8js.heap.space.name"], of: everyService, because: "memory of JavaScript objects" },
	"db.client.connection.count": { kind: "gauge", unit: "{connection}", attributes: ["db.client.connection.pool.name", "db.client.connection.state"], of: everyService, because: "connections to the database, used and idle" },
	"db.client.connection.max": { kind: "gauge", unit: "{connection}", attributes: ["db.client.connection.pool.name"], of: everyService, because: "connections to the database, at most" },
	"db.client.connection.pending_requests": { kind: "gauge", unit: "{request}", attributes: ["db.client.connection.pool.name"], of: everyService, because: "work that waits for a connection" },
	"lango.outbox.backlog": { kind: "gauge", unit: "{event}", attributes: [], of: everyService, because: "events that are not published yet; counted up to 10,000" },
	"lango.outbox.age": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "how long the oldest of them has waited" },
	"lango.inbox.backlog": { kind: "gauge", unit: "{event}", attributes: [], of: "services that consume", because: "events taken over from the bus that have not had their effect; counted up to 10,000" },
	"lango.inbox.age": { kind: "gauge", unit: "s", attributes: [], of: "services that consume", because: "how long the oldest of them has waited since it was taken over" },
	"lango.inbox.dead_letters": { kind: "gauge", unit: "{event}", attributes: [], of: "services that consume", because: "events that wait for an operator; counted up to 10,000" },
	"messaging.process.duration": { kind: "histogram", unit: "s", attributes: ["messaging.destination.name"], of: "services that consume", because: "how long events took to have their effect, by type; its count is their number (treasury.payment.failed, say)" },
	"lango.inbox.failures": { kind: "counter", unit: "{try}", attributes: ["messaging.destination.name"], of: "services that consume", because: "tries of events that failed; they are tried again" },
	"lango.stream.unread": { kind: "gauge", unit: "{message}", attributes: ["lango.stream"], of: "services that consume", because: "messages of a stream on the bus that the service has not taken over, asked every 15 s at most" },
	"lango.stream.age": { kind: "gauge", unit: "s", attributes: ["lango.stream"], of: "services that consume", because: "how long the oldest of them has been there: the consumer's lag" },
	"lango.stream.lost": { kind: "counter", unit: "{message}", attributes: ["lango.stream"], of: "services that consume", because: "messages that the stream had dropped before the service read them" },
	"lango.job.duration": { kind: "histogram", unit: "s", attributes: ["lango.job.name", "lango.job.outcome"], of: "services with jobs", because: "how long one try of a job took, and whether it was done or failed" },
	"lango.jobs.ready": { kind: "gauge", unit: "{job}", attributes: ["lango.job.name"], of: "services with jobs", because: "jobs that may be begun now" },
	"lango.jobs.dead_letters": { kind: "gauge", unit: "{job}", attributes: ["lango.job.name"], of: "services with jobs", because: "jobs whose last try failed: see node tools/jobs.ts" },
	"lango.entitlements.lookups": { kind: "counter", unit: "{lookup}", attributes: ["lango.cache.result"], of: "domain services", because: "questions about a subscription, answered from memory (hit) or asked of the subscription service (miss)" },
	"lango.passwords.hashing": { kind: "gauge", unit: "{password}", attributes: ["lango.queue.state"], of: "auth", because: "passwords being hashed (running) and waiting to be" },
});

export type InstrumentName = keyof typeof instruments;

type OfKind<K extends Instrument["kind"]> = {
	[N in InstrumentName]: (typeof instruments)[N]["kind"] extends K ? N : never;
}[InstrumentName];

const optionsOf = (name: InstrumentName) => {
	const { unit, because } = instruments[name];
	return { unit, description: because, valueType: ValueType.DOUBLE };
};

export type Observed = { value: number; attributes?: Attributes };

/** Has something looked at whenever it is asked for. What cannot be looked at is left out. */
export function observe(
	meter: Meter,
	name: OfKind<"gauge" | "counter">,
	look: () => readonly Observed[] | Promise<readonly Observed[]>,
): void {
	const read = async (result: ObservableResult) => {
		for (const { value, attributes = {} } of await look()) result.observe(value, attributes);
	};
	if (instruments[name].kind === "counter")
		meter.createObservableCounter(name, optionsOf(name)).addCallback(read);
	else meter.createObservableGauge(name, optionsOf(name)).addCallback(read);
}

const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A histogram of the table, of times. */
export const histogram = (meter: Meter, name: OfKind<"histogram">): Histogram =>
	meter.createHistogram(name, { ...optionsOf(name), advice: { explicitBucketBoundaries: boundaries } });

const suffixOfUnit: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" };

/** What a unit adds to a name at Prometheus; counted things add nothing. */
export const suffixOf = (unit: string): string => suffixOfUnit[unit] ?? "";

/** What Prometheus calls a measurement or an attribute. */
export const prometheusWord = (name: string): string => name.replaceAll(/\W/g, "_");

/**
 * The name under which `/metrics` gives an instrument; of a histogram there are `_bucket`, `_count` and
 * `_sum`.
 */
export function prometheusNameOf(name: InstrumentName): string {
	const { kind, unit } = instruments[name];
	return `${prometheusWord(name)}${suffixOf(unit)}${kind === "counter" ? "_total" : ""}`;
}
