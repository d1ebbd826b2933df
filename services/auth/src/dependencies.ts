import type { Context, Logger, SettingsOf } from "@lango/chassis";
import type { Pool } from "@lango/postgres";
import { createVerifier, readKeyEncryptionKeys, type Verifier } from "@lango/tokens";
import { createSignInMarks, type SignInMarks } from "./authorize/sign-in-mark.ts";
import { seedClients } from "./clients/client-seed.ts";
import type { settings } from "./config.ts";
import { type KeyRing, openKeyRing } from "./keys/key-ring.ts";
import { createHashingQueue, type HashingQueue } from "./passwords/hashing-queue.ts";
import { sessionCookie } from "./sessions/cookie.ts";
import { createRefreshTokens, type RefreshTokens } from "./sessions/refresh-token.ts";
import { createFailureCount, type FailureCount } from "./sign-in/failure-count.ts";
import { createSubscriptionClaims, type SubscriptionClaims } from "./token/subscription-claims.ts";

type Settings = SettingsOf<(typeof settings)["table"]>;

/** What the routes and operations of this service work with. */
export type Dependencies = {
	db: Pool;
	settings: Settings;
	now: () => Date;
	log: Logger;
	keyRing: KeyRing;
	verifier: Verifier;
	hashing: HashingQueue;
	failureCount: FailureCount;
	refreshTokens: RefreshTokens;
	marks: SignInMarks;
	subscriptions: SubscriptionClaims;
	cookie: ReturnType<typeof sessionCookie>;
	/** Origins a browser may sign in from. */
	allowedOrigins: readonly string[];
};

/** Opens the keys, registers the clients, and makes the parts that hold state of their own. */
export async function openDependencies(context: Context): Promise<Dependencies> {
	const { db, now, log } = context;
	const given = context.settings as Settings & { allowedOrigins: readonly string[] };
	const encryption = readKeyEncryptionKeys(given.keyEncryptionKeys.reveal());
	const keyRing = await openKeyRing(db, { encryption, now });
	const refreshing = setInterval(
		() => keyRing.refresh().catch((err) => log.error({ err }, "keys not refreshed")),
		given.keyRefreshSeconds * 1_000,
	);
	context.onStop(async () => clearInterval(refreshing));
	await seedClients(db, given);
	return {
		db,
		now,
		log,
		keyRing,
		settings: given,
		verifier: createVerifier({ issuer: given.authUrl, audience: given.audience, keys: keyRing.keys, now }),
		hashing: await createHashingQueue({
			atOnce: given.passwordHashesAtOnce,
			waitingMax: given.passwordHashesWaiting,
		}),
		failureCount: createFailureCount(),
		refreshTokens: createRefreshTokens(encryption),
		marks: createSignInMarks(encryption),
		subscriptions: createSubscriptionClaims({
			url: given.subscriptionsUrl,
			apiKey: given.subscriptionsApiKey.reveal(),
			platformOwnerSlug: given.platformOwnerSlug,
			now,
			onError: (err) => log.warn({ err }, "subscription not known"),
		}),
		cookie: sessionCookie(given.authUrl),
		allowedOrigins: [
			...given.allowedOrigins,
			new URL(given.accountsUrl).origin,
			new URL(given.authUrl).origin,
		],
	};
}
