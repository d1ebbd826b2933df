import { chassisFailures } from "@lango/chassis";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import { makeQrCode, type TrxCode } from "../gateways/mobile-money/qr-code.ts";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import { mobileMoneyCurrency } from "../money/amount.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { StoredIntent } from "../payments/intent.store.ts";
import { isOpen, outstandingOf } from "../payments/intent.ts";
import { refusalOfPush } from "../prompts/push-amount.ts";
import type { Treasury } from "../treasury.ts";

type Drawing = {
	tenantId: string;
	reference: string;
	/** Undefined: the payer types it. */
	amountMinor: bigint | undefined;
	/** Undefined: that of the shortcode's kind. */
	trxCode: TrxCode | undefined;
	size: number;
};

const trxCodes = { paybill: "PB", till: "BG" } as const;

/**
 * Has the gateway draw the QR code that pays to a tenant's shortcode: a PNG in base64. Throws `halted`,
 * `channel_unavailable`, `shortcode_unverified`, `amount_not_whole`, `amount_out_of_range`,
 * `gateway_refused`
 * and `gateway_unavailable`.
 */
export async function drawQrCode(domain: Treasury, drawing: Drawing): Promise<string> {
	const { tenantId, reference, amountMinor, size } = drawing;
	await requireNotHalted(domain.db, tenantId, "collections");
	const account = await domain.gateways.requireMobileMoney(tenantId);
	const { settings } = account.profile;
	const refusal = amountMinor === undefined ? undefined : refusalOfPush(amountMinor, settings);
	if (refusal !== undefined) throw refusal;
	const tenant = await domain.tenancy.findById(tenantId);
	if (tenant === undefined) throw chassisFailures.tenant_not_found();
	const trxCode = drawing.trxCode ?? trxCodes[account.kind];
	const code = { merchantName: tenant.name, reference, amountMinor, trxCode, size };
	return requireAccepted(await makeQrCode(account, code)).ids.pngBase64;
}

/**
 * Has the gateway draw the QR code of what is still to be paid of an intent, with its account code. Throws
 * `intent_closed`, and what `drawQrCode` throws.
 */
export async function drawIntentQrCode(
	domain: Treasury,
	intent: StoredIntent,
	size: number,
): Promise<string> {
	if (!isOpen(intent) || intent.expiresAt <= domain.now()) throw paymentFailures.intent_closed();
	if (intent.currency !== mobileMoneyCurrency) throw gatewayFailures.channel_unavailable();
	const { tenantId, accountCode: reference } = intent;
	return drawQrCode(domain, {
		...{ tenantId, reference, amountMinor: outstandingOf(intent), trxCode: undefined, size },
	});
}
