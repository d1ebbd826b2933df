import { type Answer, type Refused, refused } from "../calls/answer.ts";
import type { CallGateway, ReadResponse } from "../calls/call-gateway.ts";
import type { MobileMoneyProfile } from "../profiles/profile.ts";
import { isTokenInvalid } from "./read-response.ts";
import { encryptPassword } from "./security-credential.ts";
import type { TokenKeys, Tokens } from "./token.ts";

/** How a shortcode is paid to. */
export type ShortcodeKind = "paybill" | "till";

/** A shortcode with everything that its calls need. */
export type Shortcode = {
	shortcode: string;
	kind: ShortcodeKind;
	/** The reference of a payment without an intent. */
	accountReference: string | undefined;
	/** False in production until its balance was read with the tenant's own initiator. */
	isActive: boolean;
	initiator: { name: string; password: string } | undefined;
	passkey: string | undefined;
};

/** A request of an operation. */
type Post = {
	operation: string;
	/** Behind the prefix of the profile: `stkpush/v1/processrequest`. */
	path: string;
	/** Whether the path does not begin with the prefix. */
	isBare?: boolean;
	json: object;
	isQuery?: boolean;
	/** Whether a sender who is not trusted is the reason of the question. */
	isHint?: boolean;
	isMoneyOut?: boolean;
};

/** A shortcode at the mobile-money gateway. The operations take it as their first parameter. */
export type MobileMoney = Shortcode & {
	profile: MobileMoneyProfile & { baseUrl: string };
	now: () => Date;
	post<T>(post: Post, read: ReadResponse<T>): Promise<Answer<T>>;
};

type Parts = { call: CallGateway; tokens: Tokens; now: () => Date };
type Opened = Shortcode & { profile: MobileMoney["profile"]; keys: TokenKeys };

/** Questions because of hints, of all shortcodes of a profile: forged hints use up no other call. */
const hintsPerSecond = 1;

/**
 * Opens a shortcode for calls. An invalid token is renewed once, and the call is sent once more: it was
 * not taken.
 */
export function openMobileMoney({ call, tokens, now }: Parts, { keys, ...opened }: Opened): MobileMoney {
	const { profile, shortcode } = opened;
	const send = <T>({ json, operation, ...post }: Post, token: string, read: ReadResponse<T>) =>
		call(
			{
				...{ profile, operation, json, method: "POST", headers: { authorization: `Bearer ${token}` } },
				path: post.isBare === true ? `/${post.path}` : `/${profile.settings.path_prefix}/${post.path}`,
				bucket:
					post.isHint === true
						? { key: `hints ${profile.id}`, perSecond: hintsPerSecond, isQuery: true }
						: { key: shortcode, perSecond: profile.settings.per_second, isQuery: post.isQuery === true },
				...(post.isMoneyOut === true && { isMoneyOut: true }),
			},
			read,
		);
	return {
		...opened,
		now,
		async post(post, read) {
			const token = await tokens.get(keys);
			if (token.is !== "accepted") return token;
			const answer = await send(post, token.ids.token, read);
			if (!isTokenInvalid(answer)) return answer;
			const renewed = await tokens.get(keys, token.ids.generation);
			return renewed.is === "accepted" ? send(post, renewed.ids.token, read) : renewed;
		},
	};
}

/** The same account for questions because of hints: they have a share of calls of their own. */
export const asHint = (account: MobileMoney): MobileMoney => ({
	...account,
	post: (post, read) => account.post({ ...post, isHint: true }, read),
});

/** The most characters of an account reference. */
export const accountReferenceMax = 12;
/** The most characters of a description; longer ones are cut. */
export const descriptionMax = 13;

const nairobiOffsetMs = 3 * 3_600_000;

/** YYYYMMDDHHMMSS in Nairobi, which is UTC+3 all year. */
export const timestampOf = (at: Date): string =>
	new Date(at.getTime() + nairobiOffsetMs).toISOString().replaceAll(/\D/g, "").slice(0, 14);

/**
 * Whole units of an amount in lowest units. Throws an Error for cents: the gateway takes whole shillings
 * only.
 */
export function wholeUnits(amountMinor: bigint): number {
	if (amountMinor % 100n !== 0n || amountMinor <= 0n)
		throw new Error("the mobile-money gateway takes whole, positive amounts only");
	return Number(amountMinor / 100n);
}

/**
 * The initiator of a shortcode as requests name it. Refused if the shortcode has none, or the profile no
 * certificate.
 */
export function initiatorOf({
	initiator,
	profile,
}: MobileMoney): Refused | { name: string; credential: string } {
	if (initiator === undefined)
		return refused("initiator_missing", "The shortcode has no initiator with a password.");
	if (profile.certificate === undefined)
		return refused("certificate_missing", "The profile of the gateway has no certificate.");
	return { name: initiator.name, credential: encryptPassword(profile.certificate, initiator.password) };
}

/** Where the gateway sends the result of a request, and that it timed out. */
export type ResultUrls = { resultUrl: string; timeoutUrl: string };
