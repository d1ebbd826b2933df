import { accountOf, balanceOf, moveMoney } from "../ledger/movement.ts";
import type { Sandbox } from "../sandbox.ts";
import { demoAccounts, demoSecrets } from "./demo.ts";

export const shortcodeKinds = ["paybill", "till", "personal_till"] as const;

/** A number that is paid to, and that pays. */
export type Shortcode = {
	shortcode: string;
	name: string;
	kind: (typeof shortcodeKinds)[number];
	passkey: string;
	consumerKey: string;
	consumerSecret: string;
	initiators: ReadonlyArray<{ name: string; password: string }>;
	/** In production, URLs are registered once, and nothing is simulated. */
	environment: "sandbox" | "production";
	/** Where payments over the counter are announced; null until they are registered. */
	urls: { confirmation: string; validation: string; responseType: "Completed" | "Cancelled" } | null;
	/** Wrong initiator passwords in a row. */
	wrongPasswords: number;
	/** What the gateway charges it for each payout, business payment and reversal, in cents; none: nothing. */
	chargeMinor?: number;
};

/** A new shortcode has the secrets of the demo accounts where none are given. */
export const newShortcode = (members: Partial<Shortcode> & Pick<Shortcode, "shortcode">): Shortcode => ({
	name: `Business ${members.shortcode}`,
	kind: "paybill",
	environment: "sandbox",
	urls: null,
	wrongPasswords: 0,
	...demoSecrets,
	...members,
});

/** Opens the demo accounts in a sandbox that has no shortcode yet. */
export function openDemoAccounts({ tables: { shortcodes } }: Sandbox): void {
	if (shortcodes.list().length > 0) return;
	for (const account of demoAccounts) shortcodes.put(account.shortcode, newShortcode(account));
}

/** Brings an account of a shortcode to this balance, by a movement from or to outside. */
export function setBalance(
	sandbox: Sandbox,
	{ shortcode, account, minor }: { shortcode: string; account: "utility" | "working"; minor: number },
): void {
	const name = accountOf.shortcode(shortcode, account);
	const missing = minor - balanceOf(sandbox, name);
	if (missing === 0) return;
	const [from, to] = missing > 0 ? [accountOf.outside, name] : [name, accountOf.outside];
	moveMoney(sandbox, {
		...{ ordinal: sandbox.rows.nextOrdinal(), at: sandbox.clock.now(), kind: "deposit", from, to },
		...{ amountMinor: Math.abs(missing), shortcode },
	});
}
