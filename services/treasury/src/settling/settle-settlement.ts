import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { closeExplained } from "../exceptions/exception.store.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { findOwnerId } from "../platform-owner.ts";
import { delaySettlement, findSettlement } from "../settlements/settlement.store.ts";
import { type Settlement, unsettledStates } from "../settlements/settlement.ts";
import { listLines } from "../settlements/settlement-line.store.ts";
import type { Treasury } from "../treasury.ts";
import { againAfterMs, concludeSettling } from "./conclude-settling.ts";
import { proposeLines } from "./propose-lines.ts";
import { settleLine } from "./settle-line.ts";
import { storeLines } from "./store-lines.ts";

/**
 * Posts what a settlement paid out, and settles the receipts of its charges. It continues where it was
 * interrupted: what was posted is not posted again. A charge that cannot be settled, or read, does not keep
 * the others from it: its error is thrown at the end. With one that cannot be read the settlement is not
 * compared with its charges, and they are fetched again after an hour. Throws `gateway_unavailable` and
 * `gateway_refused`.
 */
export async function settleSettlement(domain: Treasury, settlementId: string): Promise<void> {
	const settlement = await findSettlement(domain.db, settlementId);
	if (settlement?.state !== "paid") return;
	await postSettlement(domain, settlement);
	const late = { class: "late" as const, subject: `settlement ${settlement.gatewayId}` };
	await closeExplained(domain.db, { ...late, now: domain.now() });
	const unread = await fetchLines(domain, settlement);
	if (unread === undefined) return;
	const errors = await settleLines(domain, settlement);
	if (unread === 0) await concludeSettling(domain, settlement);
	else {
		errors.push(new Error(`${unread} charges cannot be read`));
		await delaySettlement(domain.db, settlement.id, new Date(domain.now().getTime() + againAfterMs));
	}
	if (errors.length > 0)
		throw new AggregateError(errors, `not all charges of ${settlement.gatewayId} were settled`);
}

/** Its evidence is the platform owner's. */
async function postSettlement(domain: Treasury, settlement: Settlement): Promise<void> {
	const { db, now } = domain;
	const tenantId = await findOwnerId(domain);
	await ensureTenant(db, tenantId);
	const evidence = { tenantId, settlement, source: "statement", sourceId: settlement.gatewayId } as const;
	await retryConflicts(() => inTenant(db, tenantId, (tx) => applyOutcome(tx, { ...evidence, at: now() })));
}

/**
 * Returns how many charges cannot be read; undefined if none are known. Without the capability
 * `settlement_lines` the gateway does not say which charges it contains.
 */
async function fetchLines(domain: Treasury, settlement: Settlement): Promise<number | undefined> {
	if (settlement.listedAt !== undefined) return 0;
	const gateway = await domain.gateways.requireCardGateway();
	if (gateway.profile.settings.capabilities.settlement_lines) return storeLines(domain, gateway, settlement);
	return (await proposeLines(domain, settlement)) ? 0 : undefined;
}

const atOnce = 100;

async function settleLines(domain: Treasury, settlement: Settlement): Promise<unknown[]> {
	const { id: settlementId, settledAt } = settlement;
	const errors: unknown[] = [];
	let after: string | undefined;
	for (;;) {
		const page = { settlementId, states: unsettledStates, after, limit: atOnce } as const;
		const lines = await listLines(domain.db, page);
		for (const line of lines)
			await settleLine(domain, line, settledAt).catch((error: unknown) => errors.push(error));
		if (lines.length < atOnce) return errors;
		after = lines.at(-1)?.id;
	}
}
