import {
	type Changed,
	type ChangeParts,
	changeSubscription,
	type Work,
} from "../record/change-subscription.ts";
import { originOf, recordAuditEntry } from "./origin.ts";

type Request = Parameters<typeof originOf>[0];

type AuditedChange<R> = {
	tenantId: string;
	action: string;
	work: Work<R>;
	/** What the audit log records of the change; the plan by default. */
	detailOf?: (changed: Changed<R>) => Readonly<Record<string, unknown>>;
};

const planOf = ({ subscription }: Changed<unknown>) => ({ plan: subscription.plan.code });

/** Changes a subscription and writes the audit log in one transaction. */
export function audited<R>(
	parts: ChangeParts,
	request: Request,
	{ tenantId, action, work, detailOf = planOf }: AuditedChange<R>,
) {
	return parts.db.transaction(async (tx) => {
		const which = { tenantId, correlationId: request.id };
		const changed = await changeSubscription({ ...parts, db: tx }, which, work);
		const detail = { ...detailOf(changed), version: changed.subscription.version };
		await recordAuditEntry(tx, originOf(request), {
			tenantId,
			action,
			subject: tenantId,
			detail,
			at: changed.now,
		});
		return changed;
	});
}
