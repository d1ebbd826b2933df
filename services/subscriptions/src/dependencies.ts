import { randomUUID } from "node:crypto";
import { admitSettingKeys } from "@lango/access";
import {
	type Context,
	isDevelopment,
	SettingsError,
	type SettingsOf,
	subscribeRevocations,
} from "@lango/chassis";
import { readCluster } from "@lango/postgres";
import { createVerifier, remoteKeySet } from "@lango/tokens";
import type { SandboxAnswer } from "./billing/sandbox.store.ts";
import { type Caches, invalidateOnChange } from "./cache/invalidate-on-change.ts";
import { createCaches } from "./caches.ts";
import { seedCatalogue } from "./catalogue/seed-catalogue.ts";
import type { settings } from "./config.ts";
import type { PipelineParts } from "./pipeline.ts";
import type { Clock } from "./record/tenant-time.ts";
import { subscribeToRoleChanges } from "./role-changes.ts";
import type { ReadLimitUsage } from "./rules/terms/loss.ts";
import type { Snapshots } from "./snapshots/cached-snapshots.ts";
import type { CountingParts } from "./usage/counting.ts";
import { readLimitsUsed } from "./usage/read-usage.ts";

/** The dependencies of the routes, consumers and jobs. */
export type Dependencies = PipelineParts & {
	clock: Clock;
	mint: () => string;
	/** The sandbox's default answer to payment requests; undefined: a treasury answers. */
	sandboxAnswer: SandboxAnswer | undefined;
	readLimitUsage: ReadLimitUsage;
	usage: CountingParts;
	snapshots: Snapshots;
	/** The caches of tenant data. */
	caches: Caches;
	/** Called with an error that is retried later. */
	onError: (error: unknown, about: string) => void;
};

type Given = SettingsOf<(typeof settings)["table"]>;

type Connection = { databaseUrl: string; directDatabaseUrl: string | undefined };

/** Seeds the catalogue, and opens the key set, the clock, the caches and the sandbox. */
export async function openDependencies(context: Context<(typeof settings)["table"]>): Promise<Dependencies> {
	const { settings: given, db, now } = context;
	const { apiKeys, authUrl, authInternalUrl = authUrl, jwksUrl, audience, platformOwnerSlug } = given;
	const billing = readBilling(given);
	await seedCatalogue(db);
	await admitSettingKeys(db, { keys: apiKeys, now: now() });
	const keys = remoteKeySet({ url: jwksUrl ?? `${authInternalUrl}/.well-known/jwks.json`, now });
	// No key has an empty id: the look-up fetches the set if none is cached, and fails only if it cannot be
	// fetched.
	context.readyWhen("keys", async () => void (await keys.find("")));
	const verifier = createVerifier({
		issuer: authUrl,
		audiences: [audience],
		keys,
		now,
		isRevoked: await subscribeRevocations(context),
	});
	const clock: Clock = { now, hasTestClocks: billing.hasTestClocks };
	const onError = (err: unknown, about: string) => context.log.warn({ err, about }, "failed, will retry");
	const { snapshots, terms, caches } = createCaches({ db, clock, tenantsMax: given.tenantsHeldMax });
	const { databaseUrl, directDatabaseUrl = databaseUrl } = given as typeof given & Connection;
	// The nodes of a cluster do not notify (deploy/citus/README.md), so nothing is cached on one.
	if (!(await readCluster(db)).isCluster) invalidateOnChange(context, caches, directDatabaseUrl);
	const usage = { db, clock, terms, onError };
	return {
		db,
		now,
		tenantSlots: context.tenantSlots,
		verifier,
		isOutdated: await subscribeToRoleChanges(context),
		platformOwnerSlug,
		clock,
		mint: randomUUID,
		sandboxAnswer: billing.sandboxAnswer,
		readLimitUsage: (tenantId) => readLimitsUsed(usage, tenantId),
		usage,
		snapshots,
		caches,
		onError,
	};
}

/** Throws SettingsError for a sandbox outside development. */
function readBilling({ nodeEnv, sandboxBilling }: Given): {
	hasTestClocks: boolean;
	sandboxAnswer: SandboxAnswer | undefined;
} {
	const hasSandbox = isDevelopment(nodeEnv);
	if (!hasSandbox && sandboxBilling !== undefined && sandboxBilling !== "off")
		throw new SettingsError([
			"SUBSCRIPTIONS_SANDBOX_BILLING is for development only: unset it, or set NODE_ENV=development",
		]);
	const answer = sandboxBilling ?? (hasSandbox ? "pays" : "off");
	return { hasTestClocks: hasSandbox, sandboxAnswer: answer === "off" ? undefined : answer };
}
