import type { Logger, SettingsOf, TenantSlots } from "@lango/chassis";
import type { HashingQueue } from "@lango/passwords";
import type { Pool } from "@lango/postgres";
import type { KeyRing } from "@lango/signing-keys";
import type { Verifier } from "@lango/tokens";
import type { ClientDirectory } from "./clients/client-directory.ts";
import type { settings } from "./config.ts";
import type { LogoEncoder } from "./images/logo-encoder.ts";
import type { FailureCount } from "./limits/failure-count.ts";
import type { Limits } from "./limits/registration-limits.ts";
import type { Places } from "./places/places.ts";
import type { KnownDevices } from "./secrets/known-device.ts";
import type { LinkSecrets } from "./secrets/link-secret.ts";
import type { RefreshTokens } from "./secrets/refresh-token.ts";
import type { SignInMarks } from "./secrets/sign-in-mark.ts";
import type { TenantSecrets } from "./secrets/tenant-secret.ts";
import type { IssuerCookie } from "./sessions/browser/cookie.ts";
import type { SubscriptionClaims } from "./subscriptions/subscription-claims.ts";
import type { MeCache } from "./users/me-cache.ts";

export type Settings = SettingsOf<(typeof settings)["table"]>;

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
	/** Authorization codes and exchange tokens. */
	tenantSecrets: TenantSecrets;
	marks: SignInMarks;
	subscriptions: SubscriptionClaims;
	/** The cookies for browser sessions and for known devices. */
	cookie: IssuerCookie;
	deviceCookie: IssuerCookie;
	knownDevices: KnownDevices;
	/** Continues at its last position in this process: see the schedule `sessions.purge-idle`. */
	purgeIdle: (now: Date, signal?: AbortSignal) => Promise<number>;
	/** Creates the values of links that are sent by mail. */
	links: LinkSecrets;
	limits: Limits;
	/** The place of an address; of none without AUTH_PLACES_FILE. */
	places: Places;
	encodeLogo: LogoEncoder;
	/** Origins a browser may sign in from. */
	allowedOrigins: readonly string[];
};
