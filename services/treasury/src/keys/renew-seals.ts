import type { Logger } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import { type KeyEncryptionKeys, seal, unseal } from "@lango/tokens";
import { authorizationContext } from "../card-authorizations/card-authorization.ts";
import { emailTokenContext } from "../card-subscriptions/card-subscription.ts";
import { rewrapSecrets } from "../gateways/profiles/credential.ts";
import { listOlderSeals, type OlderSeal } from "../measurements/older-seal.store.ts";
import { payCodeContext } from "../payments/pay-code.ts";
import { accountContext, fingerprintsOf } from "../recipients/recipient.ts";
import { findSealedRow, replaceSeal, type SealedRow } from "./key.store.ts";

const rowsAtOnce = 200;

/** What a renewal needs of the service. */
export type Renewing = { db: Database; keys: KeyEncryptionKeys; log: Pick<Logger, "warn"> };

/**
 * Encrypts stored values under the newest key-encryption key, until none is under an older one or `signal`
 * is aborted. A row that fails is logged and does not stop the others; the next run tries it again.
 */
export async function renewSeals(parts: Renewing, signal: AbortSignal): Promise<void> {
	const { db, keys } = parts;
	const newest = keys[0]?.id ?? "";
	for (;;) {
		const rows = await listOlderSeals(db, { newest, limit: rowsAtOnce });
		const failures: unknown[] = [];
		for (const row of rows) {
			if (signal.aborted) return;
			await renewRow(parts, row).catch((err) => failures.push(err));
		}
		const [err] = failures;
		if (failures.length > 0)
			parts.log.warn({ err, rows: failures.length }, "values could not be encrypted under the newest key");
		if (rows.length < rowsAtOnce || failures.length > 0) return;
	}
}

async function renewRow({ db, keys }: Renewing, row: OlderSeal): Promise<void> {
	const found = await findSealedRow(db, row);
	if (found !== undefined) await replaceSeal(db, row, { was: found.value, ...renewed(keys, row, found) });
}

/** What the values of each table are bound to; those of credentials are opened in another way. */
const contexts: Readonly<Record<OlderSeal["table"], string>> = {
	platform_gateway_credentials: "",
	gateway_credentials: "",
	intents: payCodeContext,
	recipients: accountContext,
	card_authorizations: authorizationContext,
	card_subscriptions: emailTokenContext,
};

function renewed(keys: KeyEncryptionKeys, { table, tenantId, id }: OlderSeal, found: SealedRow) {
	const { value, purpose, account } = found;
	if (purpose !== null) {
		const owner = tenantId === undefined ? ("platform" as const) : ("tenant" as const);
		return { value: rewrapSecrets(keys, { id, owner, purpose }, value), fingerprint: undefined };
	}
	const context = contexts[table];
	const text = unseal(keys, context, value);
	const [fingerprint] = account === null ? [] : fingerprintsOf(keys, { ...account, accountNumber: text });
	return { value: seal(keys, context, text), fingerprint };
}
