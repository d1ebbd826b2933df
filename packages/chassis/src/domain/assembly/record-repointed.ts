import { recordAudit } from "@lango/access";
import { tenantRepointedOf } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Repointed } from "@lango/tenancy";

/** What is personal of a row; the audit log holds people by their ids alone. */
const personal: Readonly<Record<string, readonly string[]>> = { users: ["email", "name"] };

/**
 * Tells of a tenant whose id changed here, in the transaction that changes it: one audit row, one more for each row that
 * yielded when two ids were merged, with all of it that is not personal, and the event `<service>.tenant.repointed`.
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
