import { randomUUID } from "node:crypto";
import { type BuiltService, buildService } from "@lango/chassis";
import type { PublicTenant } from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { type CardGateway, defaultSecretKey, startCardGateway } from "@lango/sandbox-card-gateway";
import { type MobileMoneySandbox, startMobileMoneySandbox } from "@lango/sandbox-mobile-money";
import { ensureTenant } from "@lango/tenancy";
import { findFreePort, openStand, type Stand } from "@lango/testkit";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { getProfile } from "../src/gateways/profiles/profile.store.ts";
import { setSecrets } from "../src/gateways/profiles/set-secrets.ts";
import { saveTenantGateway } from "../src/gateways/shortcodes/tenant-gateway.store.ts";
import { treasury } from "../src/service.ts";

const encryptionKeys = `test:${Buffer.alloc(32, 7).toString("base64")}`;

/** The treasury on a real database, with the sandboxes of both gateways. Jobs run by hand. */
export type Till = Stand & {
	service: BuiltService;
	transport: Transport;
	mobileMoney: MobileMoneySandbox;
	clock: { now: Date | undefined };
	cardGateway: CardGateway;
	/** Moves the clocks of the service and of the sandboxes, and runs the jobs that are due. */
	wait(seconds: number): Promise<void>;
	/** Asks the sandbox of the mobile-money gateway. */
	sandbox(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
	/** Asks the sandbox of the card gateway. */
	cards(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
	/** The events of a type about a tenant, the first first. */
	published(type: string, tenant: PublicTenant): Promise<Array<Record<string, unknown>>>;
	/** The balances of a tenant's accounts in the ledger, in cents. */
	balances(tenant: PublicTenant): Promise<Record<string, number>>;
};

/** Starts everything, with further settings; `close` stops everything and drops the database. */
export async function openTill(environment: Record<string, string> = {}): Promise<Till> {
	const mobileMoney = await startMobileMoneySandbox({ port: 0 });
	const port = await findFreePort();
	const webhookUrl = `http://127.0.0.1:${port}/api/v1/webhooks/cardgateway`;
	const cardGateway = await startCardGateway({ port: 0, webhookUrl });
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
			...{ TREASURY_KEY_ENCRYPTION_KEYS: encryptionKeys, MOBILE_MONEY_URL: mobileMoney.url },
			...{ CARDGW_URL: cardGateway.url, CARDGW_SECRET_KEY: defaultSecretKey },
			...{
				HTTP_PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
				CONSOLE_UI_URL: "https://console.lango.example",
			},
			...environment,
		},
	});
	if (service === undefined) throw new Error("the service was not built");
	const built = service;
	await built.app.listen({ host: "127.0.0.1", port });
	await admitShortcodes(stand);
	const { db } = stand.database;
	const sandbox = askAt(mobileMoney.url);
	const cards = askAt(cardGateway.url);
	return {
		...{ ...stand, service: built, transport, mobileMoney, cardGateway, clock, sandbox, cards },
		wait: async (seconds) => {
			const at = new Date((clock.now ?? new Date()).getTime() + seconds * 1000);
			clock.now = at;
			for (const gateway of [sandbox, cards])
				await gateway("PUT", "/_control/clock", { now: at.toISOString() });
			await db.query(
				"update pgboss.job set start_after = start_after - make_interval(secs => $1) where state = 'created'",
				[seconds],
			);
			await built.jobs.runDue();
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

/** Asks a sandbox. Throws if it refuses. */
const askAt =
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
async function admitShortcodes({ database: { db }, tenants }: Stand): Promise<void> {
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
		await ensureTenant(db, tenant.id);
		const gateway = {
			...{ ...shortcode, initiatorName: undefined, accountReference: undefined },
			...{ unknownAccounts: "accept" as const, refundExcess: false },
		};
		await inTenant(db, tenant.id, (tx) =>
			saveTenantGateway(tx, { tenantId: tenant.id, change: gateway, now: new Date() }),
		);
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
