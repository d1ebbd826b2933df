import { createHash, randomBytes } from "node:crypto";
import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { type KeyEncryptionKeys, seal, unseal } from "@lango/tokens";
import { mintAccountCode } from "./account-code.ts";
import { recordIntent, type StoredIntent } from "./intent.store.ts";
import type { Customer, Payee } from "./intent.ts";

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
};

/** What an encrypted pay code is bound to. */
export const payCodeContext = "treasury.pay-code";
const codeBytes = 20;

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
	const code = randomBytes(codeBytes).toString("base64url");
	return recordIntent(tx, {
		...asked,
		...{ id, operationId: asked.operationId ?? id, accountCode: mintAccountCode(), createdAt: now },
		fingerprint: fingerprintOf(asked),
		payCode: seal(keys, payCodeContext, code),
		payCodeHash: hashPayCode(code),
	});
}

/** The SHA-256 by which a pay code is found. */
export const hashPayCode = (code: string): Buffer => createHash("sha256").update(code).digest();

/** The address of the page where anybody can pay an intent, without an account. */
export const payUrlOf = (
	{ payCode }: StoredIntent,
	{ keys, settings }: { keys: KeyEncryptionKeys; settings: { consoleUrl: string } },
): string => `${settings.consoleUrl}/pay/${unseal(keys, payCodeContext, payCode)}`;

/** What must not differ when an operation or an Idempotency-Key is repeated. */
function fingerprintOf(asked: Asked): Buffer {
	const { payee, amountMinor, currency, orderId, description, customerUserId, returnUrl, channels } = asked;
	const compared = [
		payee,
		amountMinor.toString(),
		currency,
		orderId,
		description,
		customerUserId,
		returnUrl,
		channels,
	];
	return createHash("sha256").update(JSON.stringify(compared)).digest();
}
