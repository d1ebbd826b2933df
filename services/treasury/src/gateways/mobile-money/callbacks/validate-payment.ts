import { setTimeout as sleep } from "node:timers/promises";
import { type Cache, createCache } from "@lango/memory";
import { type Database, inTenant } from "@lango/postgres";
import { memberAt, readBody, textOf } from "../../../inbox/read-body.ts";
import { readDecimal } from "../../../inbox/read-decimal.ts";
import { mobileMoneyCurrency } from "../../../money/amount.ts";
import { readPhone } from "../../../money/phone.ts";
import { readAccountCode } from "../../../payments/account-code.ts";
import { findLocator } from "../../../payments/locator.store.ts";
import { findOwnerId, type OwnerLookup } from "../../../platform-owner.ts";
import { findTenantGateway, type TenantGateway } from "../../shortcodes/tenant-gateway.store.ts";
import { findPayable, type Payable } from "./payable.store.ts";

/** The answer to a validation: `0` accepts the payment, `C2B…` refuses it for a reason (section 4). */
export type Validation = { ResultCode: string; ResultDesc: string; ThirdPartyTransID?: string };

type Parts = {
	db: Database;
	log: { warn: (about: object, text: string) => void };
	/** What tenants say about unknown accounts, as the last validation of each shortcode found it. */
	policies: Cache<Policy>;
} & OwnerLookup;

/** What a tenant says about accounts that are not known, and whether its shortcode is a till. */
type Policy = Pick<TenantGateway, "unknownAccounts" | "kind">;

const policiesMax = 10_000;
const policyMaxAgeMs = 24 * 3_600_000;

/**
 * Keeps the policies of shortcodes for a day after the last validation that found them: while the database
 * does not answer, they decide.
 */
export const keepPolicies = (now: () => Date): Cache<Policy> =>
	createCache<Policy>({ sizeMax: policiesMax, maxAgeMs: policyMaxAgeMs, now });

/** The gateway gives up after some seconds, and decides by itself. */
const answerMs = 700;
const accepted: Validation = { ResultCode: "0", ResultDesc: "Accepted" };
const refusals = {
	payer: { ResultCode: "C2B00011", ResultDesc: "Invalid MSISDN" },
	account: { ResultCode: "C2B00012", ResultDesc: "Invalid account number" },
	amount: { ResultCode: "C2B00013", ResultDesc: "Invalid amount" },
	identity: { ResultCode: "C2B00014", ResultDesc: "Invalid KYC details" },
	shortcode: { ResultCode: "C2B00015", ResultDesc: "Invalid shortcode" },
	other: { ResultCode: "C2B00016", ResultDesc: "Other error" },
} as const;

/**
 * Decides whether a payment to a paybill or till is accepted. Refused are, so that no money has to be sent
 * back: a shortcode that no tenant has, a payer who has no number of a subscriber, a mistyped account code,
 * one of a closed intent or of another shortcode, an amount above what is due, and a payment by another
 * phone than the one that consented to the standing order of the account. Of any other account the tenant's
 * policy decides: accepted, it waits for its allocation.
 * Answers within 800 ms, whatever the database does: then every account counts as unknown, and the policy
 * that the process found last decides. Without one it accepts, as the gateway does by itself for
 * addresses that are registered.
 */
export async function validatePayment(parts: Parts, raw: Buffer): Promise<Validation> {
	const asked = readAsked(raw);
	if ("ResultCode" in asked) return asked;
	const { shortcode, typed } = asked;
	const over = new AbortController();
	const decideAlone = () => decideUnknown(parts.policies.get(shortcode)?.value, typed);
	try {
		return await Promise.race([
			decide(parts, asked),
			sleep(answerMs, undefined, { signal: over.signal }).then(decideAlone),
		]);
	} catch (err) {
		parts.log.warn({ err }, "a payment is validated by policy alone: the database did not answer");
		return decideAlone();
	} finally {
		over.abort();
	}
}

type Asked = {
	typed: string | undefined;
	code: string | undefined;
	shortcode: string;
	amountMinor: bigint;
	/** The number of the payer as the gateway shows it: mostly masked, or as a hash. */
	payer: string | undefined;
};

/** Reads what is asked, or refuses what no tenant could accept. */
function readAsked(raw: Buffer): Asked | Validation {
	const body = readBody(raw);
	if (typeof body !== "object" || body === null || Array.isArray(body)) return refusals.other;
	const shortcode = textOf(memberAt(body, "BusinessShortCode"));
	if (shortcode === undefined) return refusals.shortcode;
	const payer = textOf(memberAt(body, "MSISDN"));
	if (payer !== undefined && isWhole(payer) && readPhone(payer) === undefined) return refusals.payer;
	const amountMinor = readDecimal(memberAt(body, "TransAmount"));
	if (amountMinor === undefined || amountMinor <= 0n) return refusals.amount;
	const typed = textOf(memberAt(body, "BillRefNumber"));
	const code = readAccountCode(typed ?? "");
	if (code === undefined && looksLikeCode(typed ?? "")) return refusals.account;
	return { typed, code, shortcode, amountMinor, payer };
}

/** Whether a number is neither masked nor a hash. */
const isWhole = (phone: string): boolean => /^[\d\s+().-]+$/.test(phone);

/**
 * Nine characters of an account code and any check character, but not a valid code; other references are
 * the tenant's own.
 */
const looksLikeCode = (typed: string): boolean =>
	/^(?=.*\d)(?=.*[A-Z])[0-9A-HJKMNP-TV-Z]{9}[0-9A-Z]$/.test(typed.toUpperCase().replace(/[\s-]/g, ""));

async function decide(parts: Parts, { typed, code, shortcode, ...asked }: Asked): Promise<Validation> {
	const { db } = parts;
	const holder = await findLocator(db, "shortcode", shortcode);
	if (holder === undefined) return refusals.shortcode;
	const policy = await inTenant(db, holder.tenantId, findTenantGateway);
	if (policy !== undefined) parts.policies.set(shortcode, policy);
	if (code === undefined) return decideUnknown(policy, typed);
	const found = await findLocator(db, "account_code", code);
	if (found === undefined) return refusals.account;
	const payable = await inTenant(db, found.tenantId, (tx) => findPayable(tx, found.objectId));
	const collectorId = payable?.payee === "platform" ? await findOwnerId(parts) : found.tenantId;
	if (payable === undefined || holder.tenantId !== collectorId) return refusals.account;
	return decideKnown(payable, asked);
}

function decideKnown(
	{ isOpen, currency, dueMinor, phone }: Payable,
	{ amountMinor, payer }: Pick<Asked, "amountMinor" | "payer">,
): Validation {
	if (!isOpen || currency !== mobileMoneyCurrency) return refusals.account;
	if (phone !== undefined && payer !== undefined && !mayBe(phone, payer)) return refusals.identity;
	return dueMinor !== undefined && amountMinor > dueMinor ? refusals.amount : accepted;
}

/** Gateways mask numbers differently: the last three digits are always shown. A hash shows none. */
const mayBe = (phone: string, payer: string): boolean =>
	!/^[\d\s+*•]*\d{3}$/.test(payer) || payer.slice(-3) === phone.slice(-3);

/** A till has no accounts: a payment to it without one is not one to an unknown account. */
function decideUnknown(policy: Policy | undefined, typed: string | undefined): Validation {
	if (policy === undefined || policy.unknownAccounts === "accept") return accepted;
	return policy.kind === "till" && typed === undefined ? accepted : refusals.account;
}
