import { browserStorage, type ClientStorage, memoryStorage, tabStorage } from "./storage.ts";

/** The part of Web Locks that the client uses. */
export type Locks = {
	request<T>(name: string, options: { signal?: AbortSignal }, work: () => Promise<T>): Promise<T>;
};

/** The part of BroadcastChannel that the client uses. */
export type TabChannel = {
	postMessage(message: unknown): void;
	addEventListener(kind: "message", listener: (event: Event) => void): void;
	close(): void;
};

/** The service of a front end: its product id, its base address and its auth/me (§4.3). */
export type ServiceOptions = {
	/** The product id: `hospital`, `pos`, … */
	name: string;
	/**
	 * The base address. Absent if the front end does not belong to a single service; the selected outlet is
	 * stored under `name` in any case.
	 */
	url?: string;
	/** The path of auth/me, with `{tenant}` for the slug. Default: the path in the specification. */
	mePath?: string;
	/** The service roles to infer if auth/me responds 404. Default: the roles in the specification. */
	roles?: { admin: string; staff: string; other: string };
};

export type ClientOptions = {
	/** The address of the sign-on service, which is the issuer. */
	authUrl: string;
	clientId: string;
	/** The address of the subscription service. Without it the client does not check the subscription. */
	subscriptionUrl?: string;
	service?: ServiceOptions;
	/** Base addresses of other services that may receive tokens. */
	urls?: readonly string[];
	/**
	 * The callback address, with `{tenant}` for the slug. Default: `/auth/callback` on the origin of the
	 * page.
	 */
	redirectUri?: string;
	/** The callback address of a sign-in with a tenant. Default: `redirectUri`. */
	tenantRedirectUri?: string;
	/** The address to open after a sign-out. Default: `/` on the origin of the page. */
	signedOutUri?: string;
	/**
	 * Whether the page continues the session that its browser has with the sign-on service, by the cookie
	 * of that service, instead of leaving for it after each reload. For the platform's own front ends, on
	 * the site of the sign-on service. Default: false.
	 */
	isResumed?: boolean;
	/** Stores refresh tokens. Default: memory, which ends with the page. */
	storage?: ClientStorage;
	/** Stores the pending sign-in and the outlet of the tab. Default: sessionStorage. */
	tab?: ClientStorage;
	/** Stores the selected and the last used outlets, never tokens. Default: localStorage. */
	browser?: ClientStorage;
	/** Milliseconds since the epoch. */
	now?: () => number;
	wait?: (milliseconds: number) => Promise<void>;
	fetch?: typeof globalThis.fetch;
	/** The time limit of a request. Default: 15 s. */
	timeoutMilliseconds?: number;
	/** The age at which a profile is stale: 5 minutes (default) to 24 hours (§8). */
	profileMaxAgeSeconds?: number;
	/**
	 * The languages of this page as BCP 47 tags, most preferred first. The sign-in pages use the first that
	 * they support (`ui_locales`). Default: the languages of the browser.
	 */
	uiLocales?: () => readonly string[];
	/**
	 * Whether a page stays when its session is refused. The state stays `ready` with `isExpired`, until the
	 * person signs in in another tab. Default: the page is left for the logout of the sign-on service.
	 */
	staysWhenExpired?: boolean;
	/** Leaves this page for an address. */
	navigate?: (address: string) => void;
	/** The address of this page. */
	pageUrl?: () => string;
	/** Web Locks. If undefined, each tab refreshes on its own. */
	locks?: Locks | undefined;
	/** Opens a channel between the tabs. If undefined, tabs do not exchange tokens. */
	channel?: ((name: string) => TabChannel) | undefined;
};

/** The options with defaults applied. */
export type ClientConfig = Required<Omit<ClientOptions, Optional>> & Pick<ClientOptions, Optional>;
type Optional = "service" | "subscriptionUrl" | "locks" | "channel";

type Page = { location: { href: string; assign(address: string): void }; navigator?: { locks?: Locks } };

/** Applies the browser's defaults to the options. Throws an Error for an invalid address. */
export function resolveConfig(options: ClientOptions): ClientConfig {
	const page = globalThis as unknown as Page;
	const pageUrl = options.pageUrl ?? (() => page.location.href);
	const atOrigin = (path: string) => new URL(path, pageUrl()).href;
	const redirectUri = options.redirectUri ?? atOrigin("/auth/callback");
	return {
		urls: [],
		isResumed: false,
		storage: memoryStorage(),
		tab: tabStorage(),
		browser: browserStorage(),
		now: Date.now,
		wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
		fetch: (...request) => globalThis.fetch(...request),
		timeoutMilliseconds: 15_000,
		uiLocales: () => [],
		staysWhenExpired: false,
		navigate: (address) => page.location.assign(address),
		locks: page.navigator?.locks,
		channel: typeof BroadcastChannel === "undefined" ? undefined : (name) => new BroadcastChannel(name),
		...options,
		authUrl: baseOf(options.authUrl),
		...(options.service?.url !== undefined && {
			service: { ...options.service, url: baseOf(options.service.url) },
		}),
		...(options.subscriptionUrl !== undefined && { subscriptionUrl: baseOf(options.subscriptionUrl) }),
		profileMaxAgeSeconds: Math.min(86_400, Math.max(300, options.profileMaxAgeSeconds ?? 300)),
		pageUrl,
		redirectUri,
		tenantRedirectUri: options.tenantRedirectUri ?? redirectUri,
		signedOutUri: options.signedOutUri ?? atOrigin("/"),
	};
}

/** The base address without trailing slashes. Throws an Error for an invalid address. */
function baseOf(address: string): string {
	return new URL(address).href.replace(/\/+$/, "");
}
