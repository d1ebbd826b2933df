import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { nextLookUpAt, ranks, stateOfReport, unknownUntilMs } from "../delivery.ts";
import type { Report } from "../provider.ts";
import type { ProviderCalls } from "../providers/provider-calls.ts";
import {
	type Lost,
	listExpiredAtRest,
	listLost,
	listTenantsToRecover,
	listTenantsWithIdleLanes,
	listUnknown,
	rearmLanes,
	type Unknown,
} from "./recover.store.ts";
import type { Result } from "./settle.store.ts";
import { settle, settleIn } from "./settle.ts";

/** What recovery needs. */
export type Recovering = {
	db: Database;
	now: () => Date;
	vault: Vault;
	calls: Pick<ProviderCalls, "lookUp">;
};

const atOnce = 100;

/**
 * Recovers deliveries whose lease has ended, and looks up unknown outcomes. A lost e-mail, push notification
 * or inbox item is sent again under the same id. A lost SMS or WhatsApp message is sent again only if its
 * provider was certainly not called; otherwise its outcome is unknown: it waits for a report or a look-up,
 * and expires an hour after the call. An error of one tenant or provider does not stop the others: all are
 * thrown together at the end.
 */
export async function recoverDeliveries(parts: Recovering, signal: AbortSignal): Promise<void> {
	const errors: unknown[] = [];
	for (const tenantId of await listTenantsToRecover(parts.db, parts.now())) {
		if (signal.aborted) break;
		try {
			await recoverLost(parts, tenantId);
			errors.push(...(await lookUpUnknown(parts, tenantId, signal)));
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length > 0) throw new AggregateError(errors, "some deliveries were not recovered");
}

async function recoverLost({ db, now }: Recovering, tenantId: string): Promise<void> {
	await inTenant(db, tenantId, async (tx) => {
		const lost = await listLost(tx, { tenantId, now: now(), limit: atOnce });
		if (lost.length === 0) return;
		await settleIn(tx, { tenantId, results: lost.map((one) => resultOfLost(one, now())), now: now() });
	});
}

/** Looks up unknown outcomes of a tenant. Returns the errors of providers: they are asked again later. */
async function lookUpUnknown(parts: Recovering, tenantId: string, signal: AbortSignal): Promise<unknown[]> {
	const { db, now } = parts;
	const errors: unknown[] = [];
	const found = await inTenant(db, tenantId, (tx) =>
		listUnknown(tx, { tenantId, now: now(), limit: atOnce }),
	);
	for (const unknown of found) {
		if (signal.aborted) break;
		const report = await lookUp(parts, { tenantId, unknown }).catch((error: unknown) => {
			errors.push(error);
			return undefined;
		});
		await settle(parts, { tenantId, results: [resultOfUnknown(unknown, report, now())] });
	}
	return errors;
}

/**
 * Sets lanes due that are idle although they have due deliveries. An error of one tenant does not stop the
 * others: all are thrown together at the end.
 */
export async function rearmIdleLanes(
	{ db, now }: Pick<Recovering, "db" | "now">,
	signal: AbortSignal,
): Promise<void> {
	const errors: unknown[] = [];
	for (const tenantId of await listTenantsWithIdleLanes(db, now())) {
		if (signal.aborted) break;
		try {
			await inTenant(db, tenantId, (tx) => rearmLanes(tx, tenantId, now()));
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length > 0) throw new AggregateError(errors, "some lanes were not set due");
}

const expiredAtOnce = 500;

/**
 * Ends deliveries that expired while their lane rests: of a suspended tenant, or of one whose e-mail is
 * paused. Nothing claims from it. An error of one tenant does not stop the others: all are thrown together at
 * the end.
 */
export async function expireAtRest(
	parts: Pick<Recovering, "db" | "now">,
	signal: AbortSignal,
): Promise<void> {
	const errors = new Map<string, unknown>();
	let limit = expiredAtOnce;
	while (!signal.aborted) {
		const found = await listExpiredAtRest(parts.db, { now: parts.now(), limit });
		for (const [tenantId, expired] of Map.groupBy(found, (one) => one.tenantId)) {
			if (errors.has(tenantId)) continue;
			const results = expired.slice(0, expiredAtOnce).map(({ id }) => resultOfExpired(id));
			const now = parts.now();
			await inTenant(parts.db, tenantId, (tx) => settleIn(tx, { tenantId, results, now })).catch(
				(error: unknown) => errors.set(tenantId, error),
			);
		}
		if (found.length < limit) break;
		// What failed is found again: the next look reads past it. A lane lists at most 1,000 deliveries.
		limit = expiredAtOnce + found.filter(({ tenantId }) => errors.has(tenantId)).length;
	}
	if (errors.size > 0) throw new AggregateError(errors.values(), "some expired deliveries were not ended");
}

const resultOfExpired = (id: string): Result => ({
	...{ id, from: ["queued"], status: "expired" },
	event: { kind: "decision", detail: { decision: "expired" } },
});

const maybeCalled: ReadonlySet<string> = new Set(["sms", "whatsapp"]);

function resultOfLost({ id, attempt, channel, calledAt }: Lost, now: Date): Result {
	const base = { id, attempt, from: ["sending"] as const };
	if (calledAt === undefined || !maybeCalled.has(channel))
		return {
			...base,
			status: "queued",
			dueAt: now,
			event: { kind: "decision", detail: { decision: "lease_lost", attempt } },
		};
	return {
		...base,
		status: "unknown",
		errorClass: "unknown",
		errorCode: "lease_lost",
		dueAt: nextLookUpAt(calledAt, now),
		event: { kind: "decision", detail: { decision: "outcome_unknown", attempt } },
	};
}

async function lookUp(
	{ calls, vault }: Recovering,
	{ tenantId, unknown }: { tenantId: string; unknown: Unknown },
): Promise<Report | undefined> {
	const { id, providerId, channel, address, calledAt, textKey, isAmbiguous } = unknown;
	if (textKey === undefined || isAmbiguous) return undefined;
	const to = vault.openAddress(address);
	const isText = (text: string) => vault.textKeysOf(to, text).some((key) => key.equals(textKey));
	const sought = { deliveryId: id, channel, to, calledAt, isText };
	return calls.lookUp({ tenantId, providerId, sought });
}

function resultOfUnknown({ id, attempt, calledAt }: Unknown, report: Report | undefined, now: Date): Result {
	const base = { id, attempt, from: ["unknown"] as const };
	const state = report && stateOfReport(report.kind);
	if (report !== undefined && state !== undefined)
		return {
			...base,
			...state,
			...(report.ref !== undefined && { ref: report.ref }),
			event: { kind: "report", detail: { report: report.kind, looked_up: true } },
		};
	if (now.getTime() >= calledAt.getTime() + unknownUntilMs)
		return {
			...base,
			status: "expired",
			rank: ranks.sent,
			errorClass: "unknown",
			errorCode: "outcome_unknown",
			event: { kind: "decision", detail: { decision: "outcome_unknown" } },
		};
	return {
		...base,
		status: "unknown",
		dueAt: nextLookUpAt(calledAt, now),
		event: { kind: "decision", detail: { decision: "looked_up" } },
	};
}
