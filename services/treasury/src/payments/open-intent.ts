import { createHash } from "node:crypto";
import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { mintAccountCode } from "./account-code.ts";
import { recordIntent, type StoredIntent } from "./intent.store.ts";
import type { Customer, Payee } from "./intent.ts";
import { mintPayCode } from "./pay-code.ts";

/** What is asked for. Amounts are in the currency's lowest unit. */
export type Asked = {
	tenantId: string;
	payee: Payee;
	sourceService: string;
	/** Undefined: the intent's own id. */
	operationId: string | undefined;
	operationKind: string | null;
	orderId: string | null;
	description: string;
	amountMinor: bigint;
	currency: string;
	askedAttempt: number;
	askedAt: Date;
	channels: readonly string[];
	customerUserId: string | null;
	customer: Customer;
	returnUrl: string | null;
	metadata: Readonly<Record<string, unknown>>;
	expiresAt: Date;
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
	/** The hash of the request (`fingerprintOf`): the same key or operation with another one is refused. */
	fingerprint: Buffer;
};

/**
 * Records an intent with its account code and pay code. Returns undefined if its operation or
 * Idempotency-Key is known. Call it inside the tenant.
 */
export async function openIntent(
	tx: Database,
	asked: Asked,
	{ keys, now }: { keys: KeyEncryptionKeys; now: Date },
): Promise<StoredIntent | undefined> {
	const id = uuidV7(now);
	return recordIntent(tx, {
		...{ ...asked, ...mintPayCode(keys) },
		...{ id, operationId: asked.operationId ?? id, accountCode: mintAccountCode(), createdAt: now },
	});
}

/** The SHA-256 of a request, whatever the order of its members is. */
export const fingerprintOf = (request: object): Buffer =>
	createHash("sha256").update(JSON.stringify(request, sortMembers)).digest();

const sortMembers = (_: string, value: unknown): unknown =>
	typeof value === "object" && value !== null && !Array.isArray(value)
		? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
		: value;
