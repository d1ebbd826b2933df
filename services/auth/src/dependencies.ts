import { admitSettingKeys } from "@lango/access";
import {
	type Context,
	explainSealedKeys,
	isDevelopment,
	type Logger,
	observe,
	SettingsError,
	type SettingsOf,
	type TenantSlots,
} from "@lango/chassis";
import { createHashingQueue, type HashingQueue } from "@lango/passwords";
import { listen, type Pool } from "@lango/postgres";
import { type KeyRing, openKeyRing, refreshEvery } from "@lango/signing-keys";
import { createVerifier, readKeyEncryptionKeys, type Verifier } from "@lango/tokens";
import { createSignInMarks, type SignInMarks } from "./authorize/sign-in-mark.ts";
import { type ClientDirectory, createClientDirectory } from "./clients/client-directory.ts";
import { seedClients } from "./clients/client-seed.ts";
import type { settings } from "./config.ts";
import { failures } from "./failures.ts";
import { limitersOn } from "./limits/limiter.ts";
import { createLinkSecrets, type LinkSecrets } from "./links/link-secret.ts";
import { createLimits, type Limits } from "./registration/limits.ts";
import { type IssuerCookie, issuerCookie } from "./sessions/cookie.ts";
import { createIdlePurge } from "./sessions/purge-idle-sessions.ts";
import { createRefreshTokens, type RefreshTokens } from "./sessions/refresh-token.ts";
import { browserLifeSeconds } from "./sessions/session-limit.ts";
import { createFailureCount, type FailureCount } from "./sign-in/failure-count.ts";
import { createKnownDevices, type KnownDevices } from "./sign-in/known-device.ts";
import { createLogoEncoder, type LogoEncoder } from "./tenants/logo-encoder.ts";
import { changedSubscriptionOf } from "./token/subscription-change.ts";
import { createSubscriptionClaims, type SubscriptionClaims } from "./token/subscription-claims.ts";
import { createMeCache, type MeCache } from "./users/me-cache.ts";

type Settings = SettingsOf<(typeof settings)["table"]>;

/** What the routes and operations of this service work with. */
export type Dependencies = {
	db: Pool;
	settings: Settings;
	now: () => Date;
	tenantSlots: TenantSlots;
	log: Logger;
	clients: ClientDirectory;
	meCache: MeCache;
	keyRing: KeyRing;
	verifier: Verifier;
	/** For questions about tokens, which may be narrowed to one service. */
	ownTokens: Verifier;
	hashing: HashingQueue;
	failureCount: FailureCount;
	refreshTokens: RefreshTokens;
	marks: SignInMarks;
	subscriptions: SubscriptionClaims;
	/** Who is signed in on a browser, and who has been. */
	cookie: IssuerCookie;
	deviceCookie: IssuerCookie;
	knownDevices: KnownDevices;
	/** Goes on where it left off in this process: see the schedule `sessions.purge-idle`. */
	purgeIdle: ReturnType<typeof createIdlePurge>;
	/** Makes what people are sent by mail. */
	links: LinkSecrets;
	limits: Limits;
	encodeLogo: LogoEncoder;
	/** Origins a browser may sign in from. */
	allowedOrigins: readonly string[];
};

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
	if (!isDeveloping && given.authUrl.startsWith("http:"))
		log.warn(
			{ setting: "AUTH_URL" },
			"AUTH_URL is plain http: browsers keep the session cookie over https only. Set an https address, or NODE_ENV=development",
		);
	const encryption = readKeyEncryptionKeys(given.keyEncryptionKeys.reveal());
	const keyRing = await openKeyRing(db, { encryption, now }).catch((error) => {
		throw explainSealedKeys(error, { service: "auth", setting: "LANGO_KEY_ENCRYPTION_KEYS" });
	});
	context.readyWhen("keys", async () => void keyRing.signing("ES256"));
	const onTrouble = (err: unknown) => log.error({ err }, "keys not refreshed");
	context.onStop(refreshEvery(keyRing, { seconds: given.keyRefreshSeconds, onTrouble }));
	await seedClients(db, given);
	const meCache = createMeCache();
	const subscriptions = createSubscriptionClaims({
		url: given.subscriptionsUrl,
		apiKey: given.snapshotReadKey.reveal(),
		platformOwnerSlug: given.platformOwnerSlug,
		now,
		onError: (err) => log.warn({ err }, "subscription not known"),
	});
	hearChanges(context, given.directDatabaseUrl ?? given.databaseUrl, { meCache, subscriptions });
	await admitSettingKeys(db, { keys: given.apiKeys ?? [], now: now() });
	const limiterOf = limitersOn(context.sharedCounts);
	const verifying = { issuer: given.authUrl, keys: keyRing.keys, now };
	return {
		db,
		now,
		tenantSlots: context.tenantSlots,
		log,
		clients: createClientDirectory({ db, now }),
		meCache,
		keyRing,
		settings: given,
		verifier: createVerifier({ ...verifying, audiences: [given.audience] }),
		ownTokens: createVerifier({ ...verifying, audiences: undefined }),
		hashing: await openHashing(context, given),
		failureCount: createFailureCount(limiterOf),
		refreshTokens: createRefreshTokens(encryption),
		marks: createSignInMarks(encryption),
		subscriptions,
		cookie: issuerCookie(given.authUrl, { name: "lango", maxAge: browserLifeSeconds, isDeveloping }),
		deviceCookie: issuerCookie(given.authUrl, { name: "lango-device", maxAge: deviceSeconds, isDeveloping }),
		knownDevices: createKnownDevices(encryption),
		purgeIdle: createIdlePurge(db),
		links: createLinkSecrets(encryption),
		encodeLogo: createLogoEncoder({ acceptedMax: logosAcceptedMax }),
		limits: createLimits(limiterOf, given.registrationsPerAddressHour),
		allowedOrigins: [
			...given.allowedOrigins,
			new URL(given.accountsUrl).origin,
			new URL(given.authUrl).origin,
		],
	};
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

/** Every process drops what it holds in memory as soon as the database tells of a change. */
function hearChanges(
	context: Context,
	url: string,
	{ meCache, subscriptions }: Pick<Dependencies, "meCache" | "subscriptions">,
): void {
	const hear = (isHearing: boolean) => {
		meCache.hear(isHearing);
		subscriptions.hear(isHearing);
	};
	const listening = listen({
		url,
		name: "auth",
		channel: "auth_changed",
		onMessage: (changed) => {
			const tenantId = changedSubscriptionOf(changed);
			if (tenantId === undefined) meCache.forget(changed);
			else subscriptions.drop(tenantId);
		},
		onReady: () => hear(true),
		onLost: (err) => {
			context.log.warn({ err }, "changes in the database are not heard of: nothing is held in memory");
			hear(false);
		},
	});
	context.onStop(() => listening.stop());
}
