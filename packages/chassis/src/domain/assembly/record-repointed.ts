import { recordAudit } from "@lango/access";
import { tenantRepointedOf } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Repointed } from "@lango/tenancy";

/** The personal fields of a row; the audit log identifies people by their ids only. */
const personal: Readonly<Record<string, readonly string[]>> = { users: ["email", "name"] };

/**
 * Records that the id of a tenant changed, in the transaction of the change: one audit entry, one further
 * entry for each row that was dropped when two ids were merged (without its personal fields), and the event
 * `<service>.tenant.repointed`.
 */
export function recordRepointedWith({ service, now }: { service: string; now: () => Date }) {
	return async (tx: Database, { slug, from, to, yielded }: Repointed): Promise<void> => {
		const entry = { tenantId: to, at: now(), actor: { kind: "system", id: service } as const };
		await inTenant(tx, to, async (db) => {
			const detail = { slug, previous_tenant_id: from, yielded: yielded.length };
			await recordAudit(db, { ...entry, action: "tenant.repointed", subject: to, detail });
			for (const { table, row } of yielded) {
				const kept = Object.entries(row).filter(([name]) => !personal[table]?.includes(name));
				await recordAudit(db, {
					...entry,
					action: "tenant.row_merged",
					subject: table,
					detail: Object.fromEntries(kept),
				});
			}
			await recordEvent(db, tenantRepointedOf(service), {
				subject: to,
				tenantId: to,
				tenantSlug: slug,
				now: now(),
				data: { tenant_id: to, slug, previous_tenant_id: from, yielded: yielded.length },
			});
		});
	};
}
