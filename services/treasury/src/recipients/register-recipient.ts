import { randomUUID } from "node:crypto";
import { type AuditEntry, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import { createRecipient } from "../gateways/card-gateway/recipients.ts";
import type { Treasury } from "../treasury.ts";
import { recipientFailures } from "./failures.ts";
import { addRecipient, countRecipients, findRecipientOf } from "./recipient.store.ts";
import { type Account, fingerprintsOf, maskAccount, type Recipient, sealAccount } from "./recipient.ts";

/** The most active recipients of a tenant. */
const recipientsMax = 100;

type Parts = Pick<Treasury, "now" | "keys" | "gateways"> & { db: Database };
type Register = Account & {
	tenantId: string;
	name: string;
	by: Pick<AuditEntry, "actor" | "requestId" | "address">;
};

/**
 * Registers a recipient at the gateway, and stores it. The recipient of an account that has one already is
 * returned as it is. Throws `recipients_full`, `channel_unavailable`, `gateway_refused` and
 * `gateway_unavailable`.
 */
export async function registerRecipient(
	{ db, now, keys, gateways }: Parts,
	{ tenantId, by, ...asked }: Register,
): Promise<{ recipient: Recipient; isNew: boolean }> {
	const fingerprints = fingerprintsOf(keys, asked);
	const known = await inTenant(db, tenantId, async (tx) => {
		const found = await findRecipientOf(tx, fingerprints);
		if (found === undefined && (await countRecipients(tx)) >= recipientsMax)
			throw recipientFailures.recipients_full();
		return found;
	});
	if (known !== undefined) return { recipient: known, isNew: false };
	const { ids } = requireAccepted(await createRecipient(await gateways.requireCardGateway(), asked));
	const { accountNumber, ...shown } = asked;
	const recipient = {
		...{ ...shown, ...ids, id: randomUUID(), maskedAccount: maskAccount(accountNumber), createdAt: now() },
		revokedAt: undefined,
	};
	const [fingerprint = Buffer.alloc(0)] = fingerprints;
	const stored = { ...recipient, tenantId, fingerprint, account: sealAccount(keys, accountNumber) };
	return inTenant(db, tenantId, async (tx) => {
		const isNew = await addRecipient(tx, stored);
		const existing = isNew ? undefined : await findRecipientOf(tx, fingerprints);
		if (existing !== undefined) return { recipient: existing, isNew };
		const { id: subject, type, name, bankCode, maskedAccount } = recipient;
		const detail = { type, name, bank_code: bankCode, account: maskedAccount };
		await recordAudit(tx, { tenantId, at: now(), ...by, action: "recipient.added", subject, detail });
		return { recipient, isNew };
	});
}
