import { chassisFailures } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import { readPhone } from "../money/phone.ts";
import { paymentFailures } from "../payments/failures.ts";
import { findIntentByKey, lockOperation, nameIntent, type StoredIntent } from "../payments/intent.store.ts";
import type { IntentChannel } from "../payments/intent.ts";
import { fingerprintOf, openIntent } from "../payments/open-intent.ts";
import { readReturnUrl } from "../payments/return-url.ts";
import type { Treasury } from "../treasury.ts";
import { chooseChannels } from "./choose-channels.ts";

/** A payment that a tenant asks for, for its own trade, as it is on the wire. */
type IntentRequest = {
	amount_minor: number;
	currency: string;
	description: string;
	operation_id?: string;
	source_service?: string;
	order_id?: string;
	channels?: readonly IntentChannel[];
	customer?: { user_id?: string; email?: string; phone?: string; name?: string };
	expires_at?: string;
	return_url?: string;
	metadata?: Record<string, unknown>;
};

export type CreateIntent = {
	tenantId: string;
	request: IntentRequest;
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
};

const openMs = 24 * 3_600_000;
const openMaxMs = 400 * 24 * 3_600_000;
const ownSource = "treasury";

/**
 * Makes an intent of a tenant's own trade. The same request with a known operation or Idempotency-Key
 * returns the intent as it is now. Throws `idempotency_key_reused`, `operation_differs`, `phone_invalid`,
 * `return_url_refused`, `invalid_input`, and what `chooseChannels` throws.
 */
export async function createIntent(
	domain: Treasury,
	creating: CreateIntent,
): Promise<{ intent: StoredIntent; isNew: boolean }> {
	const { db } = domain;
	const { tenantId } = creating;
	const known = await inTenant(db, tenantId, (tx) => findKnown(tx, creating));
	if (known !== undefined) return { intent: known, isNew: false };
	const asked = await readAsked(domain, creating);
	return inTenant(db, tenantId, async (tx) => {
		const opened = await openIntent(tx, asked, { keys: domain.keys, now: asked.askedAt });
		if (opened !== undefined) return { intent: opened, isNew: true };
		// The same request was made at the same time.
		const made = await findKnown(tx, creating);
		if (made === undefined) throw new Error("an intent was not made, and is not known");
		return { intent: made, isNew: false };
	});
}

/** From now on the Idempotency-Key names the intent that is found, and another body is refused. */
async function findKnown(tx: Database, creating: CreateIntent): Promise<StoredIntent | undefined> {
	const { request, createdBy, idempotencyKey: key } = creating;
	const fingerprint = fingerprintOf(request);
	const byKey = key === undefined ? undefined : await findIntentByKey(tx, { createdBy, key });
	if (byKey !== undefined) {
		if (!byKey.fingerprint.equals(fingerprint)) throw paymentFailures.idempotency_key_reused();
		return byKey;
	}
	const { operation_id: operationId, source_service: sourceService = ownSource } = request;
	if (operationId === undefined) return undefined;
	const ofOperation = await lockOperation(tx, { sourceService, operationId });
	if (ofOperation === undefined) return undefined;
	if (!ofOperation.fingerprint.equals(fingerprint)) throw paymentFailures.operation_differs();
	const { tenantId, id } = ofOperation;
	// Another request took the key meanwhile: the next look finds what it names.
	const isNamed = await nameIntent(tx, { tenantId, id, createdBy, idempotencyKey: key });
	return isNamed ? ofOperation : findKnown(tx, creating);
}

async function readAsked(domain: Treasury, { tenantId, request, createdBy, idempotencyKey }: CreateIntent) {
	const { currency, description, customer, channels } = request;
	const amountMinor = BigInt(request.amount_minor);
	const now = domain.now();
	const { user_id: customerUserId = null, ...payer } = customer ?? {};
	return {
		...{ tenantId, payee: "tenant" as const, createdBy, idempotencyKey, amountMinor, currency, description },
		...{ sourceService: request.source_service ?? ownSource, operationId: request.operation_id },
		...{ operationKind: null, orderId: request.order_id ?? null, askedAttempt: 1, askedAt: now },
		customer: { ...payer, phone: readPayerPhone(payer.phone) },
		...{ customerUserId, returnUrl: returnUrlOf(domain, request.return_url) },
		...{ metadata: request.metadata ?? {}, expiresAt: readExpiry(request.expires_at, now) },
		channels: await chooseChannels(domain, { tenantId, amountMinor, currency, channels }),
		fingerprint: fingerprintOf(request),
	};
}

function readPayerPhone(written: string | undefined): string | undefined {
	if (written === undefined) return undefined;
	const phone = readPhone(written);
	if (phone === undefined)
		throw paymentFailures.phone_invalid({ fields: { field: "customer.phone", in: "body" } });
	return phone;
}

const returnUrlOf = ({ settings, allowedOrigins }: Treasury, url: string | undefined): string | null =>
	url === undefined ? null : readReturnUrl(url, { ...settings, allowedOrigins });

function readExpiry(at: string | undefined, now: Date): Date {
	const expiresAt = at === undefined ? new Date(now.getTime() + openMs) : new Date(at);
	const openFor = expiresAt.getTime() - now.getTime();
	if (openFor <= 0 || openFor > openMaxMs)
		throw chassisFailures.invalid_input({
			message: "expires_at must be in the future, within 400 days.",
			fields: { field: "expires_at", in: "body" },
		});
	return expiresAt;
}
