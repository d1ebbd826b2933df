import { admitSettingKeys } from "@lango/access";
import { type Context, explainSealedKeys, isDevelopment, observe, SettingsError } from "@lango/chassis";
import { createHashingQueue, type HashingQueue } from "@lango/passwords";
import { listen, readCluster } from "@lango/postgres";
import { openKeyRing, refreshEvery } from "@lango/signing-keys";
import { createVerifier, readKeyEncryptionKeys } from "@lango/tokens";
import { createClientDirectory } from "./clients/client-directory.ts";
import { listLocalFrontEnds, seedClients } from "./clients/client-seed.ts";
import type { Dependencies, Settings } from "./dependencies.ts";
import { failures } from "./failures.ts";
import { createLogoEncoder } from "./images/logo-encoder.ts";
import { createFailureCount } from "./limits/failure-count.ts";
import { limitersOn } from "./limits/limiter.ts";
import { createLimits } from "./limits/registration-limits.ts";
import { openPlaces } from "./places/places.ts";
import { createKnownDevices } from "./secrets/known-device.ts";
import { createLinkSecrets } from "./secrets/link-secret.ts";
import { createRefreshTokens } from "./secrets/refresh-token.ts";
import { createSignInMarks } from "./secrets/sign-in-mark.ts";
import { createTenantSecrets } from "./secrets/tenant-secret.ts";
import { issuerCookie } from "./sessions/browser/cookie.ts";
import { browserLifeSeconds } from "./sessions/grant/session-limit.ts";
import { createIdlePurge } from "./sessions/purge/purge-idle-sessions.ts";
import { changedSubscriptionOf } from "./subscriptions/subscription-change.ts";
import { createSubscriptionClaims } from "./subscriptions/subscription-claims.ts";
import { createMeCache, invalidateChanged } from "./users/me-cache.ts";

/** How many uploads of logos may run or wait in this process. */
const logosAcceptedMax = 8;
const deviceSeconds = 365 * 86_400;

/** Opens the keys, registers the clients, and makes the parts that hold state of their own. */
export async function openDependencies(context: Context): Promise<Dependencies> {
	const { db, now, log } = context;
	const given = context.settings as Settings & {
		allowedOrigins: readonly string[];
		databaseUrl: string;
		directDatabaseUrl?: string;
	};
	const isDeveloping = isDevelopment(given.nodeEnv);
	if (given.showLinks && !isDeveloping)
		throw new SettingsError([
			"AUTH_SHOW_LINKS is for a developer's machine: unset it, or set NODE_ENV=development",
		]);
	if (!isDeveloping) warnOfAddresses(given, log);
	const encryption = readKeyEncryptionKeys(given.keyEncryptionKeys.reveal());
	const keyRing = await openKeyRing(db, { encryption, now }).catch((error) => {
		throw explainSealedKeys(error, { service: "auth", setting: "LANGO_KEY_ENCRYPTION_KEYS" });
	});
	context.readyWhen("keys", async () => void keyRing.signing("ES256"));
	const onError = (err: unknown) => log.error({ err }, "signing keys not reloaded");
	context.onStop(refreshEvery(keyRing, { seconds: given.keyRefreshSeconds, onError }));
	await seedClients(db, given);
	const meCache = createMeCache(now);
	const subscriptions = createSubscriptionClaims({
		url: given.subscriptionsUrl,
		apiKey: given.snapshotReadKey.reveal(),
		platformOwnerSlug: given.platformOwnerSlug,
		now,
		onError: (err) => log.warn({ err }, "subscription not available"),
	});
	// A cluster has no triggers that notify (deploy/citus/README.md): nothing that depends on them is cached.
	const notified = (await readCluster(db)).isCluster ? [subscriptions] : [meCache, subscriptions];
	const url = given.directDatabaseUrl ?? given.databaseUrl;
	subscribeChanges(context, url, { meCache, subscriptions, notified });
	await admitSettingKeys(db, { keys: given.apiKeys ?? [], now: now() });
	const limiterOf = limitersOn(context.sharedCounts);
	const verifying = { issuer: given.authUrl, keys: keyRing.keys, now };
	return {
		...{ db, now, log },
		tenantSlots: context.tenantSlots,
		clients: createClientDirectory({ db, now }),
		meCache,
		keyRing,
		settings: given,
		verifier: createVerifier({ ...verifying, audiences: [given.audience] }),
		ownTokens: createVerifier({ ...verifying, audiences: undefined }),
		hashing: await openHashing(context, given),
		failureCount: createFailureCount(limiterOf),
		refreshTokens: createRefreshTokens(encryption),
		tenantSecrets: createTenantSecrets(encryption),
		marks: createSignInMarks(encryption),
		subscriptions,
		cookie: issuerCookie(given.authUrl, { name: "lango", maxAge: browserLifeSeconds, isDeveloping }),
		deviceCookie: issuerCookie(given.authUrl, { name: "lango-device", maxAge: deviceSeconds, isDeveloping }),
		knownDevices: createKnownDevices(encryption),
		purgeIdle: createIdlePurge(db),
		links: createLinkSecrets(encryption),
		encodeLogo: createLogoEncoder({ acceptedMax: logosAcceptedMax }),
		limits: createLimits(limiterOf, given.registrationsPerAddressHour),
		places: await openPlaces(given.placesFile, log),
		allowedOrigins: [
			...given.allowedOrigins,
			new URL(given.accountsUrl).origin,
			new URL(given.authUrl).origin,
		],
	};
}

/** Logs a warning for each kind of address that fits a developer's machine only. */
function warnOfAddresses(given: Settings, log: Context["log"]): void {
	if (given.authUrl.startsWith("http:"))
		log.warn(
			{ setting: "AUTH_URL" },
			"AUTH_URL is plain http: browsers keep the session cookie over https only. Set an https address, or NODE_ENV=development",
		);
	const settings = listLocalFrontEnds(given);
	if (settings.length > 0)
		log.warn(
			{ settings },
			"front ends are registered on localhost: a program on a person's machine can receive their codes. Set their addresses, or NODE_ENV=development",
		);
}

async function openHashing({ meter }: Context, given: Settings): Promise<HashingQueue> {
	const hashing = await createHashingQueue({
		atOnce: given.passwordHashesAtOnce,
		waitingMax: given.passwordHashesWaiting,
		busy: () => failures.sign_in_busy({ headers: { "retry-after": "2" } }),
		shares: {
			max: {
				account: given.passwordHashesPerAccount,
				address: given.passwordHashesPerAddress,
				tenant: given.passwordHashesPerTenant,
			},
			overShare: () => failures.too_many_sign_ins({ headers: { "retry-after": "1" } }),
		},
	});
	observe(meter, "lango.passwords.hashing", () => {
		const { running, waiting } = hashing.load();
		return [
			{ value: running, attributes: { "lango.queue.state": "running" } },
			{ value: waiting, attributes: { "lango.queue.state": "waiting" } },
		];
	});
	return hashing;
}

type Caches = Pick<Dependencies, "meCache" | "subscriptions"> & {
	/** The caches of which every change is notified. */
	notified: ReadonlyArray<{ setListening(isListening: boolean): void }>;
};

/** Invalidates this process's caches when the database notifies of a change. */
function subscribeChanges(context: Context, url: string, { meCache, subscriptions, notified }: Caches): void {
	const setListening = (isListening: boolean) => {
		for (const cache of notified) cache.setListening(isListening);
	};
	const listening = listen({
		url,
		name: "auth",
		channel: "auth_changed",
		onMessage: (changed) => {
			const tenantId = changedSubscriptionOf(changed);
			if (tenantId === undefined) invalidateChanged(meCache, changed);
			else subscriptions.drop(tenantId);
		},
		onReady: () => setListening(true),
		onLost: (err) => {
			context.log.warn({ err }, "not subscribed to database changes: caching is disabled");
			setListening(false);
		},
	});
	context.onStop(() => listening.stop());
}
