import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { startJobs } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { timestampOf } from "../../src/gateways/mobile-money/account.ts";
import { ensureProfile } from "../../src/gateways/profiles/profile.store.ts";
import { applyObject } from "../../src/inbox/applying/apply-delivery.ts";
import { issueCallbackToken } from "../../src/inbox/callback-token.store.ts";
import { hashCallbackToken } from "../../src/inbox/callback-token.ts";
import { storeDeliveries } from "../../src/inbox/delivery.store.ts";
import type { NewDelivery } from "../../src/inbox/delivery.ts";
import { objectKeyOf } from "../../src/inbox/object-key.ts";
import { retryConflicts } from "../../src/ledger/retry-conflicts.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { EvidenceSource, Paid, Said } from "../../src/outcomes/evidence/evidence.ts";
import { recordAttempt } from "../../src/payments/attempt.store.ts";
import type { Attempt } from "../../src/payments/attempt.ts";
import type { StoredIntent } from "../../src/payments/intent.store.ts";
import type { Payee } from "../../src/payments/intent.ts";
import { fingerprintOf, openIntent } from "../../src/payments/open-intent.ts";
import { treasury } from "../../src/service.ts";
import { type Book, openBook } from "../ledger/book.ts";
import { createConfirmingGateway } from "./confirming-gateway.ts";
import { openShortcodes } from "./shortcodes.ts";

/**
 * Prompts of phones and what is said about them, on a real database and without the service around it. Each
 * tenant has a shortcode of its own, `own` in the codes of its accounts.
 */
export type Counter = Book & {
	clock: { now: Date };
	keys: ReturnType<typeof readKeyEncryptionKeys>;
	/** Opens an intent of a tenant. */
	open(tenantId: string, intent: { payee: Payee; amountMinor: bigint }): Promise<StoredIntent>;
	/** Records a prompt that is about to be sent, or with `checkout` a hosted checkout. */
	prompt(intent: StoredIntent, amountMinor?: bigint, channel?: "push" | "checkout"): Promise<Prompt>;
	/** Applies what the gateway answers to a call or a question. */
	say(prompt: Prompt, source: EvidenceSource, said: Said): Promise<void>;
	/** Stores what a gateway sends, and applies it; once more if its receipt was counted meanwhile. */
	deliver(callback: Callback): Promise<void>;
};

/** A prompt, and what the gateway knows of it. */
export type Prompt = {
	attempt: Attempt;
	payee: Payee;
	token: string;
	ids: Ids;
	receipt: string;
	transactionId: number;
	/** What a payer types at the counter of the shortcode, and the token of its registered address. */
	counter: { accountCode: string; token: string };
};
type Ids = { merchantRequestId: string; checkoutRequestId: string };
/** A callback with a token, or a signed event. */
export type Callback = Pick<NewDelivery, "route"> & { token?: string; body: object };

/** The profile in the addresses of callbacks. */
const profileId = randomUUID();
const hour = 3_600_000;

const counts = { refused: () => undefined, confirmed: () => undefined, charged: () => undefined };

/** Opens the counter; `close` drops its database. */
export async function openCounter(): Promise<Counter> {
	const book = await openBook();
	const { db } = book;
	const keys = readKeyEncryptionKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);
	const clock = { now: new Date("2027-03-01T08:00:00Z") };
	const jobs = await openQueues(book);
	const shortcodes = await openShortcodes(book, { profileId, now: clock.now });
	const gateways = createConfirmingGateway();
	const parts = { ...shortcodes.owner, db, keys, now: () => clock.now, gateways, counts, log: console };
	for (const kind of ["card_gateway", "mobile_money"] as const)
		await ensureProfile(db, kind, { environment: "sandbox", baseUrl: undefined, now: clock.now });
	return {
		...{ ...book, clock, keys },
		close: async () => {
			await jobs.stop();
			await book.close();
		},
		tenant: async () => {
			const tenantId = await book.tenant();
			await shortcodes.register(tenantId);
			return tenantId;
		},
		balances: async (tenantId) => shortcodes.hide(tenantId, await book.balances(tenantId)),
		open: (tenantId, intent) => openOne({ book, keys, now: clock.now }, tenantId, intent),
		prompt: (intent, amountMinor = intent.amountMinor, channel = "push") =>
			inTenant(db, intent.tenantId, async (tx) => {
				const { tenantId, id: intentId, payee, accountCode } = intent;
				const { shortcode, token: counterToken } = shortcodes.of(intent);
				const attempt = await recordAttempt(tx, {
					...{ tenantId, id: randomUUID(), intentId, amountMinor, channel },
					...(channel === "push"
						? { custody: payee, shortcode, phone: newPhone() }
						: { custody: "platform" as const, shortcode: null, phone: null }),
					...{ reference: `pay-${randomBytes(16).toString("hex")}` },
					...{ nextCheckAt: null, now: clock.now },
					expiresAt: new Date(clock.now.getTime() + 120_000),
				});
				const about = { objectKind: "attempt", objectId: attempt.id, route: "callback" } as const;
				const expiresAt = new Date(clock.now.getTime() + 72 * hour);
				const token = await issueCallbackToken(tx, { tenantId, profileId, ...about, expiresAt }, clock.now);
				return {
					...{ attempt, payee, token, ids: newIds(), receipt: newReceipt() },
					...{ transactionId: randomInt(2 ** 40), counter: { accountCode, token: counterToken } },
				};
			}),
		say: ({ attempt: { tenantId, id } }, source, said) =>
			retryConflicts(() =>
				inTenant(db, tenantId, (tx) =>
					applyOutcome(tx, { tenantId, attemptId: id, source, sourceId: undefined, said, at: clock.now }),
				),
			),
		deliver: async ({ route, token, body }) => {
			gateways.send(body);
			const sender =
				token === undefined
					? ({ gateway: "card_gateway", profileId: undefined, tokenHash: undefined } as const)
					: ({ gateway: "mobile_money", profileId, tokenHash: hashCallbackToken(token) } as const);
			const delivery = {
				...{ ...sender, route },
				...{ receivedAt: clock.now, remoteIp: "127.0.0.1", headers: {} },
				raw: Buffer.from(JSON.stringify(body)),
			};
			const objectKey = objectKeyOf(delivery);
			await storeDeliveries(db, [{ ...delivery, objectKey }]);
			await applyObject(parts, objectKey).catch((error) => {
				if (error.name !== "ReceiptKnown") throw error;
				return applyObject(parts, objectKey);
			});
		},
	};
}

/** Creates the queues of the service. Its jobs do not run. */
const openQueues = ({ db, url }: Book) =>
	startJobs<never>({
		...{ service: "treasury", db, url, jobs: treasury.jobs ?? [], dependencies: undefined as never },
		...{ now: () => new Date(), isByHand: true, onError: console.error },
	});

type Opening = { book: Book; keys: Counter["keys"]; now: Date };

async function openOne(
	{ book, keys, now }: Opening,
	tenantId: string,
	{ payee, amountMinor }: { payee: Payee; amountMinor: bigint },
): Promise<StoredIntent> {
	const asked = {
		...{ tenantId, payee, sourceService: "ordering", operationId: randomUUID(), operationKind: "checkout" },
		...{
			orderId: null,
			description: "An order",
			amountMinor,
			currency: "KES",
			askedAttempt: 1,
			askedAt: now,
		},
		...{ channels: ["push"], customerUserId: null, customer: {}, returnUrl: null, metadata: {} },
		expiresAt: new Date(now.getTime() + 24 * hour),
		...{ createdBy: { kind: "service", id: "ordering" }, idempotencyKey: undefined },
		fingerprint: fingerprintOf({}),
	};
	const intent = await inTenant(book.db, tenantId, (tx) => openIntent(tx, asked, { keys, now }));
	if (intent === undefined) throw new Error("the intent was not opened");
	return intent;
}

const newPhone = () => `2547${String(randomInt(1e8)).padStart(8, "0")}`;
const newReceipt = () => randomBytes(5).toString("hex").toUpperCase();
const newIds = (): Ids => ({
	merchantRequestId: `29115-${randomUUID().slice(0, 8)}-1`,
	checkoutRequestId: `ws_CO_${randomUUID()}`,
});

/** The callback of a prompt that ended with a code, 0 if it was paid; `again` makes other bytes of it. */
export function callbackOf(prompt: Prompt, code: number, again = 0): Callback {
	const { attempt, ids, receipt, token } = prompt;
	const Item = [
		{ Name: "Amount", Value: Number(attempt.amountMinor) / 100 },
		{ Name: "MobileMoneyReceiptNumber", Value: receipt },
		{ Name: "PhoneNumber", Value: Number(attempt.phone) },
	];
	const stkCallback = {
		...{ MerchantRequestID: ids.merchantRequestId, CheckoutRequestID: ids.checkoutRequestId },
		...{ ResultCode: code, ResultDesc: `described ${again} times` },
		...(code === 0 && { CallbackMetadata: { Item } }),
	};
	return { route: "callback", token, body: { Body: { stkCallback } } };
}

/** What a confirmation says in place of the receipt, the account, the phone and the words of a prompt. */
type Confirmed = { receipt?: string; account?: string; phone?: string; again?: number };

/** The confirmation of a prompt, or of a payment with its code beside it if it has another receipt. */
export function confirmationOf(
	prompt: Prompt,
	{ receipt, account, phone, again = 0 }: Confirmed = {},
): Callback {
	const { attempt, counter } = prompt;
	const masked = `2547 ***** ${attempt.phone?.slice(-3)}`;
	const body = {
		...{ TransID: receipt ?? prompt.receipt, TransAmount: String(Number(attempt.amountMinor) / 100) },
		...{ BusinessShortCode: attempt.shortcode, BillRefNumber: account ?? counter.accountCode },
		...{ MSISDN: phone ?? masked, FirstName: `named ${again} times` },
		TransTime: timestampOf(new Date(attempt.createdAt.getTime() + 30_000)),
	};
	return { route: "confirmation", token: counter.token, body };
}

/** The event of a charge; `again` makes other bytes of it. */
export function chargeOf({ attempt, transactionId }: Prompt, again = 0): Callback {
	const { reference, amountMinor } = attempt;
	const data = {
		...{ id: transactionId, reference, amount: Number(amountMinor), currency: "KES", channel: "card" },
		...{ fees: 3_800, status: "success", log: { attempts: again } },
	};
	return { route: "cardgateway", body: { event: "charge.success", data } };
}

/** What a query says of a prompt that was paid: neither its amount nor its receipt. */
export const paidByQuery: Paid = {
	...{ kind: "paid", amountMinor: undefined, currency: "KES", receipt: undefined },
	...{ paidAt: undefined, payerMasked: undefined },
};

/** What verifying says of a charge. */
export const paidByVerifying = ({ transactionId, attempt }: Prompt): Said => ({
	...{ kind: "paid", amountMinor: attempt.amountMinor, currency: "KES", receipt: String(transactionId) },
	...{ paidAt: undefined, payerMasked: undefined, channel: "card", feeMinor: 3_800n },
});
