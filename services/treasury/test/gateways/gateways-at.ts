import { randomUUID } from "node:crypto";
import { Secret } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { createCallGateway } from "../../src/gateways/calls/call-gateway.ts";
import { type Gateways, openGateways } from "../../src/gateways/open-gateways.ts";
import { changeProfile, ensureProfile, getProfile } from "../../src/gateways/profiles/profile.store.ts";
import { type SecretChange, type SetSecrets, setSecrets } from "../../src/gateways/profiles/set-secrets.ts";
import { saveTenantGateway } from "../../src/gateways/shortcodes/tenant-gateway.store.ts";
import { treasury } from "../../src/service.ts";
import { gatewayKeys, keptLog } from "./shortcode-at.ts";

export const keys = readKeyEncryptionKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);

/** The gateways of a process on a real database, with a tenant that has a shortcode. */
export type GatewaysAt = {
	database: TestDatabase;
	tenantId: string;
	clock: { now: Date };
	/** Opens the gateways as another process does. */
	process(settings?: { secretKey?: string; webhookSecret?: string }): Gateways;
	setPlatform(
		purpose: "mobile_money" | "card_gateway",
		change: SecretChange,
		previousUntil?: Date,
	): Promise<void>;
	setTenant(change: SecretChange, tenantId?: string): Promise<void>;
	/** Adds a tenant with a shortcode. */
	addShortcode(shortcode: string): Promise<string>;
};

/** Opens a database whose profiles lead to a gateway of a test. */
export async function openGatewaysAt(url: string): Promise<GatewaysAt> {
	const database = await createTestDatabase({ name: "treasury", sets: treasury.migrations });
	const { db } = database;
	const clock = { now: new Date("2026-11-26T04:30:00Z") };
	const now = () => clock.now;
	for (const kind of ["mobile_money", "card_gateway"] as const)
		await ensureProfile(db, kind, { environment: "sandbox", baseUrl: url, now: now() });
	const certificate = gatewayKeys.publicKey.export({ type: "spki", format: "pem" }).toString();
	const settings = { per_second: 1_000 };
	await changeProfile(db, "mobile_money", { change: { certificate, settings }, now: now() });
	const set = async (of: Pick<SetSecrets, "tenantId" | "purpose" | "change">, previousUntil?: Date) => {
		const { id: profileId } = await getProfile(db, of.purpose);
		const until = previousUntil === undefined ? {} : { previousUntil };
		await setSecrets(db, keys, { ...of, profileId, now: now(), ...until });
	};
	const addShortcode = async (shortcode: string) => {
		const tenantId = randomUUID();
		await ensureTenant(db, tenantId);
		const change = {
			...{ shortcode, kind: "paybill" as const, initiatorName: "uhai-api", accountReference: undefined },
			...{ unknownAccounts: "accept" as const, refundExcess: false },
		};
		await inTenant(db, tenantId, (tx) => saveTenantGateway(tx, { tenantId, change, now: now() }));
		return tenantId;
	};
	const tenantId = await addShortcode("600100");
	return {
		...{ database, clock, addShortcode, tenantId },
		process: (settings) => openProcess(db, { now, ...settings }),
		setPlatform: (purpose, change, until) => set({ tenantId: undefined, purpose, change }, until),
		setTenant: (change, of = tenantId) => set({ tenantId: of, purpose: "mobile_money", change }),
	};
}

/** Opens the gateways as a process does. */
export const openProcess = (
	db: Database,
	{
		now = () => new Date(),
		secretKey,
		webhookSecret,
	}: { now?: () => Date; secretKey?: string; webhookSecret?: string } = {},
): Gateways =>
	openGateways({
		...{ db, now, keys, call: createCallGateway({ log: keptLog().log, isPublicOnly: false }) },
		settings: {
			cardgwSecretKey: secretKey === undefined ? undefined : new Secret(secretKey),
			cardgwWebhookSecret: webhookSecret === undefined ? undefined : new Secret(webhookSecret),
		},
	});
