import { chassisFailures } from "@lango/chassis";
import { uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import { type MobileMoney, timestampOf } from "../gateways/mobile-money/account.ts";
import { createStandingOrder as callGateway } from "../gateways/mobile-money/standing-order.ts";
import type { Frequency, MobileMoneyProfile } from "../gateways/profiles/profile.ts";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import { issueCallbackToken } from "../inbox/callback-token.store.ts";
import { callbackUrl } from "../inbox/callback-token.ts";
import { mobileMoneyCurrency } from "../money/amount.ts";
import { readPhone } from "../money/phone.ts";
import { mintAccountCode } from "../payments/account-code.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { Payee } from "../payments/intent.ts";
import { fingerprintOf } from "../payments/open-intent.ts";
import { findOwnerId } from "../platform-owner.ts";
import { refusalOfPush } from "../prompts/push-amount.ts";
import type { Treasury } from "../treasury.ts";
import { changeOrder } from "./change-order.ts";
import { standingOrderFailures } from "./failures.ts";
import { findOrderByKey, lockOrder, recordOrder, type StoredOrder } from "./standing-order.store.ts";
import type { OrderSaid } from "./standing-order.ts";

/** A standing order that is asked for, as it is on the wire. */
export type OrderRequest = {
	phone: string;
	amount_minor: number;
	frequency: Frequency;
	start_on: string;
	end_on: string;
	description: string;
};

export type CreateOrder = {
	tenantId: string;
	payee: Payee;
	request: OrderRequest;
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
	/** Returns an order in place of a new one, in the transaction that would record it. */
	reuse?: (tx: Database) => Promise<StoredOrder | undefined>;
};

/** How long a payer may take to consent. */
export const consentMs = 72 * 3_600_000;
const daysMax = 3_660;

/**
 * Asks a payer for a standing order. The order is stored before the gateway is called, and its answer
 * afterwards; an answer that never comes leaves it as requested, until a callback or an execution says
 * more. The same Idempotency-Key returns the order as it is now. Throws `idempotency_key_reused`,
 * `phone_invalid`,
 * `amount_not_whole`, `amount_out_of_range`, `invalid_input`, `frequency_unconfirmed`, `halted`,
 * `gateway_refused`, `gateway_unavailable`, and what `requireMobileMoney` throws.
 */
export async function createOrder(domain: Treasury, creating: CreateOrder): Promise<StoredOrder> {
	const { db, now, gateways } = domain;
	const { tenantId } = creating;
	const known = await inTenant(db, tenantId, (tx) => findKnown(tx, creating));
	if (known !== undefined) return known;
	const phone = readRequest(creating.request, now());
	await requireNotHalted(db, tenantId, "collections");
	const account = await gateways.requireMobileMoney(
		creating.payee === "platform" ? await findOwnerId(domain) : tenantId,
	);
	const refusal = refusalOfPush(BigInt(creating.request.amount_minor), account.profile.settings);
	if (refusal !== undefined) throw refusal;
	requireConfirmedFrequencies(account.profile);
	const prepared = await inTenant(db, tenantId, (tx) =>
		prepare(tx, { creating, phone, account, now: now() }),
	);
	// The same request was made at the same time.
	if (prepared === undefined) return createOrder(domain, creating);
	if (prepared.token === undefined) return prepared.order;
	return ask(domain, { order: prepared.order, token: prepared.token, account });
}

async function findKnown(
	tx: Database,
	{ createdBy, idempotencyKey: key, request }: CreateOrder,
): Promise<StoredOrder | undefined> {
	const known = key === undefined ? undefined : await findOrderByKey(tx, { createdBy, key });
	if (known !== undefined && !known.fingerprint.equals(fingerprintOf(request)))
		throw paymentFailures.idempotency_key_reused();
	return known;
}

/** Returns the phone. The days are those of Nairobi, as the gateway's are. */
function readRequest({ phone: typed, start_on, end_on }: OrderRequest, now: Date): string {
	const phone = readPhone(typed);
	if (phone === undefined) throw paymentFailures.phone_invalid({ fields: { field: "phone", in: "body" } });
	if (start_on < todayInNairobi(now)) throw dayInvalid("start_on", "start_on must not be over.");
	if (end_on < start_on || daysBetween(start_on, end_on) > daysMax)
		throw dayInvalid("end_on", `end_on must be on or after start_on, by ${daysMax} days at most.`);
	return phone;
}

const dayInvalid = (field: string, message: string) =>
	chassisFailures.invalid_input({ message, fields: { field, in: "body" } });

/** Today at the gateway, as `YYYY-MM-DD`. */
export const todayInNairobi = (now: Date): string =>
	timestampOf(now).replace(/^(\d{4})(\d{2})(\d{2}).*$/, "$1-$2-$3");

const dayMs = 86_400_000;
const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs;

/** Published enumerations differ: a wrong one charges daily in place of monthly. */
function requireConfirmedFrequencies({ environment, settings }: MobileMoneyProfile): void {
	if (environment === "production" && !settings.is_frequency_confirmed)
		throw standingOrderFailures.frequency_unconfirmed();
}

type Preparing = { creating: CreateOrder; phone: string; account: MobileMoney; now: Date };

/** Returns undefined if the Idempotency-Key is known meanwhile. An order that is reused has no token. */
async function prepare(tx: Database, { creating, phone, account, now }: Preparing) {
	const { tenantId, payee, request, createdBy, idempotencyKey } = creating;
	const reused = await creating.reuse?.(tx);
	if (reused !== undefined) return { order: reused, token: undefined };
	const order = await recordOrder(tx, {
		...{ tenantId, id: uuidV7(now), payee, phone, amountMinor: BigInt(request.amount_minor) },
		...{ currency: mobileMoneyCurrency, frequency: request.frequency, description: request.description },
		...{ startOn: request.start_on, endOn: request.end_on, shortcode: account.shortcode },
		...{ accountCode: mintAccountCode(), fingerprint: fingerprintOf(request), createdAt: now },
		...{ createdBy, idempotencyKey },
	});
	if (order === undefined) return undefined;
	const about = { tenantId, profileId: account.profile.id, route: "standing-order" } as const;
	const object = { objectKind: "standing_order", objectId: order.id } as const;
	const expiresAt = new Date(now.getTime() + consentMs);
	return { order, token: await issueCallbackToken(tx, { ...about, ...object, expiresAt }, now) };
}

type Asking = { order: StoredOrder; token: string; account: MobileMoney };

async function ask(domain: Treasury, { order, token, account }: Asking): Promise<StoredOrder> {
	const { db, now, settings } = domain;
	const answer = await callGateway(account, {
		// The gateway wants a name that no other order of the payer has.
		name: `${order.description.slice(0, nameMax)} ${order.accountCode}`,
		...{ amountMinor: order.amountMinor, phone: order.phone, accountReference: order.accountCode },
		...{ description: order.description, frequency: order.frequency },
		...{ startOn: order.startOn, endOn: order.endOn },
		callbackUrl: callbackUrl(settings.publicBaseUrl, {
			...{ route: "standing-order", profileId: account.profile.id, token },
		}),
	});
	const stored = await inTenant(db, order.tenantId, async (tx) => {
		const locked = await lockOrder(tx, order.id);
		if (locked === undefined) throw new Error(`the standing order ${order.id} was removed`);
		if (answer.is === "unknown") return locked;
		const said: OrderSaid =
			answer.is === "accepted" ? { kind: "accepted" } : { kind: "refused", code: answer.code };
		const change = answer.is === "accepted" ? { gatewayRef: answer.ids.requestId ?? null } : {};
		return changeOrder(tx, locked, { said, change, now: now() });
	});
	if (answer.is === "refused") requireAccepted(answer);
	return stored;
}

const nameMax = 60;
