import { EventEmitter } from "node:events";
import { authSessionRevoked } from "@lango/contracts";
import { defineConsumer, eventMigrations, inProcessTransport, recordEvent } from "@lango/events";
import { defineJob, enqueueJob, jobMigrations } from "@lango/jobs";
import {
	type CollectedSpan,
	createTestDatabase,
	startTestCollector,
	type TestCollector,
	type TestDatabase,
} from "@lango/testkit";
import { tracedFetch } from "@lango/tracing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
	type Context,
	open,
	type RunningService,
	route,
	type ServiceDefinition,
	startService,
} from "../src/index.ts";
import { defineShop, environmentOf } from "./shop.ts";

// A shop takes orders, asks the kitchen whether it is open, and publishes events. The kitchen cooks at once
// and washes up later.

const session = "8f3c1d5e-0000-4000-8000-000000000001";
const [trace, page] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
const soon = { timeout: 15_000, interval: 20 };
const sets = [eventMigrations, jobMigrations];

type Cook = Pick<Context, "db" | "log">;
const washUp = defineJob<Cook>({ name: "dishes.wash", work: async ({ log }) => log.info("washed") });
const cook = defineJob<Cook>({
	name: "meals.cook",
	work: async ({ db, log }, { id }) => {
		await db.query("select now()");
		log.info("cooked");
		await tracedFetch(`${shop.url}/orders/7?secret=hunter2`);
		await enqueueJob(db, washUp, { id, afterSeconds: 1 });
	},
});
const orderConsumer = defineConsumer(authSessionRevoked, (tx, { subject }) =>
	enqueueJob(tx, cook, { id: subject }),
);

const orderMeal = ({ db }: Cook) => [
	route({
		method: "POST",
		url: "/meals",
		access: open("anybody may try"),
		schema: { response: { 204: { type: "null" } } },
		handler: async (_, reply) => {
			await tracedFetch(`${kitchen.url}/orders/1`);
			const now = new Date();
			const data = { session_id: session, user_id: session, because: "hungry", at: now.toISOString() };
			await db.transaction(async (tx) => {
				await recordEvent(tx, authSessionRevoked, { subject: session, now, data });
			});
			return reply.code(204).send(null);
		},
	}),
];

let collector: TestCollector;
let shop: RunningService;
let kitchen: RunningService;
const databases: TestDatabase[] = [];
const transport = inProcessTransport();
const logged: string[] = [];

async function start(name: string, more: Partial<ServiceDefinition>): Promise<RunningService> {
	const database = await createTestDatabase({ name, sets });
	databases.push(database);
	const dependencies = async ({ db, log }: Context) => ({ db, log });
	return startService(defineShop(new EventEmitter(), { name, migrations: sets, dependencies, ...more }), {
		transport,
		logTo: { write: (line) => void logged.push(line) },
		environment: {
			...environmentOf(database.url),
			[`${name.toUpperCase()}_DATABASE_URL`]: database.url,
			[`${name.toUpperCase()}_HOST`]: "127.0.0.1",
			[`${name.toUpperCase()}_SIGNING_SECRET`]: "hunter2",
			OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
			OTEL_BSP_SCHEDULE_DELAY: "10",
		},
	});
}

beforeAll(async () => {
	collector = await startTestCollector();
	const jobs = [cook, washUp] as ServiceDefinition["jobs"] & object;
	const { routes } = defineShop();
	kitchen = await start("kitchen", { consumes: () => [orderConsumer], jobs });
	shop = await start("shop", { routes: [...routes, orderMeal as (typeof routes)[number]] });
	const asked = await fetch(`${shop.url}/meals`, {
		method: "POST",
		headers: {
			origin: "http://localhost:3001",
			traceparent: `00-${trace}-${page}-00`,
			"x-request-id": trace,
		},
	});
	expect(asked.status).toBe(204);
});
afterAll(async () => {
	for (const service of [shop, kitchen]) await service?.close();
	await transport.close();
	await collector?.close();
	for (const database of databases) await database.drop();
});

const ofTrace = (spans: readonly CollectedSpan[]) => spans.filter(({ traceId }) => traceId === trace);
const find = (service: string, name: string) =>
	ofTrace(collector.spans).find((span) => span.service === service && span.name === name);
const lines = () => logged.map((line) => JSON.parse(line) as Record<string, unknown>);

test("from a page over two services, an event and a job each span is below what caused it", async () => {
	await expect.poll(() => find("kitchen", "process meals.cook"), soon).toBeDefined();
	const request = find("shop", "POST /meals");
	expect(request?.parentSpanId).toBe(page);
	const calls = ofTrace(collector.spans).filter(({ name }) => name === "GET");
	const [called] = calls.filter(({ service }) => service === "shop");
	expect(called?.parentSpanId).toBe(request?.spanId);
	expect(find("kitchen", "GET /orders/:id")?.parentSpanId).toBe(called?.spanId);
	const sent = find("shop", "send auth.session.revoked");
	expect(sent?.parentSpanId).toBe(request?.spanId);
	const effect = find("kitchen", "process auth.session.revoked");
	expect(effect?.parentSpanId).toBe(sent?.spanId);
	const job = find("kitchen", "process meals.cook");
	expect(job?.parentSpanId).toBe(effect?.spanId);
	const statement = ofTrace(collector.spans).find(
		({ parentSpanId, name }) => parentSpanId === job?.spanId && name === "select",
	);
	expect(statement?.attributes).toMatchObject({ "db.query.text": "select now()" });
	const [asked] = calls.filter(({ service }) => service === "kitchen");
	expect(asked?.parentSpanId).toBe(job?.spanId);
	await expect.poll(() => find("shop", "GET /orders/:id")?.parentSpanId, soon).toBe(asked?.spanId);
});

test("the statements of a transaction are there, with the one that goes out with its commit", async () => {
	const request = find("shop", "POST /meals");
	const statements = ofTrace(collector.spans).filter(
		({ parentSpanId, attributes }) =>
			parentSpanId === request?.spanId && attributes["db.system.name"] === "postgresql",
	);
	expect(statements.map(({ attributes }) => attributes["db.query.text"]).join("\n")).toContain(
		"insert into outbox",
	);
});

test("background work of the outbox and the inbox is in no trace", () => {
	const texts = collector.spans.map(({ attributes }) => String(attributes["db.query.text"]));
	expect(texts.filter((text) => /inbox|deliveries/.test(text))).toEqual([]);
});

test("a deferred job has its own id and trace, with a link to the trace that enqueued it", async () => {
	const washing = () => collector.spans.find(({ name }) => name === "process dishes.wash");
	await expect.poll(washing, { ...soon, timeout: 10_000 }).toBeDefined();
	expect(washing()).toMatchObject({ parentSpanId: undefined, links: [{ traceId: trace }] });
	expect(washing()?.traceId).not.toBe(trace);
	const cooking = find("kitchen", "process meals.cook");
	expect(washing()?.links).toEqual([{ traceId: trace, spanId: cooking?.spanId }]);
	const line = lines().find(({ msg }) => msg === "washed");
	expect(line?.["reqId"]).toBe(washing()?.attributes["lango.request_id"]);
	expect(line?.["reqId"]).not.toBe(trace);
});

test("one id is in every line of it: of both requests, the effect, the job, and what the work itself writes", async () => {
	const said = () =>
		lines()
			.filter(({ reqId }) => reqId === trace)
			.map(({ service, msg, path, type, job }) => [service, msg, path ?? type ?? job]);
	await expect.poll(said, soon).toEqual(
		expect.arrayContaining([
			["shop", "request", "/meals"],
			["kitchen", "request", "/orders/1"],
			["kitchen", "event", "auth.session.revoked"],
			["kitchen", "cooked", undefined],
			["kitchen", "job", "meals.cook"],
			["shop", "request", "/orders/7"],
		]),
	);
});

test("no span contains the query of an address", () => {
	expect(collector.spans.length).toBeGreaterThan(8);
	expect(JSON.stringify(collector.spans)).not.toContain("hunter2");
});
