import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PublicTenant, subscriptionBillingRequested } from "@lango/contracts";
import { natsTransport } from "@lango/events";
import { openPool } from "@lango/postgres";
import { type MobileMoneySandbox, startMobileMoneySandbox } from "@lango/sandbox-mobile-money";
import {
	createTestDatabase,
	findFreePorts,
	startTestBus,
	startTestIssuer,
	startTestSubscriptions,
	testEvent,
	testSubscription,
	testTenant,
} from "@lango/testkit";
import { parts } from "../../tools/up.ts";
import { linkTo } from "./breakable-link.ts";
import { blockTable, countUnpublished } from "./notification-state.store.ts";
import { type Replica, replicaOf } from "./replica.ts";
import { countDeliveries, endTokens, findBill, isRenewing, passTenMinutes } from "./treasury-state.store.ts";

const encryptionKeys = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const amount_minor = 250_000;

/** A callback that the sandbox has sent. */
type Sent = { url: string; body: string; answered: number | null };

/**
 * Starts two processes of the treasury and the sandbox of the mobile-money gateway. Gateway, database and bus
 * are behind links that can be cut. Callbacks go to the second process.
 */
export async function startTreasuryProcesses() {
	const part = parts.services.find(({ service }) => service.name === "treasury");
	if (part?.demo === undefined) throw new Error("tools/up.ts brings up no treasury");
	const around = await startAround(part.service.migrations);
	const { database, owner, links, issuer, mobileMoney, publisher } = around;
	const tenants = admitTenants(around);
	const folder = mkdtempSync(join(tmpdir(), "lango-treasury-"));
	const ports = (await findFreePorts(2)) as [number, number];
	const environment = {
		...{ ...process.env, ...environmentOf(around) },
		HTTP_PUBLIC_BASE_URL: `http://127.0.0.1:${ports[1]}`,
		TREASURY_SPOOL_DIR: join(folder, "spool"),
	};
	const processes = ports.map((port) =>
		replicaOf({ service: "treasury", port, environment, log: join(folder, `${port}.log`) }),
	) as [Replica, Replica];
	await Promise.all(processes.map((one) => one.start()));
	await part.demo(database.db, {
		...{ now: new Date(), tenants: Object.values(tenants) },
		environment: { ...environment, MOBILE_MONEY_SANDBOX_URL: `http://127.0.0.1:${links.gateway.port}` },
	});
	const sandbox = sandboxAt(mobileMoney);
	return {
		...{ database, links, processes, tenants, sandbox },
		/** Another service asks a tenant to pay. Returns the operation. */
		async ask(tenant: PublicTenant): Promise<string> {
			const operation_id = randomUUID();
			const data = {
				...{ operation_id, tenant_id: tenant.id, kind: "checkout" as const, attempt: 1 },
				...{ amount_minor, currency: "KES" },
				lines: [{ what: "plan" as const, code: "GROWTH", amount_minor }],
			};
			const subject = operation_id;
			await publisher.publish(testEvent(subscriptionBillingRequested, { subject, tenant, data }));
			return operation_id;
		},
		/** Asks a phone to pay. Resolves with the status of the response; undefined if none came. */
		async push(at: Replica, { tenant, operationId, phone }: Push): Promise<number | undefined> {
			const token = issuer.token({
				...{ tenant_id: tenant.id, tenant_slug: tenant.slug, roles: ["admin"], name: "Amina" },
				...{ email: `admin@${tenant.slug}.example`, sub: randomUUID() },
			});
			const url = `${at.url}/api/v1/${tenant.slug}/treasury/bills/${operationId}/push`;
			const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
			const body = JSON.stringify({ phone });
			return fetch(url, { method: "POST", headers, body }).then(
				({ status }) => status,
				() => undefined,
			);
		},
		findBill: (tenant: PublicTenant, operationId: string) =>
			findBill(owner, { tenantId: tenant.id, operationId }),
		countDeliveries: () => countDeliveries(owner),
		countUnpublished: () => countUnpublished(owner),
		endTokens: () => endTokens(owner),
		isRenewing: () => isRenewing(owner),
		letTimePass: () =>
			passTenMinutes(
				owner,
				Object.values(tenants).map(({ id }) => id),
			),
		/** Holds statements that write to a table, until the returned function is called. */
		block: (table: string) => blockTable(database.ownerUrl, { table }),
		async close() {
			await Promise.all(processes.map((one) => one.kill()));
			await around.close();
			rmSync(folder, { recursive: true });
		},
	};
}

type Push = { tenant: PublicTenant; operationId: string; phone: string };
type Around = Awaited<ReturnType<typeof startAround>>;

async function startAround(sets: Parameters<typeof createTestDatabase>[0]["sets"]) {
	const database = await createTestDatabase({ name: "treasury", sets });
	const owner = openPool({ url: database.ownerUrl, name: "faults", sizeMax: 2 });
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	const [mobileMoney, bus] = [await startMobileMoneySandbox({ port: 0 }), await startTestBus()];
	const links = {
		...{ database: await linkTo(placeOf(database.url)), bus: await linkTo(placeOf(bus.url)) },
		gateway: await linkTo(placeOf(mobileMoney.url)),
	};
	const publisher = natsTransport({ url: bus.url, name: "faults", onError: () => {} });
	return {
		...{ database, owner, links, issuer, subscriptions, mobileMoney, publisher },
		async close() {
			await Promise.all([publisher.close(), mobileMoney.stop(), issuer.close(), subscriptions.close()]);
			await Promise.all([owner.close(), ...Object.values(links).map((link) => link.close())]);
			await Promise.all([bus.stop(), database.drop()]);
		},
	};
}

const placeOf = (url: string) => {
	const { hostname, port } = new URL(url);
	return { host: hostname, port: Number(port || 5432) };
};

function admitTenants({ issuer, subscriptions }: Around) {
	const tenants = { uhai: testTenant("uhai"), kahawa: testTenant("kahawa"), lango: testTenant("lango") };
	for (const tenant of Object.values(tenants)) {
		issuer.tenants.push(tenant);
		subscriptions.records.set(tenant.id, testSubscription(tenant.id, { products: ["treasury"] }));
	}
	return tenants;
}

function environmentOf({ database, links, issuer, subscriptions }: Around) {
	const through = new URL(database.url);
	through.hostname = "127.0.0.1";
	through.port = `${links.database.port}`;
	return {
		...{ NODE_ENV: "test", TREASURY_DATABASE_URL: through.toString() },
		TREASURY_KEY_ENCRYPTION_KEYS: encryptionKeys,
		NATS_URL: `nats://127.0.0.1:${links.bus.port}`,
		...{ AUTH_URL: issuer.url, SUBSCRIPTIONS_URL: subscriptions.url, LOG_LEVEL: "info" },
		TREASURY_SNAPSHOT_READ_KEY: subscriptions.apiKey,
		TREASURY_USAGE_REPORT_KEY: subscriptions.apiKey,
	};
}

const asJson = { "content-type": "application/json" };

/** What tests ask the sandbox and set there. */
function sandboxAt({ url }: MobileMoneySandbox) {
	const control = async (path: string, method = "GET", body?: unknown): Promise<unknown> => {
		const init = { method, ...(body !== undefined && { headers: asJson, body: JSON.stringify(body) }) };
		const response = await fetch(`${url}/_control/${path}`, init);
		const text = await response.text();
		if (!response.ok) throw new Error(`the sandbox answered ${response.status}: ${text}`);
		return text === "" ? undefined : JSON.parse(text);
	};
	return {
		accept: (phone: string) => control(`phones/${phone}/accept`, "POST"),
		setFaults: (rules: readonly object[]) => control("faults", "PUT", rules),
		/** The callbacks that were sent, the oldest first. */
		listSent: async () => ((await control("deliveries")) as { items: Sent[] }).items,
		/** How often each phone paid. */
		async countPaid(phone: string): Promise<number> {
			const { movements } = (await control("ledger")) as {
				movements: Array<{ kind: string; phone: string }>;
			};
			return movements.filter((one) => one.kind === "push" && one.phone === phone).length;
		},
		/** Whether a phone shows a prompt. */
		async isPrompted(phone: string): Promise<boolean> {
			const { items } = (await control("phones")) as { items: Array<{ msisdn: string; prompt: unknown }> };
			return items.some(({ msisdn, prompt }) => msisdn === phone && prompt !== null);
		},
	};
}
