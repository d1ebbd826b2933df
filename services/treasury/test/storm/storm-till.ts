import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PublicTenant } from "@lango/contracts";
import { type Database, inTenant, openPool } from "@lango/postgres";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { addTenant, findFreePort, openStand, type Stand } from "@lango/testkit";
import { treasury } from "../../src/service.ts";
import { admitShortcodes, askAt, bringForward, countDue, giveShortcode, settingsOf } from "../till.ts";
import { type Program, programOf } from "./processes.ts";
import type { SandboxUrls } from "./sandbox-process.ts";

/** A shop that asks for payments, pays bills of the platform, and is paid out. */
export type Shop = PublicTenant & { shortcode: string; kind: "paybill" | "till"; recipientId: string };

/**
 * The treasury as a process of its own, which can be killed, and the sandboxes of both gateways in another
 * one. Shops are paid, and pay bills of the platform.
 */
export type StormTill = Omit<Stand, "built"> & {
	shops: readonly Shop[];
	service: Program;
	sandboxes: Program;
	urls: SandboxUrls;
	/** How many bills and other requests were sent, and answered. */
	asked: { bills: number; requests: number };
	/** The time of the service and of the sandboxes. */
	now(): Date;
	/** Asks the sandbox of the mobile-money gateway. */
	sandbox(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
	/** Asks the sandbox of the card gateway. */
	cards(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
	/** How many jobs are due or running. */
	workDue(): Promise<number>;
	/** Moves the clocks of the service and of the sandboxes. */
	wait(seconds: number): Promise<void>;
	/** Ends the service by kill -9, and starts it again. */
	crash(): Promise<void>;
	/** A person of a shop, one of two, sends a request of it, for example `POST payouts`. */
	ask(shop: Shop, request: string, more?: Asked): Promise<StormAnswer>;
	/** A superuser of the platform calls a route of the platform. */
	operate(method: string, path: string, more?: Asked): Promise<StormAnswer>;
};

type Asked = { body?: object; by?: keyof typeof people; headers?: Record<string, string> };
type StormAnswer = { status: number; body: Record<string, unknown> };

const people = { maker: randomUUID(), checker: randomUUID() };

const triedMax = 4;

/** On a busy machine connections take long. */
const patient = { connectTimeoutMs: 300_000, statementTimeoutMs: 300_000 };

/** Some shops of which one may be able to do something, a given one first. */
export const someShops = ({ shops }: StormTill, first: Shop): readonly Shop[] =>
	[first, ...shops.filter((shop) => shop !== first)].slice(0, triedMax);

/** Starts everything, with so many shops: every second one has a paybill, the others a till. */
export async function openStorm({ shops: count = 4 } = {}): Promise<StormTill> {
	const folder = mkdtempSync(join(tmpdir(), "lango-storm-"));
	const logOf = (name: string) => join(folder, `${name}.log`);
	const path = {
		PATH: process.env["PATH"] ?? "",
		NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
	};
	const sandboxes = programOf({
		...{ program: "sandbox-process.ts", environment: () => path, log: logOf("sandboxes") },
	});
	const urls = (await sandboxes.start()) as SandboxUrls;
	const port = await findFreePort();
	const url = `http://127.0.0.1:${port}`;
	let aheadMs = 0;
	let service: Program | undefined;
	const asked = { bills: 0, requests: 0 };
	const stand = await openStand({
		service: treasury,
		environment: {
			...settingsOf({ mobileMoneyUrl: urls.mobileMoney, cardsUrl: urls.cards, url }),
			...{ TREASURY_PORT: `${port}`, TREASURY_HOST: "127.0.0.1", CARDGW_SECRET_KEY: defaultSecretKey },
			...{ TREASURY_DATABASE_CONNECTIONS_MAX: "20", TREASURY_SPOOL_DIR: join(folder, "spool") },
		},
		build: async (_definition, { environment }) => {
			const of = () => ({ ...path, ...environment, STORM_AHEAD_MS: `${aheadMs}` });
			service = programOf({ program: "service-process.ts", environment: of, log: logOf("treasury") });
			await service.start();
			return { app: calling(url, asked), close: service.kill };
		},
	});
	if (service === undefined) throw new Error("the service was not started");
	const { url: databaseUrl, ownerUrl } = stand.database;
	const db = openPool({ url: databaseUrl, name: "storm-driver", sizeMax: 12, ...patient });
	const [sandbox, cards] = [askAt(urls.mobileMoney), askAt(urls.cards)];
	await cards("PUT", "/_control/webhook", { url: `${url}/api/v1/webhooks/cardgateway` });
	await admitShortcodes({ ...stand, database: { ...stand.database, db } }, urls.mobileMoney);
	const now = () => new Date(Date.now() + aheadMs);
	const till = {
		...{ ...stand, database: { ...stand.database, db } },
		...{ service, sandboxes, urls, sandbox, cards, asked, now },
		...callingAs(stand, now),
		workDue: async () => {
			await announceDue(db);
			return countDue(db);
		},
		crash: () => crash(service, db),
		async wait(seconds: number): Promise<void> {
			aheadMs += seconds * 1_000;
			await Promise.all([service?.send({ aheadMs }), sandboxes.send({ aheadMs })]);
			// What is due by the new time happens.
			for (const gateway of [sandbox, cards]) await gateway("PUT", "/_control/clock", { now: null });
			await bringForward(db, seconds);
			await announceDue(db);
		},
		close: async () => {
			await db.close();
			await stand.close();
			await sandboxes.kill();
			rmSync(folder, { recursive: true });
		},
	};
	await keepEvents(ownerUrl);
	await db.query(`update gateway_profiles set settings = settings || '{"per_second": 10000}'`);
	const shops = await openShops(till, stand, count);
	return { ...till, shops };
}

/** Calls the service by HTTP, and counts what it answers. While it does not run, the answer is 503. */
const calling = (url: string, asked: StormTill["asked"]) => ({
	async inject({ method, url: path, headers, payload }: Injected) {
		const json = payload !== undefined && !Buffer.isBuffer(payload);
		const answer = await fetch(`${url}${path}`, {
			method,
			headers: { ...(json && { "content-type": "application/json" }), ...headers },
			...(payload !== undefined && {
				body: json ? JSON.stringify(payload) : (payload as Buffer<ArrayBuffer>),
			}),
		}).then(
			async (response) => {
				asked.requests += 1;
				return { statusCode: response.status, body: await response.text() };
			},
			() => ({ statusCode: 503, body: "" }),
		);
		return { ...answer, headers: {} };
	},
	swagger: () => ({}),
});

type Injected = { method: string; url: string; headers: Record<string, string>; payload?: object };

/** A start takes seconds, on a busy machine many; a rate is counted by the minute. */
const triesMax = 90;

/** Whether no process has answered, or the caller asks too often: the same request is sent again later. */
export const isToRepeat = ({ status, body }: StormAnswer): boolean =>
	(status === 503 && body["code"] === undefined) || status === 429;

function callingAs({ call, token, tenants }: Stand, now: () => Date) {
	const tokens = new Map<string, { text: string; until: number }>();
	/** A person uses a token for its time. */
	const tokenOf = (tenant: PublicTenant, role: string, by: keyof typeof people) => {
		const iat = Math.floor(now().getTime() / 1_000);
		const key = `${tenant.id} ${role} ${by}`;
		const known = tokens.get(key);
		if (known !== undefined && known.until > iat) return known.text;
		const text = token(tenant, role, { sub: people[by], iat, exp: iat + 3_600 });
		tokens.set(key, { text, until: iat + 3_000 });
		return text;
	};
	const headers = () => ({ "idempotency-key": randomUUID() });
	/** While the service does not run or refuses their rate, people send the same request again. */
	const again = async (asked: Parameters<typeof call>[0]): Promise<StormAnswer> => {
		for (let tries = 1; ; tries += 1) {
			const answer = await call(asked);
			if (!isToRepeat(answer) || tries === triesMax) return answer;
			await sleep(1_000);
		}
	};
	return {
		ask: (shop: Shop, request: string, { body, by = "maker" }: Asked = {}) => {
			const [method = "", path] = request.split(" ");
			return again({
				...{ method, url: `/api/v1/${shop.slug}/treasury/${path}`, body, headers: headers() },
				token: tokenOf(shop, "admin", by),
			});
		},
		operate: (method: string, path: string, { body, by = "maker", headers: more }: Asked = {}) =>
			again({
				...{ method, url: `/api/v1/platform/${path}`, body, headers: { ...headers(), ...more } },
				token: tokenOf(tenants.lango, "superuser", by),
			}),
	};
}

async function crash(service: Program | undefined, db: Database): Promise<void> {
	await service?.kill();
	// Its jobs are found once their heartbeats have ended: what takes half a minute has passed.
	await db.query(
		"update pgboss.job set heartbeat_on = heartbeat_on - interval '10 minutes' where state = 'active'",
	);
	await db.query("update platform_gateway_tokens set renewing_until = null");
	await startAgain(service);
}

const startsMax = 5;

/** What starts the service starts it again if it ends because the machine is busy. */
async function startAgain(service: Program | undefined, starts = 1): Promise<void> {
	try {
		await service?.start();
	} catch (error) {
		if (starts === startsMax) throw error;
		await startAgain(service, starts + 1);
	}
}

/** Jobs that fall due are not announced; the service would find them every five seconds. */
const announceDue = (db: Database) =>
	db.query(
		`select pg_notify('pgboss_' || left(encode(sha224('pgboss'::bytea), 'hex'), 24), name)
		   from (select distinct name from pgboss.job_common where state < 'active' and start_after <= pgboss.job_now()) due`,
	);

const keptEvents = [
	"create function keep_event() returns trigger language plpgsql as $$ begin return null; end $$",
	"create trigger keep_event before delete on outbox for each row execute function keep_event()",
	"create index on outbox ((envelope->'data'->>'intent_id'), (envelope->>'type'))",
	"create index on outbox ((envelope->>'type'), (envelope->'data'->>'tenant_id'))",
	// It is asked again and again whether there is work.
	"create index on pgboss.job_common (name) where state <= 'active'",
];

/** Published events are removed after a day; here all of them stay, found by their object or tenant. */
async function keepEvents(ownerUrl: string): Promise<void> {
	const owner = openPool({ url: ownerUrl, name: "storm", sizeMax: 1 });
	try {
		for (const text of keptEvents) await owner.query(text);
	} finally {
		await owner.close();
	}
}

type Opening = Omit<StormTill, "shops">;

async function openShops(till: Opening, stand: Stand, count: number): Promise<Shop[]> {
	const shops: Shop[] = [];
	for (let nth = 0; nth < count; nth += 1) {
		const tenant = addTenant(stand, `shop-${nth}`, { outlets: [{ id: randomUUID(), code: "MAIN" }] });
		const account = { shortcode: String(610_000 + nth), kind: nth % 2 === 0 ? "paybill" : "till" } as const;
		// Businesses are paid from the working account, which no payer fills.
		await till.sandbox("PUT", "/_control/shortcodes", [{ ...account, working_minor: 10_000_000 }] as object);
		await giveShortcode(till.database.db, tenant, account);
		const shop = { ...tenant, ...account, recipientId: "" };
		shops.push({ ...shop, recipientId: await addRecipient(till, shop, nth) });
		await till.ask(shop, "POST mobile-money/urls");
	}
	const lango = { ...till.tenants.lango, shortcode: "600100", kind: "paybill" as const, recipientId: "" };
	await till.ask(lango, "POST mobile-money/urls");
	return shops;
}

/** Transfers to accounts of the sandbox succeed, fail, or are reversed, by their last digits. */
async function addRecipient(till: Opening, shop: Shop, nth: number): Promise<string> {
	const last = ["0001", "0003", "0001", "0002", "0001"][nth % 5];
	const account_number = `${10_000_000 + nth}${last}`;
	const body = { type: "bank", name: "A shop", account_number, bank_code: "11", currency: "KES" };
	const added = await till.ask(shop, "POST recipients", { body });
	if (added.status !== 201) throw new Error(`the recipient was refused: ${JSON.stringify(added.body)}`);
	await inTenant(till.database.db, shop.id, (tx) =>
		tx.query(
			"update recipients set created_at = (created_at at time zone 'UTC' - interval '2 days') at time zone 'UTC'",
		),
	);
	return String(added.body["id"]);
}
