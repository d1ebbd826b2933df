import { type Domain, isDevelopment } from "@lango/chassis";
import { type KeyEncryptionKeys, readKeyEncryptionKeys } from "@lango/tokens";
import type { Settings } from "./config.ts";
import { createCallGateway } from "./gateways/calls/call-gateway.ts";
import { type Gateways, openGateways } from "./gateways/open-gateways.ts";
import { ensureProfile } from "./gateways/profiles/profile.store.ts";
import { type Inbox, openInbox } from "./inbox/receive-delivery.ts";
import { observeKeys } from "./measurements/observe-keys.ts";
import { type Counts, observeSpool, observeTreasury } from "./measurements/observe-treasury.ts";

/** The parts of the treasury, besides those of every domain service. */
type Parts = {
	/** They encrypt what is stored of gateways and recipients. */
	keys: KeyEncryptionKeys;
	/** Whether gateways must be https and public: in production. */
	isPublicOnly: boolean;
	/** The origins of front ends, to which a payer may return. */
	allowedOrigins: readonly string[];
	gateways: Gateways;
	inbox: Inbox;
	counts: Counts;
};

/** The dependencies of its routes and operations. */
export type Treasury = Domain<Settings> & Parts;

/** Opens the gateways, and creates their profiles with the addresses of the settings. */
export async function prepare(domain: Domain<Settings>): Promise<Parts> {
	const { db, now, log, settings } = domain;
	const { nodeEnv, allowedOrigins } = settings as unknown as { nodeEnv: string; allowedOrigins: string[] };
	const isPublicOnly = !isDevelopment(nodeEnv);
	const keys = readKeyEncryptionKeys(settings.keyEncryptionKeys.reveal());
	const profile = { environment: isPublicOnly ? ("production" as const) : ("sandbox" as const), now: now() };
	await ensureProfile(db, "mobile_money", { ...profile, baseUrl: settings.mobileMoneyUrl });
	await ensureProfile(db, "card_gateway", { ...profile, baseUrl: settings.cardgwUrl });
	observeKeys(domain, keys);
	const openBreakers = new Set<string>();
	const counts = observeTreasury(domain, openBreakers);
	const call = createCallGateway({ log, isPublicOnly, openBreakers, db });
	const inbox = openInbox({ db, log, spoolDir: settings.spoolDir, counts });
	observeSpool(domain, inbox.measureSpool);
	domain.onStop(() => inbox.stop());
	const gateways = openGateways({ db, now, keys, call, settings });
	return { keys, isPublicOnly, allowedOrigins, inbox, counts, gateways };
}
