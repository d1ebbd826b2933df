import { chassisFailures } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import { accountReferenceMax, type MobileMoney } from "../../gateways/mobile-money/account.ts";
import type { CardSettings } from "../../gateways/profiles/profile.ts";
import { findPayoutConfig } from "../../gateways/shortcodes/payout-config.store.ts";
import { maskPhone, readPhone } from "../../money/phone.ts";
import { paymentFailures } from "../../payments/failures.ts";
import { payoutFailures } from "../../payouts/failures.ts";
import type { PayoutKind } from "../../payouts/payout.ts";
import type { PayoutTarget } from "../../payouts/payout-target.store.ts";
import { findOwnerId } from "../../platform-owner.ts";
import { findRecipient } from "../../recipients/recipient.store.ts";
import { maskAccount, type Recipient } from "../../recipients/recipient.ts";
import type { Treasury } from "../../treasury.ts";

/** A payout as it is asked for, on the wire. */
export type PayoutRequest = {
	rail: "card_gateway" | "mobile_money";
	recipient_id?: string;
	amount_minor?: number;
	kind?: Exclude<PayoutKind, "recipient">;
	to?: string;
	account?: string;
	command?: string;
	remarks?: string;
};

/** From what the platform holds, to a recipient. */
export type CardPlan = {
	rail: "card_gateway";
	recipientId: string;
	recipientCode: string;
	toMasked: string;
	currency: string;
	/** Undefined: all that is available, as far as the limit of the day allows. */
	grossMinor: bigint | undefined;
	/** Since when the tenant has the recipient: to a new one a second person has to look. */
	recipientSince: Date;
};

/** From the tenant's own shortcode. */
type MobilePlan = {
	rail: "mobile_money";
	kind: Exclude<PayoutKind, "recipient">;
	shortcode: string;
	toMasked: string;
	currency: string;
	grossMinor: bigint;
	target: PayoutTarget;
};

export type PayoutPlan = CardPlan | MobilePlan;

const mobileCurrency = "KES";

/** What plans of a tenant's payouts read, each once. */
export type PlanSources = {
	/** Undefined: the tenant chose no recipient. */
	findRecipient: (id: string | undefined) => Promise<Recipient | undefined>;
	/** Throws `custody_differs`, and what opening the shortcode throws. */
	openShortcode: () => Promise<MobileMoney>;
};

/** Opens what plans of a tenant's payouts read. */
export function planSources(domain: Treasury, tenantId: string): PlanSources {
	const recipients = new Map<string | undefined, Promise<Recipient | undefined>>();
	let shortcode: Promise<MobileMoney> | undefined;
	return {
		findRecipient: (id) => {
			const found = recipients.get(id) ?? inTenant(domain.db, tenantId, (tx) => chooseRecipient(tx, id));
			recipients.set(id, found);
			return found;
		},
		openShortcode: () => {
			shortcode ??= openShortcode(domain, tenantId);
			return shortcode;
		},
	};
}

async function chooseRecipient(tx: Database, asked: string | undefined): Promise<Recipient | undefined> {
	const id = asked ?? (await findPayoutConfig(tx)).recipientId;
	return id === undefined ? undefined : findRecipient(tx, id);
}

async function openShortcode(domain: Treasury, tenantId: string): Promise<MobileMoney> {
	if (tenantId === (await findOwnerId(domain))) throw payoutFailures.custody_differs();
	return domain.gateways.requireMobileMoney(tenantId);
}

/**
 * Checks a request, and finds where it goes. Throws `invalid_input`, `recipient_missing`,
 * `amount_not_whole`, `amount_out_of_range`, `phone_invalid`, `custody_differs`, and what opening the
 * shortcode throws.
 */
export const planPayout = (sources: PlanSources, request: PayoutRequest): Promise<PayoutPlan> =>
	request.rail === "card_gateway" ? planByCard(sources, request) : planByShortcode(sources, request);

const ofShortcode = ["kind", "to", "account", "command"] as const;

async function planByCard(sources: PlanSources, request: PayoutRequest): Promise<CardPlan> {
	for (const field of ofShortcode)
		if (request[field] !== undefined) throw invalid(field, "is for mobile_money only");
	const recipient = await sources.findRecipient(request.recipient_id);
	if (recipient === undefined) throw payoutFailures.recipient_missing();
	return {
		...{ rail: "card_gateway", recipientId: recipient.id, recipientCode: recipient.recipientCode },
		...{ toMasked: recipient.maskedAccount, currency: recipient.currency },
		grossMinor: request.amount_minor === undefined ? undefined : BigInt(request.amount_minor),
		recipientSince: recipient.createdAt,
	};
}

async function planByShortcode(sources: PlanSources, request: PayoutRequest): Promise<MobilePlan> {
	const { kind, amount_minor: amount, remarks } = request;
	if (request.recipient_id !== undefined) throw invalid("recipient_id", "is for card_gateway only");
	if (kind === undefined) throw invalid("kind", "is required for mobile_money");
	if (amount === undefined) throw invalid("amount_minor", "is required for mobile_money");
	if (remarks === undefined) throw invalid("remarks", "is required for mobile_money");
	const grossMinor = BigInt(amount);
	if (grossMinor % 100n !== 0n) throw paymentFailures.amount_not_whole();
	const { shortcode, profile } = await sources.openShortcode();
	if (grossMinor > BigInt(profile.settings.payment_max_minor)) throw paymentFailures.amount_out_of_range();
	const { target, toMasked } = targets[kind]({ ...request, shortcode, remarks });
	return { rail: "mobile_money", kind, shortcode, toMasked, currency: mobileCurrency, grossMinor, target };
}

type Asked = PayoutRequest & { shortcode: string; remarks: string };
type Targeted = { target: PayoutTarget; toMasked: string };

const targets: Readonly<Record<MobilePlan["kind"], (asked: Asked) => Targeted>> = {
	customer: (asked) => {
		const phone = readPhone(asked.to);
		if (phone === undefined) throw paymentFailures.phone_invalid({ fields: { field: "to", in: "body" } });
		const command = commandOf(asked, ["BusinessPayment", "SalaryPayment", "PromotionPayment"]);
		return { target: targetOf(asked, phone, command), toMasked: maskPhone(phone) };
	},
	personal_till: (asked) => {
		const command = commandOf(asked, ["BusinessPayment"]);
		return { target: targetOf(asked, numberOf(asked), command), toMasked: maskAccount(numberOf(asked)) };
	},
	business: (asked) => {
		const command = commandOf(asked, ["BusinessPayBill", "MerchantToMerchantTransfer"]);
		if (command === "BusinessPayBill" && asked.account === undefined)
			throw invalid("account", "is required to pay to a paybill");
		return { target: targetOf(asked, numberOf(asked), command), toMasked: numberOf(asked) };
	},
	own_working: (asked) => {
		if (asked.to !== undefined && asked.to !== asked.shortcode)
			throw invalid("to", "must be the own shortcode, or absent");
		const command = commandOf(asked, ["MerchantTransferFromMerchantToWorking"]);
		return { target: targetOf(asked, asked.shortcode, command), toMasked: asked.shortcode };
	},
};

function targetOf(asked: Asked, destination: string, command: string): PayoutTarget {
	const account = asked.account ?? null;
	if (account !== null && account.length > accountReferenceMax)
		throw invalid("account", `has at most ${accountReferenceMax} characters`);
	return { destination, accountRef: account, command, remarks: asked.remarks };
}

function numberOf({ to }: Asked): string {
	if (to === undefined || !/^\d{5,10}$/.test(to)) throw invalid("to", "must be a till or shortcode");
	return to;
}

/** The first command is the one that is taken without a word. */
function commandOf({ command }: Asked, allowed: readonly [string, ...string[]]): string {
	if (command === undefined) return allowed[0];
	if (!allowed.includes(command)) throw invalid("command", `must be one of ${allowed.join(", ")}`);
	return command;
}

const invalid = (field: string, problem: string) =>
	chassisFailures.invalid_input({ message: `${field} ${problem}.`, fields: { field, in: "body" } });

/** The rules of the platform about payouts, in lowest units. */
export type PayoutRules = {
	transferFeeMinor: bigint;
	dailyMinor: bigint;
	approvalAboveMinor: bigint;
	/** How long a recipient is new. */
	coolDownMs: number;
};

/** Reads the rules of the profile. */
export const rulesOf = (settings: CardSettings): PayoutRules => ({
	transferFeeMinor: BigInt(settings.transfer_fee_minor),
	dailyMinor: BigInt(settings.daily_payout_minor),
	approvalAboveMinor: BigInt(settings.approval_above_minor),
	coolDownMs: settings.recipient_cool_down_hours * 3_600_000,
});
