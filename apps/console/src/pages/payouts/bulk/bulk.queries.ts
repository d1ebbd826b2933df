import { ClientError } from "@lango/client";
import type { Platform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { type Payout, type PayoutRequest, payoutsAddress } from "../payout.queries.ts";
import { nameOf } from "./bulk-row.ts";

type Asking = { items: readonly PayoutRequest[]; keys: readonly string[]; idempotencyKey: string };

/**
 * Asks for payouts: all are accepted, or none. The same key with the same payouts returns them as they are.
 * An error about one of them names the field of its row.
 */
export async function requestBulk(
	platform: Platform,
	scope: ServiceScope,
	{ items, keys, idempotencyKey }: Asking,
): Promise<{ batch_id: string; items: Payout[] }> {
	try {
		return await platform.client.call(`${payoutsAddress(platform, scope)}/bulk`, {
			...{ outlet: "none", method: "POST", body: { items }, idempotencyKey },
		});
	} catch (error) {
		throw aboutRow(error, keys);
	}
}

function aboutRow(error: unknown, keys: readonly string[]): unknown {
	if (!(error instanceof ClientError)) return error;
	const { code, status, requestId, retryAfterSeconds, message, body } = error;
	const key = typeof body["item"] === "number" ? keys[body["item"]] : undefined;
	if (key === undefined) return error;
	const named = typeof body["field"] === "string" ? body["field"] : "amount_minor";
	const field = nameOf(key, code.startsWith("recipient_") ? "recipient_id" : named);
	const detail = { message, status, requestId, retryAfterSeconds, cause: error };
	return new ClientError(code, { ...detail, body: { ...body, field } });
}
