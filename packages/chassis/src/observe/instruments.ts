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
	/** The services that report it. */
	of: string;
	because: string;
	/** Of a histogram that measures longer durations than those of calls. */
	boundaries?: readonly number[];
};

const define = <const T extends Readonly<Record<string, Instrument>>>(table: T): T => table;

const everyService = "every service";

/**
 * All metrics. Names follow OpenTelemetry's semantic conventions; others begin with `lango.`. Every
 * attribute has few values: routes are patterns, and no attribute is a tenant or a person.
 */
// biome-ignore format: reads as a table
export const instruments = define({
	"http.server.request.duration": { kind: "histogram", unit: "s", attributes: ["http.request.method", "http.route", "http.response.status_code"], of: everyService, because: "duration of requests; 429 is a rate limit, 5xx a server error" },
	"process.cpu.time": { kind: "counter", unit: "s", attributes: ["cpu.mode"], of: everyService, because: "processor time of the process" },
	"process.memory.usage": { kind: "gauge", unit: "By", attributes: [], of: everyService, because: "resident memory of the process" },
	"process.uptime": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "time since the start of the process: it falls after a restart" },
	"nodejs.eventloop.delay.p50": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "median delay of the event loop, over ten seconds or since the last read" },
	"nodejs.eventloop.delay.p99": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "99th percentile of that delay: work that blocks all other work" },
	"nodejs.eventloop.delay.max": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "maximum of that delay" },
	"nodejs.eventloop.time": { kind: "counter", unit: "s", attributes: ["nodejs.eventloop.state"], of: everyService, because: "active and idle time of the event loop: without idle time a core is fully used" },
	"v8js.memory.heap.used": { kind: "gauge", unit: "By", attributes: ["v8js.heap.space.name"], of: everyService, because: "memory of JavaScript objects" },
	"db.client.connection.count": { kind: "gauge", unit: "{connection}", attributes: ["db.client.connection.pool.name", "db.client.connection.state"], of: everyService, because: "database connections, used and idle" },
	"db.client.connection.max": { kind: "gauge", unit: "{connection}", attributes: ["db.client.connection.pool.name"], of: everyService, because: "maximum number of database connections" },
	"db.client.connection.pending_requests": { kind: "gauge", unit: "{request}", attributes: ["db.client.connection.pool.name"], of: everyService, because: "requests that wait for a connection" },
	"lango.outbox.backlog": { kind: "gauge", unit: "{event}", attributes: [], of: everyService, because: "unpublished events; counted up to 10,000" },
	"lango.outbox.age": { kind: "gauge", unit: "s", attributes: [], of: everyService, because: "age of the oldest unpublished event" },
	"lango.inbox.backlog": { kind: "gauge", unit: "{event}", attributes: [], of: "services that consume", because: "received events that are not applied yet; counted up to 10,000" },
	"lango.inbox.age": { kind: "gauge", unit: "s", attributes: [], of: "services that consume", because: "time since the oldest of them was received" },
	"lango.inbox.dead_letters": { kind: "gauge", unit: "{event}", attributes: [], of: "services that consume", because: "dead letters, which wait for an operator; counted up to 10,000" },
	"messaging.process.duration": { kind: "histogram", unit: "s", attributes: ["messaging.destination.name"], of: "services that consume", because: "duration of applying events, by type; its count is the number of events (for example treasury.payment.failed)" },
	"lango.inbox.failures": { kind: "counter", unit: "{try}", attributes: ["messaging.destination.name"], of: "services that consume", because: "failed attempts of events; they are retried" },
	"lango.stream.unread": { kind: "gauge", unit: "{message}", attributes: ["lango.stream"], of: "services that consume", because: "messages of a stream that the service has not read; queried at most every 15 s" },
	"lango.stream.age": { kind: "gauge", unit: "s", attributes: ["lango.stream"], of: "services that consume", because: "age of the oldest unread message: the consumer's lag" },
	"lango.stream.lost": { kind: "counter", unit: "{message}", attributes: ["lango.stream"], of: "services that consume", because: "messages that the stream dropped before the service read them" },
	"lango.job.duration": { kind: "histogram", unit: "s", attributes: ["lango.job.name", "lango.job.outcome"], of: "services with jobs", because: "duration of an attempt of a job, and whether it succeeded or failed" },
	"lango.jobs.ready": { kind: "gauge", unit: "{job}", attributes: ["lango.job.name"], of: "services with jobs", because: "jobs that are due" },
	"lango.jobs.dead_letters": { kind: "gauge", unit: "{job}", attributes: ["lango.job.name"], of: "services with jobs", because: "jobs whose last attempt failed: see node tools/jobs.ts" },
	"lango.entitlements.lookups": { kind: "counter", unit: "{lookup}", attributes: ["lango.cache.result"], of: "domain services", because: "look-ups of a subscription, in the cache (hit) or at the subscription service (miss)" },
	"lango.deliveries.due_age": { kind: "gauge", unit: "s", attributes: ["lango.delivery.class"], of: "notifications", because: "for how long the oldest due delivery of all tenants waits" },
	"lango.deliveries.unknown": { kind: "gauge", unit: "{delivery}", attributes: [], of: "notifications", because: "deliveries whose provider did not answer, until a report, a look-up or an hour ends them; counted up to 10,000" },
	"lango.deliveries.settled": { kind: "counter", unit: "{delivery}", attributes: ["lango.channel", "lango.delivery.status"], of: "notifications", because: "states that deliveries reached after an attempt" },
	"lango.providers.degraded": { kind: "gauge", unit: "{provider}", attributes: ["lango.channel"], of: "notifications", because: "providers of the platform that fail or are slow and get fewer messages" },
	"lango.reputation.paused": { kind: "gauge", unit: "{tenant}", attributes: [], of: "notifications", because: "tenants whose e-mail is paused after bounces or complaints, or by the platform owner" },
	"lango.keys.older_rows": { kind: "gauge", unit: "{row}", attributes: ["lango.table"], of: "notifications, treasury", because: "rows under an older key-encryption key (notifications: that the last pass over all tenants found); 0 of every table: the older key is not needed for them" },
	"lango.webhooks.unapplied_age": { kind: "gauge", unit: "s", attributes: [], of: "treasury", because: "for how long the oldest stored webhook waits to be applied" },
	"lango.webhooks.parked": { kind: "gauge", unit: "{delivery}", attributes: ["lango.gateway"], of: "treasury", because: "webhooks that could not be applied and wait for an operator; counted up to 10,000" },
	"lango.webhooks.parked_age": { kind: "gauge", unit: "s", attributes: [], of: "treasury", because: "for how long the oldest webhook waits for an operator" },
	"lango.webhooks.refused": { kind: "counter", unit: "{request}", attributes: ["lango.gateway"], of: "treasury", because: "webhooks without a valid signature or token" },
	"lango.webhooks.duplicates": { kind: "counter", unit: "{request}", attributes: [], of: "treasury", because: "webhooks that came before, byte for byte" },
	"lango.webhooks.spooled": { kind: "gauge", unit: "{file}", attributes: ["lango.spool.state"], of: "treasury", because: "callbacks in the spool of this process: waiting for the database, or set aside because they cannot be stored" },
	"lango.webhooks.spooled_age": { kind: "gauge", unit: "s", attributes: [], of: "treasury", because: "for how long the oldest callback of the spool waits for the database" },
	"lango.exceptions.open": { kind: "gauge", unit: "{exception}", attributes: ["lango.exception.class"], of: "treasury", because: "what gateways and the treasury disagree about, and the platform owner has not decided; counted up to 10,000" },
	"lango.gateway.certificate_left": { kind: "gauge", unit: "s", attributes: [], of: "treasury", because: "how long the certificate of the mobile-money gateway is still valid; none for a bare public key" },
	"lango.attempts.unknown_age": { kind: "gauge", unit: "s", attributes: [], of: "treasury", because: "since when the gateway of the oldest attempt to collect has not said what became of it" },
	"lango.payouts.unknown_age": { kind: "gauge", unit: "s", attributes: [], of: "treasury", because: "since when the oldest payout was sent whose outcome is not known, or that waits for the platform owner: a one-time password, or a decision" },
	"lango.refunds.unknown_age": { kind: "gauge", unit: "s", attributes: [], of: "treasury", because: "since when the oldest refund was sent whose outcome is not known, or that waits for a decision of the platform owner" },
	"lango.attempts.queries": { kind: "counter", unit: "{query}", attributes: ["lango.query.outcome"], of: "treasury", because: "questions to gateways about attempts: ended by the answer, or still open; many that are ended mean that callbacks are lost" },
	"lango.payments.confirmation_delay": { kind: "histogram", unit: "s", attributes: ["lango.gateway", "lango.evidence.source"], of: "treasury", because: "from a payment, by the gateway's clock, until its webhook (delivery) or the answer to a question (query) was applied; of a prompt that a query finds paid, since it was sent", boundaries: [1, 5, 15, 30, 60, 120, 300, 900, 3_600, 21_600, 86_400] },
	"lango.fees.estimated": { kind: "counter", unit: "{minor}", attributes: ["lango.fee.said_by", "lango.channel", "lango.currency"], of: "treasury", because: "what the table of fees says of charges whose fee the card gateway says in an event (charge) or a settlement, in lowest units" },
	"lango.fees.charged": { kind: "counter", unit: "{minor}", attributes: ["lango.fee.said_by", "lango.channel", "lango.currency"], of: "treasury", because: "what the card gateway keeps of the same charges; a difference means that the table of fees is not the gateway's" },
	"lango.refunds.review": { kind: "gauge", unit: "{refund}", attributes: [], of: "treasury", because: "refunds of which no gateway says what became of them and that wait for an operator; counted up to 10,000" },
	"lango.disputes.due": { kind: "gauge", unit: "{dispute}", attributes: [], of: "treasury", because: "disputes that are lost within two days without an answer at the gateway; counted up to 10,000" },
	"lango.gateway.breakers_open": { kind: "gauge", unit: "{operation}", attributes: [], of: "treasury", because: "operations of gateways that are not called, because half of their calls failed" },
	"lango.passwords.hashing": { kind: "gauge", unit: "{password}", attributes: ["lango.queue.state"], of: "auth", because: "password hashes that are running and waiting" },
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

/** Reads the values at every export. If the read fails, no value is exported. */
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

const callBoundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A histogram of durations. */
export function histogram(meter: Meter, name: OfKind<"histogram">): Histogram {
	const { boundaries = callBoundaries }: Instrument = instruments[name];
	return meter.createHistogram(name, {
		...optionsOf(name),
		advice: { explicitBucketBoundaries: [...boundaries] },
	});
}

const suffixOfUnit: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" };

/** The suffix of a unit in a Prometheus name; counts have no suffix. */
export const suffixOf = (unit: string): string => suffixOfUnit[unit] ?? "";

/** The Prometheus name of a metric or an attribute. */
export const prometheusWord = (name: string): string => name.replaceAll(/\W/g, "_");

/** The name of a metric at `/metrics`; a histogram has `_bucket`, `_count` and `_sum`. */
export function prometheusNameOf(name: InstrumentName): string {
	const { kind, unit } = instruments[name];
	return `${prometheusWord(name)}${suffixOf(unit)}${kind === "counter" ? "_total" : ""}`;
}
