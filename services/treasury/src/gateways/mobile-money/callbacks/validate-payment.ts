import { setTimeout as sleep } from "node:timers/promises";
import { type Database, inTenant } from "@lango/postgres";
import { memberAt, readBody, textOf } from "../../../inbox/read-body.ts";
import { readDecimal } from "../../../inbox/read-decimal.ts";
import { readAccountCode } from "../../../payments/account-code.ts";
import { findLocator } from "../../../payments/locator.store.ts";
import { findOwnerId, type OwnerLookup } from "../../../platform-owner.ts";
import { findTenantGateway } from "../../shortcodes/tenant-gateway.store.ts";
import { findPayable } from "./payable.store.ts";

/** The answer to a validation: `0` accepts the payment, `C2B…` refuses it for a reason (section 4). */
export type Validation = { ResultCode: string; ResultDesc: string; ThirdPartyTransID?: string };

type Parts = { db: Database; log: { warn: (about: object, text: string) => void } } & OwnerLookup;

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
 * 800 ms, whatever the database does: then it accepts, as the gateway does by itself for addresses that are
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
	try {
		return await Promise.race([
			decide(parts, { typed, code, shortcode, amountMinor }),
			sleep(answerMs, accepted, { signal: over.signal }),
		]);
	} catch (err) {
		parts.log.warn({ err }, "a payment is accepted without a check: the database did not answer");
		return accepted;
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
	if (code === undefined) return holder === undefined ? accepted : decideUnknown(db, holder.tenantId, typed);
	const found = await findLocator(db, "account_code", code);
	if (found === undefined) return refusals.account;
	const payable = await inTenant(db, found.tenantId, (tx) => findPayable(tx, found.objectId));
	if (payable === undefined || !payable.isOpen) return refusals.account;
	const collectorId = payable.payee === "platform" ? await findOwnerId(parts) : found.tenantId;
	if (holder !== undefined && holder.tenantId !== collectorId) return refusals.account;
	return amountMinor > payable.dueMinor ? refusals.amount : accepted;
}

/** A till has no accounts: a payment to it without one is not one to an unknown account. */
async function decideUnknown(db: Database, tenantId: string, typed: string | undefined): Promise<Validation> {
	const gateway = await inTenant(db, tenantId, findTenantGateway);
	if (gateway === undefined || gateway.unknownAccounts === "accept") return accepted;
	return gateway.kind === "till" && typed === undefined ? accepted : refusals.account;
}
