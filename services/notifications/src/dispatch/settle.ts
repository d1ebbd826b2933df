import { notificationsDeliveryChanged, notificationsMessageCompleted } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { publishCreditLow } from "../credits/publish-credit-low.ts";
import { providersOf } from "../providers/account.store.ts";
import { judgeReputation } from "../reputation/change-reputation.ts";
import { suppressAddresses } from "../suppressions/suppress-addresses.ts";
import { type Changed, listCompleted, type Result, type Settled, settleDeliveries } from "./settle.store.ts";

/**
 * Settles results of one tenant in one transaction, and records the events that follow: a message that is
 * complete, deliveries whose request asked for events, credit that fell below its threshold, addresses that
 * can never be reached, and a reputation that changed.
 */
export async function settle(
	{ db, now, vault }: { db: Database; now: () => Date; vault: Pick<Vault, "otherKeysOf"> },
	{ tenantId, results }: { tenantId: string; results: readonly Result[] },
): Promise<readonly Settled[]> {
	return inTenant(db, tenantId, async (tx) => {
		const settled = await settleIn(tx, { tenantId, results, now: now() });
		const changed = new Set(settled.map(({ id }) => id));
		const items = results.flatMap(({ id, suppress }) =>
			suppress === undefined || !changed.has(id) ? [] : [{ deliveryId: id, reason: suppress }],
		);
		await suppressAddresses(tx, { tenantId, items, now: now(), vault });
		const isBadMail = settled.some(({ channel }) => channel === "email") && results.some(isBounce);
		if (isBadMail) await judgeReputation(tx, { tenantId, now: now() });
		return settled;
	});
}

/**
 * Does what `settle` does in the caller's transaction, but for suppressions and the reputation. Call it
 * inside the tenant.
 */
export async function settleIn(
	tx: Database,
	{ tenantId, results, now }: { tenantId: string; results: readonly Result[]; now: Date },
): Promise<readonly Settled[]> {
	const settled = await settleDeliveries(tx, { tenantId, results, now });
	const complete = [
		...new Set(
			settled.filter(({ isMessageComplete }) => isMessageComplete).map(({ messageId }) => messageId),
		),
	];
	if (complete.length > 0) await publishCompleted(tx, { tenantId, ids: complete, now });
	const wanted = settled.filter(({ wantsEvents }) => wantsEvents);
	const providers = await providersOf(
		tx,
		wanted.map(({ providerId }) => providerId),
	);
	const changed = wanted.map((one) => ({ ...one, providerKind: providers.get(one.providerId ?? "")?.kind }));
	await publishChanges(tx, { tenantId, changed, now });
	const creditLow = settled[0]?.creditLow;
	if (creditLow !== undefined) await publishCreditLow(tx, { tenantId, ...creditLow, now });
	return settled;
}

const isBounce = ({ status, suppress }: Result) => status === "bounced" || suppress !== undefined;

async function publishCompleted(
	tx: Database,
	{ tenantId, ids, now }: { tenantId: string; ids: readonly string[]; now: Date },
): Promise<void> {
	for (const message of await listCompleted(tx, ids))
		await recordEvent(tx, notificationsMessageCompleted, {
			subject: message.id,
			tenantId,
			now,
			data: {
				message_id: message.id,
				tenant_id: tenantId,
				source: message.source,
				channel: message.channel,
				template: message.template,
				template_version: message.templateVersionId,
				labels: message.labels,
				counts: message.counts,
			},
		});
}

/** Records the event of each changed delivery, in the order of their ids. Call it inside the tenant. */
export async function publishChanges(
	tx: Database,
	{ tenantId, changed, now }: { tenantId: string; changed: readonly Changed[]; now: Date },
): Promise<void> {
	for (const one of changed.toSorted(byId))
		await recordEvent(tx, notificationsDeliveryChanged, {
			subject: one.id,
			tenantId,
			now,
			data: {
				delivery_id: one.id,
				message_id: one.messageId,
				tenant_id: tenantId,
				channel: one.channel,
				template: one.template,
				status: one.status,
				error_class: one.errorClass ?? null,
				error_code: one.errorCode ?? null,
				provider_kind: one.providerKind ?? null,
				user_id: one.userId ?? null,
				address_masked: one.addressMasked,
				at: now.toISOString(),
				version: one.version,
			},
		});
}

const byId = (left: Changed, right: Changed) => (left.id < right.id ? -1 : 1);
