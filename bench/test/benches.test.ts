/** The parts of the benches that depend on the services: what breaks here would break a bench. */
import { randomUUID } from "node:crypto";
import { buildService } from "@lango/chassis";
import { inProcessTransport } from "@lango/events";
import { createTestDatabase, findFreePort, startTestIssuer, testTenant } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { parts } from "../../tools/up.ts";
import { claimsOf } from "../chassis/claims.ts";
import { stock } from "../chassis/domain-process.ts";
import { fillCaches } from "../chassis/fill-caches.ts";
import { thing, thingPath } from "../chassis/things.ts";
import { databaseAt } from "../database-at.ts";
import { startAround } from "../notifications/around.ts";
import {
	addBacklog,
	addItems,
	addRecipients,
	addSent,
	countOpen,
	countReported,
	raiseLimits,
	raisePace,
	removeMessages,
} from "../notifications/installation.store.ts";
import { keyEncryptionKeys } from "../notifications/servers.ts";
import { message } from "../notifications/stage.ts";
import { provideWebhook, reportOf } from "../notifications/webhook.ts";
import { type Flow, flows, type User } from "../sign-on/flows.ts";
import { fillInstallation, requireSessionsBelowLimit } from "../sign-on/installation.store.ts";
import { hashPassword } from "../sign-on/password.ts";
import { langoEnvironment, langoTarget, signInPeople } from "../sign-on/stage.ts";
import {
	consumeBySql,
	fillSubscriptions,
	sumConsumed,
	tenantIdOf,
} from "../subscriptions/installation.store.ts";
import { chargeOf, ordinalOf, referenceOf } from "../treasury/charge.ts";
import {
	addAttempts,
	announceReceipts,
	countFailed,
	countWaiting,
	createFloorOfWebhooks,
	insertBytes,
	postCharge,
	postedChannel,
} from "../treasury/charges.store.ts";
import { addTenants, createFloor, readLedger, spreadAccounts } from "../treasury/floor.store.ts";
import { readLines } from "../treasury/reconciliation/read-lines.ts";
import {
	addReceipts,
	addShortcode,
	compareAtFloor,
	compareRestAtFloor,
	countAtFloor,
	createReconciliation,
	isNumberedAlike,
	listRaised,
	sumMatched,
} from "../treasury/reconciliation/reconciliation.store.ts";
import { expectedOf, fileOf, plantedEach, shortcode, spentToday } from "../treasury/reconciliation/stated.ts";
import { environmentOf, openWorkers } from "../treasury/stage.ts";

const unreachable = "http://localhost:9";

/** Builds a service on its own database, which is filled as the database's administrator. */
async function open(
	service: Parameters<typeof buildService>[0],
	fill: (adminUrl: string) => Promise<unknown>,
) {
	const { name, migrations } = service;
	const database = await createTestDatabase({ name, sets: migrations });
	onTestFinished(() => database.drop());
	const adminUrl = databaseAt(
		process.env["TEST_DATABASE_URL"] ?? "",
		new URL(database.url).pathname.slice(1),
	);
	const build = async (environment: Record<string, string>) => {
		const transport = inProcessTransport();
		const built = await buildService(service, {
			environment,
			transport,
			jobs: "by hand",
			logTo: { write() {} },
		});
		onTestFinished(() => built.close());
		return built;
	};
	await fill(adminUrl);
	return { database, adminUrl, build };
}

const serviceOf = (name: string) => {
	const service = parts.services.map((part) => part.service).find((one) => one.name === name);
	if (service === undefined) throw new Error(`there is no service ${name}`);
	return service;
};

/** A pool until the end of the test. The database may be dropped while its connections are being closed. */
function openPoolAt(connectionString: string): pg.Pool {
	const pool = new pg.Pool({ connectionString, max: 2 });
	// The pool emits what happens to a connection that it closes.
	pool.on("error", () => undefined);
	onTestFinished(() => pool.end());
	return pool;
}

test("chassis: the person of the bench gets the thing", async () => {
	const issuer = await startTestIssuer();
	onTestFinished(() => issuer.close());
	const tenant = testTenant("duka-mart");
	issuer.tenants.push(tenant);
	const { database, build } = await open(stock, async () => undefined);
	const { app } = await build({
		STOCK_DATABASE_URL: database.url,
		AUTH_URL: issuer.url,
		STOCK_SNAPSHOT_READ_KEY: mintApiKey().text,
	});
	const authorization = `Bearer ${issuer.token(claimsOf({ sub: tenant.id, tenant }))}`;
	const response = await app.inject({ url: thingPath(tenant.slug), headers: { authorization } });
	expect([response.statusCode, response.json()]).toEqual([200, thing]);
});

test("chassis: the caches of a service can be filled", async () => {
	expect((await fillCaches({ people: 2, tenants: 1 })).tokenBytes).toBeGreaterThan(1_000);
});

test("sign-on: a person of the filled installation passes every flow", async () => {
	const size = { people: 4, tenants: 2 };
	const passwordHash = await hashPassword("Karibu-2026!");
	const { database, adminUrl, build } = await open(serviceOf("auth"), (url) =>
		fillInstallation(url, size, passwordHash),
	);
	const port = await findFreePort();
	const url = `http://localhost:${port}`;
	const { app } = await build(
		langoEnvironment({ port, url, databaseUrl: database.url, subscriptionsUrl: unreachable }),
	);
	await app.listen({ port });
	const [seed] = await signInPeople({ size, adminUrl }, [1]);
	if (seed === undefined) throw new Error("the person is not signed in");
	const user: User = { ...seed, cookies: new Map([seed.cookie]), accessToken: "", idToken: "" };
	const passed: Flow[] = [];
	for (const flow of Object.keys(flows) as Flow[]) {
		for (const step of Object.values(flows[flow])) await step(langoTarget("lango", { url, pid: 0 }), user);
		passed.push(flow);
	}
	expect(passed).toEqual(Object.keys(flows));
	await requireSessionsBelowLimit(adminUrl);
});

test("notifications: a message of the bench is accepted, and copied into a backlog", async () => {
	const stops: Array<() => Promise<unknown>> = [];
	const { environment, senders, tenantId } = await startAround({ tenants: 1 }, stops);
	onTestFinished(async () => {
		for (const stop of stops) await stop();
	});
	const { database, adminUrl, build } = await open(serviceOf("notifications"), async () => undefined);
	const { app } = await build({
		...environment,
		NOTIFICATIONS_DATABASE_URL: database.url,
		NOTIFICATIONS_KEY_ENCRYPTION_KEYS: keyEncryptionKeys,
		NOTIFICATIONS_DISPATCH: "off",
	});
	const { path = "", token = "" } = senders[0] ?? {};
	const response = await app.inject({
		...{ method: "POST", url: path, headers: { authorization: `Bearer ${token}` } },
		payload: { ...message, to: ["person@bench.example"] },
	});
	expect([response.statusCode, response.json().status]).toEqual([202, "accepted"]);
	const admin = new pg.Client({ connectionString: adminUrl });
	await admin.connect();
	onTestFinished(() => admin.end());
	await raiseLimits(admin);
	await raisePace(admin);
	await addBacklog(admin, { tenantId, deliveries: 10, each: 5 });
	expect(await countOpen(admin, "bulk")).toBe(10);
	const { providerId, ...webhook } = await provideWebhook(async (route, payload) => {
		const at = path.replace(/\/messages$/, route);
		const made = await app.inject({
			...{ method: "POST", url: at, headers: { authorization: `Bearer ${token}` } },
			...(payload && { payload }),
		});
		return made.json();
	});
	await addSent(admin, { tenantId, providerId, deliveries: 10, each: 5 });
	const { path: url, body, signature } = reportOf(webhook, 7);
	const report = { method: "POST" as const, url, payload: body };
	const answer = await app.inject({ ...report, headers: { "x-hub-signature-256": signature } });
	expect([answer.statusCode, answer.json()]).toEqual([200, { stored: 1 }]);
	await expect.poll(() => countReported(admin)).toBe(1);
	const userIds = [randomUUID(), randomUUID()];
	await addRecipients(admin, { tenantId, ids: userIds });
	expect(await addItems(admin, { tenantId, userIds })).toHaveLength(2);
	await removeMessages(admin);
	expect(await countOpen(admin, "bulk")).toBe(0);
});

test("subscriptions: a filled tenant has a snapshot, and consumes by the function of the database", async () => {
	const { database, adminUrl, build } = await open(serviceOf("subscriptions"), async () => undefined);
	const apiKey = mintApiKey().text;
	const { app } = await build({
		SUBSCRIPTIONS_DATABASE_URL: database.url,
		AUTH_URL: unreachable,
		SUBSCRIPTIONS_API_KEYS: `bench:snapshot.read+usage.report:${apiKey}`,
	});
	await fillSubscriptions(adminUrl, 1);
	const path = `/api/v1/tenants/${tenantIdOf(1)}/subscription`;
	const response = await app.inject({ url: path, headers: { "x-api-key": apiKey } });
	expect([response.statusCode, response.json().status]).toEqual([200, "ACTIVE"]);
	const pool = openPoolAt(database.url);
	await consumeBySql(pool, tenantIdOf(1), randomUUID());
	expect(await sumConsumed(adminUrl)).toEqual({ counted: 1, consumed: 1 });
});

test("treasury: the process of the bench posts journals that add up to 0, and the floor writes as many rows", async () => {
	const { database, adminUrl } = await open(serviceOf("treasury"), async () => undefined);
	const admin = new pg.Client({ connectionString: adminUrl });
	await admin.connect();
	onTestFinished(() => admin.end());
	const tenants = await addTenants(admin, 2);
	await createFloor(admin, tenants);
	const options = { processes: 1, connections: 2 };
	for (const [program, words] of [
		["services/treasury/test/ledger/posting-process.ts", [database.url, "2"]],
		["bench/treasury/floor-process.ts", [adminUrl, "2", "8"]],
	] as const) {
		const workers = openWorkers({ program, words, options, pid: process.pid });
		onTestFinished(workers.stop);
		expect((await workers.run({ tenants, seconds: 0.2 })).perSecond).toBeGreaterThan(0);
	}
	await spreadAccounts(admin, tenants[0] ?? "");
	const { total, journals } = await readLedger(admin);
	expect([total, journals > 0]).toEqual([0, true]);
	const floor = await admin.query("select count(*) > 0 as has_rows from floor_postings");
	expect(floor.rows).toEqual([{ has_rows: true }]);
});

test("treasury: a webhook of the bench is stored and its money posted, and the floor writes as much", async () => {
	const { database, adminUrl, build } = await open(serviceOf("treasury"), async () => undefined);
	const admin = new pg.Client({ connectionString: adminUrl });
	await admin.connect();
	onTestFinished(() => admin.end());
	const tenants = await addTenants(admin, 1);
	await createFloor(admin, tenants);
	await createFloorOfWebhooks(admin);
	await addAttempts(admin, { tenants, from: 0, count: 2 });
	await announceReceipts(admin);
	const announced: number[] = [];
	admin.on("notification", ({ payload = "" }) => announced.push(ordinalOf(payload)));
	await admin.query(`listen ${postedChannel}`);
	const environment = {
		...{ AUTH_URL: unreachable, SUBSCRIPTIONS_URL: unreachable },
		...{ TREASURY_SNAPSHOT_READ_KEY: mintApiKey().text, TREASURY_USAGE_REPORT_KEY: mintApiKey().text },
	};
	const options = { databaseConnections: 4 };
	const { app, jobs } = await build(environmentOf({ options, environment, appUrl: database.url, port: 0 }));
	const { body, signature } = chargeOf(1);
	const answer = await app.inject({
		...{ method: "POST", url: "/api/v1/webhooks/cardgateway", payload: body },
		headers: { "content-type": "application/json", "x-cardgw-signature": signature },
	});
	expect([answer.statusCode, await countWaiting(admin)]).toEqual([200, 1]);
	await jobs.runDue();
	const id = await insertBytes(admin, Buffer.from(body));
	expect(await countWaiting(admin)).toBe(1);
	await postCharge(admin, { id, reference: referenceOf(0) });
	await expect.poll(() => announced).toEqual([1, 0]);
	expect([await countWaiting(admin), await countFailed(admin)]).toEqual([0, 0]);
});

test("treasury: statements of the bench raise the exceptions that are planted, and the floor finds as many differences", async () => {
	const { database, adminUrl, build } = await open(serviceOf("treasury"), async () => undefined);
	const [issuer, admin] = [await startTestIssuer(), openPoolAt(adminUrl)];
	onTestFinished(() => issuer.close());
	const lango = testTenant("lango");
	issuer.tenants.push(lango);
	const [tenantId = ""] = await addTenants(admin, 1);
	await createReconciliation(admin);
	await addShortcode(admin, tenantId);
	expect(await isNumberedAlike(admin, 46_655)).toBe(true);
	const startsAt = Date.now() - 10 * 86_400_000;
	const statement = { first: 0, lines: 50, startsAt };
	await addReceipts(admin, tenantId, statement);
	const environment = {
		...{ AUTH_URL: issuer.url, SUBSCRIPTIONS_URL: unreachable },
		...{ TREASURY_SNAPSHOT_READ_KEY: mintApiKey().text, TREASURY_USAGE_REPORT_KEY: mintApiKey().text },
	};
	const settings = { options: { databaseConnections: 4 }, environment, appUrl: database.url, port: 0 };
	const { app, jobs } = await build(environmentOf(settings));
	const claims = {
		tenant_id: lango.id,
		tenant_slug: "lango",
		roles: ["superuser"],
		email: "root@lango.example",
	};
	const post = async (path: string, type: string, payload: Buffer | string) => {
		const headers = { "content-type": type, authorization: `Bearer ${issuer.token(claims)}` };
		const answer = await app.inject({ method: "POST", url: `/api/v1/platform/${path}`, headers, payload });
		return [answer.statusCode, answer.json().added];
	};
	const bytes = fileOf(statement);
	const importing = `statements?source=${shortcode}`;
	expect(await post(importing, "text/csv", bytes)).toEqual([200, 50]);
	expect(await post(importing, "text/csv", spentToday(new Date()))).toEqual([200, 1]);
	const at = new Date().toISOString();
	const run = JSON.stringify({ kind: "expectations", from: at, to: at });
	expect(await post("reconciliation/runs", "application/json", run)).toEqual([202, undefined]);
	await jobs.runDue();
	expect((await listRaised(admin)).toSorted()).toEqual(expectedOf(statement).toSorted());
	const { theirs, ...matched } = await sumMatched(admin);
	expect(matched).toEqual({ lines: 45, ours: theirs, unequal: 0 });
	await compareAtFloor(admin, tenantId, readLines(bytes.toString()));
	await compareRestAtFloor(admin, tenantId);
	expect(await countAtFloor(admin)).toBe(plantedEach);
});
