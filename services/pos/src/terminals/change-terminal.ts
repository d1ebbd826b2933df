import { type Actor, recordAudit } from "@lango/access";
import { requireOutlet } from "@lango/chassis";
import { type Database, inTenant, type OutletFilter } from "@lango/postgres";
import { hashSecret, mintSecret } from "@lango/tokens";
import { failures } from "../failures.ts";
import { recordTerminal, revokeTerminal, type Terminal } from "./terminal.store.ts";

/** By whom, from where, when. */
export type By = {
	tenantId: string;
	actor: Actor;
	origin: { requestId: string; address: string };
	now: Date;
};

const terminalsMax = 500;

/** Makes a till of an outlet; its token is told this once. Throws `outlet_not_found`, `terminals_full`. */
export async function addTerminal(
	db: Database,
	{ outletId, name }: { outletId: string; name: string },
	by: By,
): Promise<Terminal & { token: string }> {
	const { tenantId, actor, now } = by;
	const token = `pt_${mintSecret()}`;
	return inTenant(db, tenantId, async (tx) => {
		await requireOutlet(tx, outletId, { field: "outlet_id", in: "body" });
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
		await audit(tx, by, {
			action: "terminal.added",
			subject: terminal.id,
			detail: { name, outlet_id: outletId },
		});
		return { ...terminal, token };
	});
}

/** Shuts a till out, and whoever is signed in at it; again changes nothing. Throws `terminal_not_found`. */
export async function shutTerminal(
	db: Database,
	{ id, outlets }: { id: string; outlets: OutletFilter },
	by: By,
): Promise<void> {
	const { tenantId, now } = by;
	await inTenant(db, tenantId, async (tx) => {
		const revoked = await revokeTerminal(tx, { id, outlets, now });
		if (revoked === undefined) throw failures.terminal_not_found();
		if (revoked.isNew)
			await audit(tx, by, { action: "terminal.revoked", subject: id, detail: { name: revoked.name } });
	});
}

type What = { action: string; subject: string; detail: Record<string, unknown> };

const audit = (tx: Database, { tenantId, actor, origin, now }: By, what: What) =>
	recordAudit(tx, { tenantId, at: now, actor, ...what, ...origin });
