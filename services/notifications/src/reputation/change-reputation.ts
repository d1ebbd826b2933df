import { notificationsReputationChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { findTenantName } from "../credits/credit.store.ts";
import { failures } from "../failures.ts";
import {
	beginPeriod,
	endPeriod,
	forgetMail,
	getReputation,
	lockReputation,
	type Reputation,
	wakeMail,
} from "./reputation.store.ts";
import { judge, type MailCounts, type ReputationCause, type ReputationState } from "./reputation.ts";

type Of = { tenantId: string; now: Date };
/** A decision of the platform owner. */
type Decision = Of & { by: string; reason: string };

const stateOf = ({ period }: Reputation): ReputationState => period?.state ?? "ok";

/**
 * Warns a tenant, pauses its e-mail, or ends its warning, as its e-mails of 24 hours demand. A pause stays
 * until the platform owner ends it. Call it inside the tenant, after e-mails bounced or were complained
 * about, and last: a change waits for claims of the tenant's e-mail.
 */
export async function judgeReputation(tx: Database, { tenantId, now }: Of): Promise<void> {
	if (!isChanged(await getReputation(tx, { tenantId, now }))) return;
	await lockReputation(tx, tenantId);
	const current = await getReputation(tx, { tenantId, now });
	if (!isChanged(current)) return;
	const { state, cause } = judge(current.counts);
	await endPeriod(tx, { tenantId, now });
	if (state !== "ok" && cause !== undefined)
		await beginPeriod(tx, { tenantId, state, cause, reason: undefined, now });
	await publish(tx, { tenantId, now, state, cause: cause ?? null, counts: current.counts });
}

const isChanged = (reputation: Reputation): boolean =>
	stateOf(reputation) !== "paused" && judge(reputation.counts).state !== stateOf(reputation);

/** Pauses the tenant's e-mail, but for urgent e-mail. Throws `already_paused`. Call it inside the tenant. */
export async function pauseMail(tx: Database, { tenantId, by, reason, now }: Decision): Promise<Reputation> {
	await lockReputation(tx, tenantId);
	const current = await getReputation(tx, { tenantId, now });
	if (stateOf(current) === "paused") throw failures.already_paused();
	await endPeriod(tx, { tenantId, by, now });
	await beginPeriod(tx, { tenantId, state: "paused", cause: "owner", reason, by, now });
	await publish(tx, { tenantId, now, state: "paused", cause: "owner", counts: current.counts });
	return getReputation(tx, { tenantId, now });
}

/**
 * Ends a pause: what waits is sent, unless it has expired, and counting begins again. Throws `not_paused`.
 * Call it inside the tenant.
 */
export async function resumeMail(tx: Database, { tenantId, by, reason, now }: Decision): Promise<Reputation> {
	const { counts } = await getReputation(tx, { tenantId, now });
	await forgetMail(tx, tenantId);
	await lockReputation(tx, tenantId);
	if (stateOf(await getReputation(tx, { tenantId, now })) !== "paused") throw failures.not_paused();
	await endPeriod(tx, { tenantId, by, reason, now });
	await publish(tx, { tenantId, now, state: "ok", cause: "owner", counts });
	await wakeMail(tx);
	return getReputation(tx, { tenantId, now });
}

async function publish(
	tx: Database,
	change: Of & { state: ReputationState; cause: ReputationCause | null; counts: MailCounts },
): Promise<void> {
	const { tenantId, now, state, cause, counts } = change;
	await recordEvent(tx, notificationsReputationChanged, {
		subject: tenantId,
		tenantId,
		now,
		data: {
			tenant_id: tenantId,
			tenant_name: await findTenantName(tx, tenantId),
			...{ state, cause, ...counts, at: now.toISOString() },
		},
	});
}
