import { browserStorage, type ClientStorage, memoryStorage, tabStorage } from "./storage.ts";
import type { Locks, TabChannel } from "./tokens/tabs.ts";

/** A service the front end is for: its id, where it answers, and the address of its auth/me (§4.3). */
export type ServiceOptions = {
	/** The product id: `hospital`, `pos`, … */
	name: string;
	/**
	 * Absent if the front end belongs to no single service. Outlets are still chosen and stored under its
	 * name.
	 */
	url?: string;
	/** Path of auth/me with `{tenant}` for the slug. Default: the specification's for that service. */
	mePath?: string;
	/** The roles to infer when the service's auth/me answers 404; default: the specification's. */
	roles?: { admin: string; staff: string; other: string };
};

export type ClientOptions = {
	/** {auth_url}, the issuer. */
	authUrl: string;
	clientId: string;
	/** {subscription_url}; without it the check after sign-in is left out. */
	subscriptionUrl?: string;
	service?: ServiceOptions;
	/** Further services that tokens may be sent to, by their base addresses. */
	urls?: readonly string[];
	/**
	 * Where sign-on leads back to; `{tenant}` stands for the slug. Default: `/auth/callback` on the page's
	 * origin.
	 */
	redirectUri?: string;
	/** The same for a sign-in that names a tenant; default: `redirectUri`. */
	tenantRedirectUri?: string;
	/** Where it leads after signing out; default: `/` on the page's origin. */
	signedOutUri?: string;
	/** Where refresh tokens are kept; default: memory, gone with the page. */
	storage?: ClientStorage;
	/** Where the tab keeps its sign-in under way and its outlet; default: the browser's sessionStorage. */
	tab?: ClientStorage;
	/** Where the browser keeps which outlets were worked at last, never a token; default: its localStorage. */
	browser?: ClientStorage;
	/** Milliseconds since the epoch. */
	now?: () => number;
	wait?: (milliseconds: number) => Promise<void>;
	fetch?: typeof globalThis.fetch;
	/** How long an answer may take. Default 15 s. */
	timeoutMilliseconds?: number;
	/** How old a profile may be before `freshProfile` asks again: 5 minutes (default) to 24 hours (§8). */
	profileMaxAgeSeconds?: number;
	/**
	 * The languages of this page, as BCP 47 tags, most preferred first. The sign-in pages open in the first
	 * that they support (`ui_locales`). Default: none, and the browser's languages decide.
	 */
	uiLocales?: () => readonly string[];
	/** Opens an address in place of this page. */
	navigate?: (address: string) => void;
	/** The address of this page. */
	pageUrl?: () => string;
	/** Web Locks; undefined degrades to one refresh a tab. */
	locks?: Locks | undefined;
	/** Opens the channel between tabs; undefined degrades likewise. */
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
		storage: memoryStorage(),
		tab: tabStorage(),
		browser: browserStorage(),
		now: Date.now,
		wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
		fetch: (...request) => globalThis.fetch(...request),
		timeoutMilliseconds: 15_000,
		uiLocales: () => [],
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

/** A base address without its last slash, checked. */
function baseOf(address: string): string {
	return new URL(address).href.replace(/\/+$/, "");
}
