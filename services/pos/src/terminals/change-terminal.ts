import { type Actor, recordAudit } from "@lango/access";
import { requireOutlet } from "@lango/chassis";
import { type Database, inTenant, type OutletFilter } from "@lango/postgres";
import { hashSecret, mintSecret } from "@lango/tokens";
import { failures } from "../failures.ts";
import { recordTerminal, revokeTerminal, type Terminal } from "./terminal.store.ts";

/** The caller, the origin and the time of a change. */
export type Change = {
	tenantId: string;
	actor: Actor;
	origin: { requestId: string; address: string };
	now: Date;
};

const terminalsMax = 500;

/**
 * Adds a till to an outlet. Only this result contains its token. Throws `outlet_not_found`, `terminals_full`.
 */
export async function addTerminal(
	db: Database,
	{ outletId, name }: { outletId: string; name: string },
	change: Change,
): Promise<Terminal & { token: string }> {
	const { tenantId, actor, now } = change;
	const token = `pt_${mintSecret()}`;
	return inTenant(db, tenantId, async (tx) => {
		await requireOutlet(tx, { tenantId, outletId }, { field: "outlet_id", in: "body" });
		const tokenHash = hashSecret(token);
		const createdBy = actor.id;
		const terminal = await recordTerminal(tx, {
			tenantId,
			outletId,
			name,
			tokenHash,
			createdBy,
			now,
			terminalsMax,
		});
		if (terminal === undefined) throw failures.terminals_full();
		await audit(tx, change, {
			action: "terminal.added",
			subject: terminal.id,
			detail: { name, outlet_id: outletId },
		});
		return { ...terminal, token };
	});
}

/** Revokes a till and ends its sessions. Idempotent. Throws `terminal_not_found`. */
export async function revokeTill(
	db: Database,
	{ id, outlets }: { id: string; outlets: OutletFilter },
	change: Change,
): Promise<void> {
	const { tenantId, now } = change;
	await inTenant(db, tenantId, async (tx) => {
		const revoked = await revokeTerminal(tx, { tenantId, id, outlets, now });
		if (revoked === undefined) throw failures.terminal_not_found();
		if (revoked.isNew)
			await audit(tx, change, { action: "terminal.revoked", subject: id, detail: { name: revoked.name } });
	});
}

type AuditEntry = { action: string; subject: string; detail: Record<string, unknown> };

const audit = (tx: Database, { tenantId, actor, origin, now }: Change, entry: AuditEntry) =>
	recordAudit(tx, { tenantId, at: now, actor, ...entry, ...origin });
