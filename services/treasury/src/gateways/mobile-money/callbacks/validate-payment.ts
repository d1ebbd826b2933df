import { setTimeout as sleep } from "node:timers/promises";
import { type Cache, createCache } from "@lango/memory";
import { type Database, inTenant } from "@lango/postgres";
import { memberAt, readBody, textOf } from "../../../inbox/read-body.ts";
import { readDecimal } from "../../../inbox/read-decimal.ts";
import { readAccountCode } from "../../../payments/account-code.ts";
import { findLocator } from "../../../payments/locator.store.ts";
import { findOwnerId, type OwnerLookup } from "../../../platform-owner.ts";
import { findTenantGateway, type TenantGateway } from "../../shortcodes/tenant-gateway.store.ts";
import { findPayable } from "./payable.store.ts";

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
	account: { ResultCode: "C2B00012", ResultDesc: "Invalid account number" },
	amount: { ResultCode: "C2B00013", ResultDesc: "Invalid amount" },
} as const;

/**
 * Decides whether a payment to a paybill or till is accepted: a mistyped account code, one of a closed intent
 * or of another shortcode, and an amount above what is due are refused, so that no money has to be sent back.
 * Of any other account the tenant's policy decides: accepted, it waits for its allocation. Answers within
 * 800 ms, whatever the database does: then every account counts as unknown, and the policy that the process
 * found last decides. Without one it accepts, as the gateway does by itself for addresses that are
 * registered.
 */
export async function validatePayment(parts: Parts, raw: Buffer): Promise<Validation> {
	const body = readBody(raw);
	const amountMinor = readDecimal(memberAt(body, "TransAmount"));
	const typed = textOf(memberAt(body, "BillRefNumber"));
	if (amountMinor === undefined || amountMinor <= 0n) return refusals.amount;
	const code = readAccountCode(typed ?? "");
	if (code === undefined && looksLikeCode(typed ?? "")) return refusals.account;
	const shortcode = textOf(memberAt(body, "BusinessShortCode")) ?? "";
	const over = new AbortController();
	const decideAlone = () => decideUnknown(parts.policies.get(shortcode)?.value, typed);
	try {
		return await Promise.race([
			decide(parts, { typed, code, shortcode, amountMinor }),
			sleep(answerMs, undefined, { signal: over.signal }).then(decideAlone),
		]);
	} catch (err) {
		parts.log.warn({ err }, "a payment is validated by policy alone: the database did not answer");
		return decideAlone();
	} finally {
		over.abort();
	}
}

/**
 * Nine characters of an account code and any check character, but not a valid code; other references are the
 * tenant's own.
 */
const looksLikeCode = (typed: string): boolean =>
	/^(?=.*\d)(?=.*[A-Z])[0-9A-HJKMNP-TV-Z]{9}[0-9A-Z]$/.test(typed.toUpperCase().replace(/[\s-]/g, ""));

type Paying = {
	typed: string | undefined;
	code: string | undefined;
	shortcode: string;
	amountMinor: bigint;
};

async function decide(parts: Parts, { typed, code, shortcode, amountMinor }: Paying): Promise<Validation> {
	const { db } = parts;
	const holder = await findLocator(db, "shortcode", shortcode);
	const policy = holder && (await inTenant(db, holder.tenantId, findTenantGateway));
	if (policy !== undefined) parts.policies.set(shortcode, policy);
	if (code === undefined) return decideUnknown(policy, typed);
	const found = await findLocator(db, "account_code", code);
	if (found === undefined) return refusals.account;
	const payable = await inTenant(db, found.tenantId, (tx) => findPayable(tx, found.objectId));
	if (payable === undefined || !payable.isOpen) return refusals.account;
	const collectorId = payable.payee === "platform" ? await findOwnerId(parts) : found.tenantId;
	if (holder !== undefined && holder.tenantId !== collectorId) return refusals.account;
	return amountMinor > payable.dueMinor ? refusals.amount : accepted;
}

/** A till has no accounts: a payment to it without one is not one to an unknown account. */
function decideUnknown(policy: Policy | undefined, typed: string | undefined): Validation {
	if (policy === undefined || policy.unknownAccounts === "accept") return accepted;
	return policy.kind === "till" && typed === undefined ? accepted : refusals.account;
}
