import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PublicTenant, subscriptionBillingRequested } from "@lango/contracts";
import { natsTransport } from "@lango/events";
import { openPool } from "@lango/postgres";
import { type CardGateway, startCardGateway } from "@lango/sandbox-card-gateway";
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
import { vi } from "vitest";
import { parts } from "../../tools/up.ts";
import { linkTo } from "./breakable-link.ts";
import { readStreams } from "./bus-streams.ts";
import { holdCommits } from "./hold-commits.store.ts";
import { blockTable, countUnpublished } from "./notification-state.store.ts";
import { type Replica, replicaOf } from "./replica.ts";
import {
	ageReceipts,
	countAnswered,
	countDeliveries,
	endBlocked,
	endTokens,
	findBill,
	findPayment,
	findPayout,
	findRefund,
	findSettled,
	findTokenGeneration,
	isRenewing,
	passTenMinutes,
} from "./treasury-state.store.ts";

const encryptionKeys = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const amount_minor = 250_000;

/** A callback that the sandbox has sent. */
type Sent = { url: string; body: string; answered: number | null };

/**
 * Starts two processes of the treasury and the sandboxes of both gateways. The mobile-money gateway,
 * database and bus are behind links that can be cut. Callbacks and events go to the second process.
 */
export async function startTreasuryProcesses() {
	const part = parts.services.find(({ service }) => service.name === "treasury");
	if (part?.demo === undefined) throw new Error("tools/up.ts brings up no treasury");
	const around = await startAround(part.service.migrations);
	const { database, owner, links, issuer, mobileMoney, publisher } = around;
	const tenants = admitTenants(around);
	const folder = mkdtempSync(join(tmpdir(), "lango-treasury-"));
	const ports = (await findFreePorts(2)) as [number, number];
	const webhook = { url: `http://127.0.0.1:${ports[1]}/api/v1/webhooks/cardgateway` };
	const cards = cardsAt(around.cardGateway);
	await cards.control("webhook", "PUT", webhook);
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
		environment: {
			...environment,
			MOBILE_MONEY_SANDBOX_URL: `http://127.0.0.1:${links.gateway.port}`,
			CARD_GATEWAY_SANDBOX_URL: around.cardGateway.url,
		},
	});
	const sandbox = sandboxAt(mobileMoney);
	const call = callerOf(issuer);
	const operate = operatorOf(issuer, tenants.lango);
	const paying = { call, owner, cards, processes, tenants };
	const [payouts, refunds] = [payoutsOf(paying), refundsOf(paying)];
	return {
		...{ database, links, processes, tenants, sandbox, cards, call, operate, payouts, refunds },
		...stateIn(owner, tenants),
		/** How many events of a type the bus keeps that name an operation. */
		async countPublished(type: string, operationId: string): Promise<number> {
			const lines = Object.values(await readStreams(around.bus.url)).flatMap((text) => text.split("\n"));
			return lines.filter((line) => line.includes(`"${type}"`) && line.includes(operationId)).length;
		},
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
		push: async (at: Replica, { tenant, operationId, phone }: Push): Promise<number | undefined> =>
			(await call({ at, tenant, path: `bills/${operationId}/push`, body: { phone } }))?.status,
		/** Holds statements that write to a table, until the returned function is called. */
		block: (table: string, mode?: "access exclusive") => blockTable(database.ownerUrl, { table, mode }),
		/** Ends the statements that wait for a lock, as those of a process that died. */
		endBlocked: () => endBlocked(database.db),
		/** Holds commits of new rows of a table, until the returned function is called. */
		holdCommits: (table: string) => holdCommits(database.ownerUrl, { table }),
		async close() {
			await Promise.all(processes.map((one) => one.kill()));
			await around.close();
			rmSync(folder, { recursive: true });
		},
	};
}

/** Reads and changes what is stored. */
function stateIn(owner: Around["owner"], tenants: ReturnType<typeof admitTenants>) {
	return {
		findBill: (tenant: PublicTenant, operationId: string) =>
			findBill(owner, { tenantId: tenant.id, operationId }),
		countDeliveries: () => countDeliveries(owner),
		findSettled: (tenant: PublicTenant) => findSettled(owner, tenant.id),
		countUnpublished: () => countUnpublished(owner),
		countAnswered: (originatorId: string) =>
			countAnswered(owner, { tenantId: tenants.uhai.id, originatorId }),
		ageReceipts: () => ageReceipts(owner, tenants.uhai.id),
		endTokens: () => endTokens(owner),
		findTokenGeneration: () => findTokenGeneration(owner),
		isRenewing: () => isRenewing(owner),
		letTimePass: () =>
			passTenMinutes(
				owner,
				Object.values(tenants).map(({ id }) => id),
			),
	};
}

type Call = {
	at: Replica;
	tenant: PublicTenant;
	/** Below the routes of the tenant; with a slash at its beginning below those of the platform. */
	path: string;
	body: object;
	headers?: Record<string, string>;
	/** The person: the maker, unless another one is named. */
	by?: "maker" | "checker";
};
type Answer = { status: number; body: Record<string, unknown> };
type Push = { tenant: PublicTenant; operationId: string; phone: string };

/** Calls a route as an administrator or superuser of a tenant, one of two; undefined if no response came. */
function callerOf(issuer: Around["issuer"]) {
	const people = { maker: randomUUID(), checker: randomUUID() };
	return async ({ at, tenant, path, body, headers, by = "maker" }: Call): Promise<Answer | undefined> => {
		const isPlatform = path.startsWith("/");
		const token = issuer.token({
			...{ tenant_id: tenant.id, tenant_slug: tenant.slug, roles: [isPlatform ? "superuser" : "admin"] },
			...{ name: "Amina", email: `${by}@${tenant.slug}.example`, sub: people[by] },
		});
		const url = `${at.url}/api/v1${isPlatform ? `/platform${path}` : `/${tenant.slug}/treasury/${path}`}`;
		const all = { authorization: `Bearer ${token}`, ...asJson, ...headers };
		return fetch(url, { method: "POST", headers: all, body: JSON.stringify(body) }).then(
			async (response) => ({ status: response.status, body: (await response.json()) as Answer["body"] }),
			() => undefined,
		);
	};
}

/** Calls a route of the platform owner. Returns the status. */
function operatorOf(issuer: Around["issuer"], { id, slug }: PublicTenant) {
	const token = issuer.token({
		...{ tenant_id: id, tenant_slug: slug, roles: ["superuser"], name: "Amina" },
		...{ email: "amina@lango.example", sub: randomUUID() },
	});
	return async (at: Replica, path: string, body: object): Promise<number> => {
		const headers = { authorization: `Bearer ${token}`, ...asJson };
		const request = { method: "POST", headers, body: JSON.stringify(body) };
		return (await fetch(`${at.url}/api/v1/platform/${path}`, request)).status;
	};
}

type Paying = {
	call: ReturnType<typeof callerOf>;
	owner: Around["owner"];
	cards: ReturnType<typeof cardsAt>;
	processes: readonly [Replica, Replica];
	tenants: ReturnType<typeof admitTenants>;
};

/** What tests do about payouts of a tenant by the card gateway. */
function payoutsOf({ call, owner, cards, processes: [at], tenants: { uhai: tenant, lango } }: Paying) {
	const require = async (asked: Omit<Call, "at">): Promise<Answer["body"]> => {
		const answer = await call({ at, ...asked });
		if (answer === undefined || answer.status >= 300)
			throw new Error(`${asked.path} answered ${answer?.status}: ${JSON.stringify(answer?.body)}`);
		return answer.body;
	};
	return {
		/** Makes money available, as two operators can, and tops up the balance. Returns a new recipient. */
		async prepare(amount_minor: number): Promise<string> {
			await cards.control("top-up", "POST", { amount: amount_minor });
			const line = { amount_minor };
			const lines = [
				{ ...line, side: "debit", owner: "platform", code: "bank" },
				{ ...line, side: "credit", owner: "tenant", code: "tenant.available" },
			];
			const body = { purpose: "correction", currency: "KES", tenant_id: tenant.id, lines, because: "A test" };
			const { id } = await require({ tenant: lango, path: "/adjustments", body });
			await require({ tenant: lango, path: `/adjustments/${id}/approve`, body: {}, by: "checker" });
			const account_number = `${Date.now()}0001`.slice(-14);
			const recipient = {
				type: "bank",
				name: "Uhai Hospital",
				account_number,
				bank_code: "11",
				currency: "KES",
			};
			return String((await require({ tenant, path: "recipients", body: recipient }))["id"]);
		},
		/** Approves a payout as another person. */
		approve: (id: string) => require({ tenant, path: `payouts/${id}/approve`, body: {}, by: "checker" }),
		find: (id: string) => findPayout(owner, { tenantId: tenant.id, id }),
		/** How often money of a payout left the balance, by the sandbox's truth. */
		async countMoved(reference: string): Promise<number> {
			const { movements } = (await cards.control("ledger")) as {
				movements: Array<{ subject: string; account: string; amount: number }>;
			};
			return movements.filter(
				({ subject, account, amount }) => subject === reference && account === "balance" && amount < 0,
			).length;
		},
	};
}

/** What tests do about refunds of a tenant's payments by card. */
function refundsOf({ call, owner, cards, processes: [at], tenants: { uhai: tenant } }: Paying) {
	const ask = async (path: string, body: object): Promise<Answer["body"]> => {
		const answer = await call({ at, tenant, path, body, headers: { "idempotency-key": randomUUID() } });
		if (answer === undefined || answer.status >= 300)
			throw new Error(`${path} answered ${answer?.status}: ${JSON.stringify(answer?.body)}`);
		return answer.body;
	};
	const find = (intentId: string) => findPayment(owner, { tenantId: tenant.id, intentId });
	return {
		findPayment: find,
		/** A payer pays by card. Returns the payment, and the reference of its charge. */
		async pay(amount_minor: number): Promise<{ paymentId: string; reference: string }> {
			const request = { amount_minor, currency: "KES", description: "Order 17", channels: ["card"] };
			const intentId = String((await ask("intents", request))["id"]);
			const opened = await ask(`intents/${intentId}/checkout`, { email: "amina@example.com" });
			await cards.pay();
			const paymentId = await vi.waitUntil(() => find(intentId), { timeout: 30_000, interval: 100 });
			return { paymentId, reference: String(opened["reference"]) };
		},
		/** Asks for a refund of a part of a payment. Returns its id. */
		ask: async (payment_id: string, amount_minor: number): Promise<string> =>
			String((await ask("refunds", { payment_id, amount_minor, reason: "Cancelled" }))["id"]),
		find: (id: string) => findRefund(owner, { tenantId: tenant.id, id }),
		/** What was returned of a charge, by the sandbox's truth. */
		async listReturned(reference: string): Promise<number[]> {
			const { movements } = (await cards.control("ledger")) as {
				movements: Array<{ subject: string; kind: string; amount: number }>;
			};
			const ofIt = movements.filter(({ subject, kind }) => subject === reference && kind === "refund");
			return ofIt.map(({ amount }) => -amount);
		},
	};
}

type Around = Awaited<ReturnType<typeof startAround>>;

async function startAround(sets: Parameters<typeof createTestDatabase>[0]["sets"]) {
	const database = await createTestDatabase({ name: "treasury", sets });
	const owner = openPool({ url: database.ownerUrl, name: "faults", sizeMax: 2 });
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	const [mobileMoney, bus] = [await startMobileMoneySandbox({ port: 0 }), await startTestBus()];
	// An event that was not answered comes again every second.
	const webhookPausesMs = Array<number>(60).fill(1_000);
	const cardGateway = await startCardGateway({ port: 0, webhookPausesMs });
	const links = {
		...{ database: await linkTo(placeOf(database.url)), bus: await linkTo(placeOf(bus.url)) },
		gateway: await linkTo(placeOf(mobileMoney.url)),
	};
	const publisher = natsTransport({ url: bus.url, name: "faults", onError: () => {} });
	return {
		...{ database, owner, links, issuer, subscriptions, mobileMoney, cardGateway, publisher, bus },
		async close() {
			await Promise.all([publisher.close(), mobileMoney.stop(), issuer.close(), subscriptions.close()]);
			await cardGateway.stop();
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

const controlOf =
	(url: string) =>
	async (path: string, method = "GET", body?: unknown): Promise<unknown> => {
		const init = { method, ...(body !== undefined && { headers: asJson, body: JSON.stringify(body) }) };
		const response = await fetch(`${url}/_control/${path}`, init);
		const text = await response.text();
		if (!response.ok) throw new Error(`the sandbox answered ${response.status}: ${text}`);
		return text === "" ? undefined : JSON.parse(text);
	};

/** What tests ask the sandbox of the card gateway. */
function cardsAt({ url }: CardGateway) {
	const control = controlOf(url);
	return {
		control,
		/** Pays at the page of the checkout that was opened last. */
		async pay(): Promise<void> {
			const { transactions } = (await control("overview")) as { transactions: Array<{ checkout: string }> };
			const accessCode = transactions[0]?.checkout.split("/").at(-1);
			await control(`checkouts/${accessCode}`, "POST", { action: "pay", channel: "card" });
		},
	};
}

/** What tests ask the sandbox of the mobile-money gateway and set there. */
function sandboxAt({ url }: MobileMoneySandbox) {
	const control = controlOf(url);
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
		/** How often money moved by a request with an id of ours. */
		async countMoved(originatorId: string): Promise<number> {
			const { movements } = (await control("ledger")) as {
				movements: Array<{ originator_conversation_id: string | null }>;
			};
			return movements.filter((one) => one.originator_conversation_id === originatorId).length;
		},
		/** Whether a phone shows a prompt. */
		async isPrompted(phone: string): Promise<boolean> {
			const { items } = (await control("phones")) as { items: Array<{ msisdn: string; prompt: unknown }> };
			return items.some(({ msisdn, prompt }) => msisdn === phone && prompt !== null);
		},
	};
}
