import {
	type Instrument,
	type InstrumentName,
	instruments,
	prometheusNameOf,
	prometheusWord,
} from "@lango/chassis";
import { createClient, createTraceHeaders, memoryStorage } from "@lango/client";
import type { CollectedSpan } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Name, startTracedServices, type TracedServices } from "./traced-services.ts";

const soon = { interval: 25 };
const kinds = { server: 2, client: 3, producer: 4, consumer: 5 };

let services: TracedServices;
beforeAll(async () => {
	services = await startTracedServices();
}, 60_000);
afterAll(() => services?.close());

/** What a page at the accounts' address sends, as its browser does. */
const sent: Array<Record<string, string>> = [];
const inBrowser: typeof fetch = (address, init) => {
	const headers = { ...(init?.headers as Record<string, string>), origin: "http://localhost:3000" };
	sent.push(headers);
	return fetch(address, { ...init, headers });
};

/** Registers a person in a tenant of their own and answers the request's id. */
async function register(slug: string): Promise<string> {
	const client = createClient({
		authUrl: services.urls.auth,
		clientId: "accounts",
		tab: memoryStorage(),
		pageUrl: () => "http://localhost:3000/register",
		fetch: inBrowser,
		channel: undefined,
	});
	await client.call("/api/v1/auth/register", {
		method: "POST",
		isPublic: true,
		body: {
			name: "Neema",
			email: `neema@${slug}.example`,
			password: "Mto-wa-maji-2026!",
			org_action: "create_new",
			organization: { name: slug, slug, use_case: "quick_service" },
			selected_plan: "STARTER",
		},
	});
	return sent.at(-1)?.["x-request-id"] ?? "";
}

const consumers = ["ordering", "logistics"] as const;
/** What a service's log says of an event's effects, by the request they go back to. */
const received = (name: (typeof consumers)[number], id: string) =>
	services
		.lines(name)
		.filter(({ msg, reqId }) => msg === "event" && reqId === id)
		.map(({ type }) => type);

test("the id of a browser's request is in every log, down to the last consumer's", async () => {
	const id = await register("mto");
	expect(services.lines("auth").find(({ reqId, msg }) => msg === "request" && reqId === id)).toMatchObject({
		path: "/api/v1/auth/register",
		status: 201,
		trace_id: id,
	});
	for (const name of consumers)
		await expect
			.poll(() => received(name, id).toSorted(), soon)
			.toEqual(expect.arrayContaining(["auth.user.created", "tenant.created"]));
});

test("a registration and what it caused are one trace, each span below what caused it", async () => {
	const id = await register("ziwa");
	const ofTrace = () => services.collector.spans.filter(({ traceId }) => traceId === id);
	const find = (service: string, name: string) =>
		ofTrace().find((span) => span.service === service && span.name === name);
	await expect
		.poll(() => consumers.map((name) => find(name, "process auth.user.created") !== undefined), soon)
		.toEqual([true, true]);
	// Each service sends on its own, and what ended first may come first.
	const server = await spanOf(() => find("auth", "POST /api/v1/auth/register"));
	expect(server).toMatchObject({
		kind: kinds.server,
		parentSpanId: sent.at(-1)?.["traceparent"]?.split("-")[2],
		attributes: {
			"http.request.method": "POST",
			"http.route": "/api/v1/auth/register",
			"http.response.status_code": 201,
			"url.scheme": "http",
			"server.address": "localhost",
			"lango.request_id": id,
		},
	});
	const sending = await spanOf(() => find("auth", "send auth.user.created"));
	expect(sending).toMatchObject({ kind: kinds.producer, parentSpanId: server.spanId });
	for (const name of consumers) {
		const effect = find(name, "process auth.user.created");
		expect(effect).toMatchObject({
			kind: kinds.consumer,
			parentSpanId: sending?.spanId,
			attributes: { "messaging.message.conversation_id": id, "messaging.consumer.group.name": name },
		});
	}
	const effect = find("ordering", "process auth.user.created");
	const statement = await spanOf(() => ofTrace().find(({ parentSpanId }) => parentSpanId === effect?.spanId));
	expect(statement).toMatchObject({ service: "ordering", attributes: { "db.system.name": "postgresql" } });
	await expect.poll(() => ofTrace().filter(isLost(ofTrace(), server)), soon).toEqual([]);
});

/** A span as soon as it has come. */
async function spanOf(look: () => CollectedSpan | undefined): Promise<CollectedSpan> {
	await expect.poll(look, soon).toBeDefined();
	const found = look();
	if (found === undefined) throw new Error("a span that had come is gone");
	return found;
}

test("what the services measure is what the table of it says, by the names and labels of Prometheus", async () => {
	await register("bahari");
	const read = async () => {
		const texts = await Promise.all(
			[services.urls.auth, services.urls.ordering].map(async (url) => (await fetch(`${url}/metrics`)).text()),
		);
		return describeSeries(texts.join("\n"));
	};
	// What only these services measure is proved by their own tests.
	const elsewhere = ["notifications", "treasury", "notifications, treasury"];
	const wanted = Object.entries<Instrument>(instruments)
		.filter(([, { of }]) => !elsewhere.includes(of))
		.map(([name, { kind, attributes }]) => {
			const labels = attributes.map(prometheusWord).toSorted().join(",");
			return `${kind} ${prometheusNameOf(name as InstrumentName)} ${labels}`;
		})
		.toSorted();
	await expect.poll(read, soon).toEqual(wanted);
});

/**
 * Each series of a text of Prometheus: its kind, its name and its labels, without those that every one has.
 */
function describeSeries(text: string): string[] {
	const kinds = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name, kind]));
	const labelsOf = (name: string) => {
		const sample = new RegExp(`^${name}(?:_bucket|_count|_sum)?\\{([^}]*)\\}`, "gm");
		const all = [...text.matchAll(sample)].flatMap(([, labels = ""]) =>
			[...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label),
		);
		return [...new Set(all)].filter((label) => label !== "le" && !label.startsWith("otel_scope_")).toSorted();
	};
	const names = [...kinds.keys()].filter((name) => name !== undefined);
	return names.map((name) => `${kinds.get(name)} ${name} ${labelsOf(name).join(",")}`).toSorted();
}

/** Whether a span's parent is nowhere in its trace. */
const isLost = (all: readonly CollectedSpan[], root: CollectedSpan | undefined) => (span: CollectedSpan) =>
	span !== root && !all.some(({ spanId }) => spanId === span.parentSpanId);

test("no span holds an address, a name or a password", () => {
	const spans = JSON.stringify(services.collector.spans);
	for (const word of ["neema@", "Neema", "Mto-wa-maji"]) expect(spans).not.toContain(word);
});

test("a service that calls another sends the request id and the position in the trace", async () => {
	const id = "till-7:42";
	const answer = await fetch(`${services.urls.ordering}/api/v1/unknown-tenant/menu/items`, {
		headers: { "x-request-id": id },
	});
	expect(answer.status).toBe(404);
	const path = "/api/v1/tenants/by-slug/unknown-tenant";
	const asked = () => services.lines("auth").filter(({ reqId }) => reqId === id);
	await expect.poll(asked, soon).toContainEqual(expect.objectContaining({ path }));
	const of = (service: string, kind: number) =>
		services.collector.spans.find(
			({ attributes, ...span }) =>
				span.service === service &&
				span.kind === kind &&
				(kind === kinds.server
					? attributes["lango.request_id"] === id && (service !== "auth" || attributes["url.path"] === path)
					: String(attributes["url.full"]).endsWith("/by-slug/unknown-tenant")),
		);
	await expect.poll(() => of("auth", kinds.server) && of("ordering", kinds.server), soon).toBeDefined();
	const calling = await spanOf(() => of("ordering", kinds.client));
	expect(calling).toMatchObject({ parentSpanId: of("ordering", kinds.server)?.spanId });
	expect(of("auth", kinds.server)).toMatchObject({
		parentSpanId: calling.spanId,
		traceId: calling.traceId,
	});
});

/** Signs in the café's owner and returns the token. */
async function signIn(): Promise<string> {
	const answer = await fetch(`${services.urls.auth}/api/v1/auth/login`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ email: "owner@kahawa.example", password: "Karibu-2026!", tenant_slug: "kahawa" }),
	});
	expect(answer.status).toBe(200);
	return String(((await answer.json()) as Record<string, unknown>)["access_token"]);
}

test("a person who leaves is one trace, too: the request, the event, its effect elsewhere, and the job that follows", async () => {
	await services.addDemo();
	const authorization = `Bearer ${await signIn()}`;
	const members = `${services.urls.auth}/api/v1/tenants/kahawa/members`;
	const { items } = (await (await fetch(members, { headers: { authorization } })).json()) as {
		items: Array<{ user_id: string; email: string }>;
	};
	const cashier = items.find(({ email }) => email === "cashier@kahawa.example");
	const headers = { authorization, ...createTraceHeaders(), origin: "http://localhost:3001" };
	const id = headers["x-request-id"];
	const answer = await fetch(`${members}/${cashier?.user_id}`, { method: "DELETE", headers });
	expect(answer.status).toBe(204);
	const find = (service: Name, name: string) =>
		services.collector.spans.find(
			(span) => span.traceId === id && span.service === service && span.name === name,
		);
	const way = await Promise.all([
		spanOf(() => find("auth", "DELETE /api/v1/tenants/:slug/members/:user_id")),
		spanOf(() => find("auth", "send auth.user.updated")),
		spanOf(() => find("logistics", "process auth.user.updated")),
		spanOf(() => find("logistics", "process usage.report")),
	]);
	expect(way.map((span) => span.parentSpanId)).toEqual([
		headers.traceparent.split("-")[2],
		...way.slice(0, -1).map((span) => span.spanId),
	]);
	const said = () => services.lines("logistics").filter(({ reqId }) => reqId === id);
	await expect.poll(said, soon).toContainEqual(expect.objectContaining({ msg: "job", job: "usage.report" }));
});
