import {
	type Access,
	accessMigrations,
	createAccess,
	createKeyUses,
	findBoundKey,
	type KeyUses,
	keyUsesEverySeconds,
	seedAccess,
} from "@lango/access";
import {
	createEntitlements,
	createUsageClient,
	type Entitlements,
	type UsageClient,
} from "@lango/entitlements";
import { createTenancy, signOnAt, type Tenancy, tenancyMigrations } from "@lango/tenancy";
import { type ApiKeyParts, createVerifier, remoteKeySet, type Verifier } from "@lango/tokens";
import { subscribeEntitlements } from "../../events/subscribe-entitlements.ts";
import { subscribeRevocations } from "../../events/subscribe-revocations.ts";
import { limitRateWith, type RateLimitSteps } from "../../limits/limit-rate.ts";
import { getRateLimits } from "../../limits/rate-limit.store.ts";
import { observe } from "../../observe/instruments.ts";
import { sampleLines } from "../../observe/sample-lines.ts";
import type { StoredApiKey } from "../../request/authenticate.ts";
import { type Context, platformSettings } from "../../service.ts";
import { keysPage, replacedSetting, serviceKey } from "../../settings/service-keys.ts";
import { integer, type SettingsOf, type SettingsTable, url } from "../../settings/settings.ts";
import type { ResolvedAccess } from "./declaration.ts";
import { chassisMigrations } from "./migrations.ts";
import { recordRepointedWith } from "./record-repointed.ts";
import { subscribeChanges } from "./subscribe-changes.ts";

/** The cache sizes of each process. */
const memorySettings = {
	peopleHeldMax: integer({
		default: 10_000,
		min: 1,
		because: "maximum number of people whose roles are cached",
	}),
	tenantsHeldMax: integer({
		default: 2_000,
		min: 1,
		because: "maximum number of tenants that are cached with their subscriptions",
	}),
	tokensHeldMax: integer({
		default: 10_000,
		min: 1,
		because: "maximum number of access tokens whose verification is cached",
	}),
};

/** The settings of every domain service, in addition to those of every service and its own. */
export const domainSettings = {
	...platformSettings,
	tenantsReadKey: serviceKey({
		purpose: "tenants.read",
		optional: true,
		because:
			"the key for reading tenants by id and their outlets from the sign-on service; without it a tenant whose id or slug changed there, or whose id is unknown here, is refused with 503",
	}),
	subscriptionsUrl: url({
		env: "SUBSCRIPTIONS_URL",
		default: "http://localhost:4001",
		because: "the subscription service, asked whether a tenant may change anything",
	}),
	snapshotReadKey: serviceKey({
		purpose: "snapshot.read",
		because: `the key for reading snapshots from the subscription service; it replaces SUBSCRIPTIONS_API_KEY (${keysPage})`,
	}),
	usageReportKey: serviceKey({
		purpose: "usage.report",
		optional: true,
		because: "the key for reporting usage to the subscription service; for services that report it",
	}),
	oldAuthApiKey: replacedSetting({
		env: "AUTH_API_KEY",
		by: `set <SERVICE>_TENANTS_READ_KEY, and list it in AUTH_API_KEYS of the sign-on service (${keysPage})`,
	}),
	oldSubscriptionsApiKey: replacedSetting({
		env: "SUBSCRIPTIONS_API_KEY",
		by: `set <SERVICE>_SNAPSHOT_READ_KEY and, where usage is reported, <SERVICE>_USAGE_REPORT_KEY, and list them in SUBSCRIPTIONS_API_KEYS of the subscription service (${keysPage})`,
	}),
	...memorySettings,
};

/** The tables of every domain service, in the order of creation. */
export const domainMigrations = [tenancyMigrations, accessMigrations, chassisMigrations];

/**
 * The dependencies of a domain service's routes: those of every service, and the three layers of
 * authorization.
 */
export type Domain<T extends SettingsTable = SettingsTable> = Omit<Context, "settings"> & {
	/** The service's name: the prefix of its permissions. */
	name: string;
	settings: SettingsOf<T> & SettingsOf<typeof domainSettings>;
	tenancy: Tenancy;
	access: Access;
	entitlements: Entitlements;
	/** Reports usage to the subscription service. A job sends stored reports, so that they survive a crash. */
	usage: UsageClient;
	verifier: Verifier;
	limits: RateLimitSteps;
	/** Permissions and roles as declared. */
	policy: ResolvedAccess;
	/** Finds a valid API key. */
	findApiKey: (id: string) => Promise<StoredApiKey | undefined>;
	/** Records the use of a key. */
	noteKeyUse: KeyUses["note"];
};

/** What the key in a service's own setting permits. */
export type PlatformKeyRule = { setting: string; permissions: readonly string[] };

type Assembled = {
	name: string;
	policy: ResolvedAccess;
	keptOfDeleted: Readonly<Record<string, string>>;
	platformKey: PlatformKeyRule | undefined;
};

/**
 * The audit log is kept. It contains ids, and the client's address until the person is erased. The
 * deletion of a tenant does not erase people.
 */
const alwaysKept = ["audit_log"];

type Connection = { databaseUrl: string; directDatabaseUrl: string | undefined };

/**
 * Creates the dependencies of the pipeline and the routes, and writes the declared permissions and roles
 * (idempotent).
 */
export async function assembleDomain<T extends SettingsTable>(
	context: Context<T & typeof domainSettings>,
	{ name, policy, keptOfDeleted, platformKey }: Assembled,
): Promise<Domain<T>> {
	const { db, now, log } = context;
	const settings = context.settings as SettingsOf<T> & SettingsOf<typeof domainSettings> & Connection;
	const onError = (err: unknown, about: string) =>
		log.warn({ err, about }, "upstream unavailable, serving cached data");
	await seedAccess(db, policy);

	const signOnUrl = settings.authInternalUrl ?? settings.authUrl;
	const keys = remoteKeySet({ url: settings.jwksUrl ?? `${signOnUrl}/.well-known/jwks.json`, now });
	// No key has this id. The look-up fetches the set if none is cached, and fails only if it cannot be
	// fetched.
	context.readyWhen("keys", async () => void (await keys.find("")));
	const signOn = signOnAt(signOnUrl, { apiKey: settings.tenantsReadKey?.reveal() });
	const onRepointed = recordRepointedWith({ service: name, now });
	const { tenantsHeldMax: tenantsMax, peopleHeldMax: peopleMax } = settings;
	const tenancy = createTenancy({ db, signOn, now, onError, onRepointed, tenantsMax });
	context.onStop(() => tenancy.settled());
	const access = createAccess({ db, now, service: name, firstRole: policy.firstRoleOf, peopleMax });
	const kept = [...alwaysKept, ...Object.keys(keptOfDeleted)];
	const limits = limitRateWith({
		limits: await getRateLimits(db),
		reload: () => getRateLimits(db),
		now,
		shared: context.sharedCounts,
		onError,
	});
	const { databaseUrl, directDatabaseUrl: listenAt = databaseUrl } = settings;
	const caches = { tenancy, access, limits };
	await subscribeChanges(context, caches, { name, databaseUrl: listenAt, kept });
	const asking = {
		subscriptionsUrl: settings.subscriptionsUrl,
		now,
		onError: logStaleSnapshots(log),
	};
	const snapshotReadKey = settings.snapshotReadKey.reveal();
	const entitlements = createEntitlements({ ...asking, apiKey: snapshotReadKey, cacheMax: tenantsMax });
	observeLookups(context.meter, entitlements);
	const usage = createUsageClient({
		...asking,
		apiKey: settings.usageReportKey?.reveal(),
		onDropped: ({ reason, ...dropped }) => log.error({ err: reason, ...dropped }, "usage report dropped"),
	});
	await subscribeEntitlements(context, entitlements);

	return {
		...context,
		name,
		settings,
		policy,
		...caches,
		entitlements,
		usage,
		verifier: createVerifier({
			issuer: settings.authUrl,
			audiences: [settings.audience, `urn:${settings.audience}:${name}`],
			keys,
			now,
			isRevoked: await subscribeRevocations(context),
			cacheMax: settings.tokensHeldMax,
		}),
		...apiKeysOf(context, {
			access,
			platformSlug: settings.platformOwnerSlug,
			ofPlatform: platformKey && platformKeyOf(settings, platformKey),
		}),
	};
}

/**
 * Finds keys and records their uses. Uses are buffered, and written once a minute and when the service stops.
 */
function apiKeysOf(
	{ db, now, log, onStop }: Pick<Context, "db" | "now" | "log" | "onStop">,
	{ ofPlatform, ...by }: { access: Access; platformSlug: string; ofPlatform: PlatformKey | undefined },
): Pick<Domain, "findApiKey" | "noteKeyUse"> {
	const uses = createKeyUses({ db, now });
	const flush = () =>
		uses.flush().catch((err) => log.warn({ err }, "uses of API keys not recorded, will retry"));
	const timer = setInterval(flush, keyUsesEverySeconds * 1_000);
	timer.unref();
	onStop(async () => {
		clearInterval(timer);
		await flush();
	});
	return {
		findApiKey: async (id) =>
			id === ofPlatform?.id ? ofPlatform.key : findBoundKey({ db, ...by }, { id, now: now() }),
		noteKeyUse: (id) => {
			if (id !== ofPlatform?.id) uses.note(id);
		},
	};
}

type PlatformKey = { id: string; key: StoredApiKey };

/** The key of the setting: valid for every tenant that an address names, within the tenant's subscription. */
function platformKeyOf(settings: object, { setting, permissions }: PlatformKeyRule): PlatformKey | undefined {
	const parts = (settings as Record<string, unknown>)[setting] as ApiKeyParts | undefined;
	if (parts === undefined) return undefined;
	return { id: parts.id, key: { secretHash: parts.secretHash, permissions, isGated: true } };
}

/** Logs at most one line per minute while snapshots cannot be refreshed. */
function logStaleSnapshots(log: Context["log"]): (error: unknown) => void {
	const take = sampleLines();
	return (err) => {
		const line = take("snapshot", 1);
		if (line !== undefined)
			log.warn({ err, ...line }, "a snapshot could not be refreshed: reads use the last one");
	};
}

function observeLookups(meter: Context["meter"], entitlements: Entitlements): void {
	observe(meter, "lango.entitlements.lookups", () => {
		const { hits, misses } = entitlements.lookups();
		return [
			{ value: hits, attributes: { "lango.cache.result": "hit" } },
			{ value: misses, attributes: { "lango.cache.result": "miss" } },
		];
	});
}
