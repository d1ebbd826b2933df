import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type BuiltService, buildService } from "@lango/chassis";
import type { PublicTenant } from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import {
	type CardGateway,
	type CardGatewayOptions,
	defaultSecretKey,
	startCardGateway,
} from "@lango/sandbox-card-gateway";
import { type MobileMoneySandbox, makeKeyPair, startMobileMoneySandbox } from "@lango/sandbox-mobile-money";
import { ensureTenant } from "@lango/tenancy";
import { findFreePort, openStand, type Stand } from "@lango/testkit";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { changeProfile, getProfile } from "../src/gateways/profiles/profile.store.ts";
import { setSecrets } from "../src/gateways/profiles/set-secrets.ts";
import { claimShortcode, saveTenantGateway } from "../src/gateways/shortcodes/tenant-gateway.store.ts";
import { treasury } from "../src/service.ts";

const encryptionKeys = `test:${Buffer.alloc(32, 7).toString("base64")}`;

/**
 * The treasury on a real database, with the sandboxes of both gateways. Jobs run by hand, without the daily
 * comparison.
 */
export type Till = Stand & {
	service: BuiltService;
	transport: Transport;
	mobileMoney: MobileMoneySandbox;
	clock: { now: Date | undefined };
	cardGateway: CardGateway;
	/** Runs the jobs that are due. Returns how many. */
	workDue(): Promise<number>;
	/** Moves the clocks of the service and of the sandboxes, and runs the jobs that are due. */
	wait(seconds: number): Promise<void>;
	/** Asks the sandbox of the mobile-money gateway. */
	sandbox(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
	/** Asks the sandbox of the card gateway. */
	cards(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
	/** The events of a type about a tenant, the first first. */
	published(type: string, tenant: PublicTenant): Promise<Array<Record<string, unknown>>>;
	/** Registers the addresses of a tenant's shortcode at the gateway. */
	registerUrls(tenant: PublicTenant): Promise<void>;
	/**
	 * A phone pays to a paybill or till: the validation is asked, and the confirmation is stored and applied.
	 * Returns the receipt number. Without registered addresses nothing arrives.
	 */
	payAtCounter(payment: CounterPayment): Promise<string>;
	/** The balances of a tenant's accounts in the ledger, in cents. */
	balances(tenant: PublicTenant): Promise<Record<string, number>>;
};

/** What a person pays at a counter, with the account that they type. */
type CounterPayment = { shortcode: string; amountMinor: number; account?: string; phone?: string };

/** Of the mobile-money gateway: one for all files of a worker. */
let keyPair: ReturnType<typeof makeKeyPair> | undefined;

/**
 * Starts everything, with further settings, and with a card gateway that has `cardOptions`; `close` stops
 * everything and drops the database.
 */
export async function openTill(
	environment: Record<string, string> = {},
	cardOptions: CardGatewayOptions = {},
): Promise<Till> {
	keyPair ??= makeKeyPair(new Date());
	const mobileMoney = await startMobileMoneySandbox({ port: 0, keyPair: await keyPair });
	const port = await findFreePort();
	const webhookUrl = `http://127.0.0.1:${port}/api/v1/webhooks/cardgateway`;
	const cardGateway = await startCardGateway({ ...cardOptions, port: 0, webhookUrl });
	const transport = inProcessTransport();
	const clock: Till["clock"] = { now: undefined };
	let service: BuiltService | undefined;
	const stand = await openStand({
		service: treasury,
		build: async (definition, options) => {
			const now = () => clock.now ?? new Date();
			service = await buildService(definition, { ...options, transport, now, jobs: "by hand" });
			return service;
		},
		environment: {
			...settingsOf({
				...{ mobileMoneyUrl: mobileMoney.url, cardsUrl: cardGateway.url, url: `http://127.0.0.1:${port}` },
			}),
			...environment,
		},
	});
	if (service === undefined) throw new Error("the service was not built");
	const built = service;
	await built.app.listen({ host: "127.0.0.1", port });
	const { db } = stand.database;
	const workDue = () => built.jobs.runDue();
	await skipDailyComparison(db);
	await admitShortcodes(stand, mobileMoney.url);
	const sandbox = askAt(mobileMoney.url);
	const cards = askAt(cardGateway.url);
	return {
		...{ ...stand, service: built, transport, mobileMoney, cardGateway, clock, sandbox, cards },
		workDue,
		...openCounter(stand, { built, sandbox }),
		wait: async (seconds) => {
			const at = new Date((clock.now ?? new Date()).getTime() + seconds * 1000);
			clock.now = at;
			for (const gateway of [sandbox, cards])
				await gateway("PUT", "/_control/clock", { now: at.toISOString() });
			await bringForward(db, seconds);
			await workDue();
		},
		published: async (type, tenant) => {
			const rows = await db.query<{ data: Record<string, unknown> }>(
				`select envelope->'data' as data from outbox
				  where envelope->>'type' = $1 and envelope->'data'->>'tenant_id' = $2 order by position`,
				[type, tenant.id],
			);
			return rows.map(({ data }) => data);
		},
		balances: async (tenant) => {
			const rows = await inTenant(db, tenant.id, (tx) =>
				tx.query<{ code: string; balance_minor: string }>(
					"select code, balance_minor from tenant_balances()",
				),
			);
			return Object.fromEntries(rows.map(({ code, balance_minor }) => [code, Number(balance_minor)]));
		},
		close: async () => {
			await stand.close();
			await transport.close();
			await mobileMoney.stop();
			await cardGateway.stop();
		},
	};
}

type Addresses = { mobileMoneyUrl: string; cardsUrl: string; url: string };

/** The settings of a treasury between two sandboxes. */
export const settingsOf = ({ mobileMoneyUrl, cardsUrl, url }: Addresses): Record<string, string> => ({
	...{ TREASURY_KEY_ENCRYPTION_KEYS: encryptionKeys, MOBILE_MONEY_URL: mobileMoneyUrl },
	...{ CARDGW_URL: cardsUrl, CARDGW_SECRET_KEY: defaultSecretKey, HTTP_PUBLIC_BASE_URL: url },
	CONSOLE_UI_URL: "https://console.lango.example",
});

/** Lets so much time pass for jobs that wait. */
export async function bringForward(db: Database, seconds: number): Promise<void> {
	await db.query(
		"update pgboss.job set start_after = start_after - make_interval(secs => $1) where state in ('created', 'retry')",
		[seconds],
	);
}

/** Counts the jobs that are due or running. */
export async function countDue(db: Database): Promise<number> {
	const [row] = await db.query<{ due: number }>(
		`select count(*)::int as due from pgboss.job_common
		  where name not like '%.dead' and state <= 'active' and (start_after <= pgboss.job_now() or state = 'active')`,
	);
	return row?.due ?? 0;
}

/**
 * The daily comparison, of today and of tomorrow, counts as done: its questions about balances are answered
 * at any moment of a test. Tests that are about it run it by its name.
 */
const skipDailyComparison = (db: Database) =>
	db.query(
		`insert into pgboss.job (name, state, singleton_on, completed_on)
		 select 'reconciliation.plan', 'completed', date_trunc('day', now() at time zone 'utc') + make_interval(days => day), now()
		   from generate_series(0, 1) as day`,
	);

/** Asks a sandbox. Throws if it refuses. */
export const askAt =
	(url: string): Till["sandbox"] =>
	async (method, path, body) => {
		const answer = await fetch(`${url}${path}`, {
			method,
			...(body !== undefined && {
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body),
			}),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
		return text === "" ? {} : JSON.parse(text);
	};

/** The sandbox's accounts: the platform's paybill, a hospital's paybill and a café's till. */
export async function admitShortcodes(
	{ database: { db }, tenants, subscriptions }: Pick<Stand, "database" | "tenants" | "subscriptions">,
	gatewayUrl: string,
): Promise<void> {
	const certificate = await (await fetch(`${gatewayUrl}/certificate`)).text();
	await changeProfile(db, "mobile_money", { change: { certificate }, now: new Date() });
	const plan = subscriptions.records.get(tenants.uhai.id);
	if (plan !== undefined)
		subscriptions.records.set(tenants.lango.id, { ...plan, tenant_id: tenants.lango.id });
	const keys = readKeyEncryptionKeys(encryptionKeys);
	const { id: profileId } = await getProfile(db, "mobile_money");
	const change = {
		...{ consumer_key: "sandbox-consumer-key", consumer_secret: "sandbox-consumer-secret" },
		passkey: "sandbox-passkey",
	};
	await setSecrets(db, keys, {
		tenantId: undefined,
		purpose: "mobile_money",
		change,
		profileId,
		now: new Date(),
	});
	for (const { tenant, ...shortcode } of [
		{ tenant: tenants.lango, shortcode: "600100", kind: "paybill" as const },
		{ tenant: tenants.uhai, shortcode: "600200", kind: "paybill" as const },
		{ tenant: tenants.kahawa, shortcode: "600300", kind: "till" as const },
	]) {
		await giveShortcode(db, tenant, shortcode);
	}
}

/** Gives a tenant a shortcode, with the initiator that it has in the sandbox. */
export async function giveShortcode(
	db: Database,
	tenant: { id: string },
	shortcode: { shortcode: string; kind: "paybill" | "till" },
): Promise<void> {
	await ensureTenant(db, tenant.id);
	const change = {
		...{ ...shortcode, initiatorName: "sandbox-initiator", accountReference: undefined },
		...{ unknownAccounts: "accept" as const, refundExcess: false },
	};
	await inTenant(db, tenant.id, async (tx) => {
		await claimShortcode(tx, { tenantId: tenant.id, shortcode: shortcode.shortcode });
		await saveTenantGateway(tx, { tenantId: tenant.id, change, now: new Date() });
		await setSecrets(tx, readKeyEncryptionKeys(encryptionKeys), {
			...{ tenantId: tenant.id, profileId: (await getProfile(tx, "mobile_money")).id },
			...{ purpose: "mobile_money", change: { initiator_password: "Sandbox-2026!" }, now: new Date() },
		});
	});
}

/** Payments to shortcodes by phones of the sandbox. */
function openCounter(
	stand: Stand,
	{ built, sandbox }: { built: BuiltService; sandbox: Till["sandbox"] },
): Pick<Till, "registerUrls" | "payAtCounter"> {
	const { db } = stand.database;
	return {
		registerUrls: async (tenant) => {
			const url = `/api/v1/${tenant.slug}/treasury/mobile-money/urls`;
			const { status, body } = await stand.call({ method: "POST", url, token: stand.token(tenant, "admin") });
			if (status !== 200) throw new Error(`the addresses were not registered: ${status} ${body["code"]}`);
		},
		payAtCounter: async ({ phone = newPhone("is silent"), shortcode, amountMinor, account = "" }) => {
			const { receipt } = await sandbox("POST", `/_control/phones/${phone}/pay`, {
				...{ shortcode, account, amount_minor: amountMinor },
			});
			await until(async () => {
				const rows = await db.query(
					"select from webhook_deliveries where route = 'confirmation' and object_key = $1",
					[`mobile_money.${receipt}`],
				);
				return rows.length > 0;
			});
			await built.jobs.runDue();
			return String(receipt);
		},
	};
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
	const end = Date.now() + 10_000;
	while (!(await isTrue())) {
		if (Date.now() > end) throw new Error("it did not happen within ten seconds");
		await sleep(20);
	}
}

let phones = 0;
/**
 * A new phone whose owner accepts prompts at once, cancels them, or does nothing: the sandbox knows by
 * the end.
 */
export const newPhone = (owner: "accepts" | "cancels" | "is silent"): string =>
	`25471${String(++phones).padStart(4, "0")}${{ accepts: "001", cancels: "032", "is silent": "037" }[owner]}`;

export const newOperation = (): string => randomUUID();
