/** A client as it is registered for this suite. */
export type Client = {
	id: string;
	/** Left out for a public one. */
	secret?: string;
	redirectUris: readonly string[];
	postLogoutRedirectUris?: readonly string[];
	scopes?: readonly string[];
	mayLeavePkceOut?: boolean;
	idTokenAlgorithm?: "ES256";
};

/** The clients the certification profiles ask for, and those that clients in the wild are like. */
export const clients = {
	/** What the Basic profile registers first: confidential, and like many older clients without PKCE. */
	first: {
		id: "rp-first",
		secret: "first-secret-of-at-least-32-characters",
		redirectUris: ["https://rp.example/callback", "https://rp.example/callback?kept=1&also=a%2Fb"],
		postLogoutRedirectUris: ["https://rp.example/signed-out", "https://rp.example/signed-out?kept=1"],
		mayLeavePkceOut: true,
	},
	/** The second one, at another host. */
	second: {
		id: "rp-second",
		secret: "second-secret-of-at-least-32-characters",
		redirectUris: ["https://other.example/callback"],
		postLogoutRedirectUris: ["https://other.example/signed-out"],
		mayLeavePkceOut: true,
	},
	/** Identifier and secret with every character that form encoding changes (RFC 6749 §2.3.1). */
	awkward: {
		id: "rp awkward:+%/ü",
		secret: "se:cret +%2B/ü&=\"' of 32 characters",
		redirectUris: ["https://awkward.example/callback"],
		mayLeavePkceOut: true,
	},
	/** Confidential, and not exempt from PKCE. */
	strict: {
		id: "rp-strict",
		secret: "strict-secret-of-at-least-32-characters",
		redirectUris: ["https://strict.example/callback"],
	},
	/** ID tokens signed with the other algorithm. */
	elliptic: {
		id: "rp-elliptic",
		secret: "elliptic-secret-of-at-least-32-characters",
		redirectUris: ["https://elliptic.example/callback"],
		postLogoutRedirectUris: ["https://elliptic.example/signed-out"],
		idTokenAlgorithm: "ES256",
	},
	/** A page in a browser. */
	spa: {
		id: "rp-spa",
		redirectUris: ["https://spa.example/callback"],
		postLogoutRedirectUris: ["https://spa.example/"],
	},
	/** A program on a person's own machine (RFC 8252). */
	native: { id: "rp-native", redirectUris: ["http://127.0.0.1/callback", "http://[::1]"] },
	/** A service that asks about the tokens it is sent. */
	hospital: {
		id: "hospital",
		secret: "hospital-secret-of-at-least-32-characters",
		redirectUris: [],
	},
	/** A program with permissions of its own. */
	machine: {
		id: "rp-machine",
		secret: "machine-secret-of-at-least-32-characters",
		redirectUris: [],
		scopes: ["catalog:view", "orders:read"],
	},
} as const satisfies Record<string, Client>;
