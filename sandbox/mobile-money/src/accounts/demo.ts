import type { Shortcode } from "./shortcode.ts";

/** The secrets of all demo accounts, as a platform has them that calls for its tenants. */
export const demoSecrets = {
	consumerKey: "sandbox-consumer-key",
	consumerSecret: "sandbox-consumer-secret",
	passkey: "sandbox-passkey",
	initiators: [{ name: "sandbox-initiator", password: "Sandbox-2026!" }],
};

/** The shortcodes that a new sandbox has. The README lists them. */
export const demoAccounts: ReadonlyArray<Pick<Shortcode, "shortcode" | "name" | "kind">> = [
	{ shortcode: "600100", name: "Lango", kind: "paybill" },
	{ shortcode: "600200", name: "Uhai Hospital", kind: "paybill" },
	{ shortcode: "600300", name: "Kahawa Café", kind: "till" },
	{ shortcode: "600400", name: "Duka Mart", kind: "paybill" },
	{ shortcode: "600500", name: "Ghala Suppliers", kind: "paybill" },
	{ shortcode: "700100", name: "Mama Amina", kind: "personal_till" },
];
