import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { type DeliveryStatus, stateOfReport } from "../delivery.ts";
import type { Result } from "../dispatch/settle.store.ts";
import { settleIn } from "../dispatch/settle.ts";
import { judgeReputation } from "../reputation/change-reputation.ts";
import { countComplaints } from "../reputation/reputation.store.ts";
import { keysOfDeliveries } from "../suppressions/delivery-keys.ts";
import type { AddressToSuppress } from "../suppressions/suppress-addresses.store.ts";
import { suppressAddresses } from "../suppressions/suppress-addresses.ts";
import {
	categoriesOf,
	findReported,
	finishReports,
	listOftenBounced,
	noteReports,
	type TakenReport,
	takeReports,
} from "./report.store.ts";
import { readStoredReport, type StoredReport } from "./stored-report.ts";

/** What applying reports needs. */
export type Applying = { db: Database; now: () => Date; vault: Vault };

type Opened = TakenReport & { opened: StoredReport };
type Found = { reportId: string; deliveryId: string; report: StoredReport };

const atOnce = 200;
/** A report about a delivery that is not known is tried again after each of these seconds. */
const againSeconds = 60;
const attemptsMax = 6;
const softBouncesMax = 3;
const softBounceDays = 1;
const weekMs = 7 * 24 * 3_600_000;

/** The states that a report may change. What was refused or cancelled stays so. */
export const reportable: readonly DeliveryStatus[] = [
	...(["queued", "unknown", "sent", "undelivered", "delivered", "bounced", "read"] as const),
	...(["expired", "dead"] as const),
];

/**
 * Applies due reports until none is left or `signal` is aborted. A report that names an unknown delivery is
 * tried again five times, a minute apart: the response of the provider's call may not be recorded yet.
 * An error of one report or tenant does not stop the others: all are thrown together at the end, and what
 * failed is tried again every minute until it is purged.
 */
export async function applyReports(parts: Applying, signal?: AbortSignal): Promise<void> {
	const errors: unknown[] = [];
	while (signal?.aborted !== true && (await applySome(parts, errors)) === atOnce);
	if (errors.length > 0) throw new AggregateError(errors, "some reports were not applied");
}

async function applySome({ db, now, vault }: Applying, errors: unknown[]): Promise<number> {
	const taken = await takeReports(db, { limit: atOnce, againSeconds, now: now() });
	if (taken.length === 0) return 0;
	const opened = openReports(vault, taken, errors);
	const reported = await findReported(
		db,
		opened.map(({ id, providerId, opened: { ref, tenantId, deliveryId } }) => ({
			...{ id, providerId, ref, tenantId, deliveryId },
		})),
	);
	const places = new Map(reported.map((one) => [one.reportId, one]));
	const byTenant = new Map<string, Found[]>();
	for (const { id, opened: report } of opened) {
		const place = places.get(id);
		// A delivery whose call has not ended is settled first; the report is tried again.
		if (place === undefined || place.status === "sending") continue;
		const list = byTenant.get(place.tenantId) ?? [];
		byTenant.set(place.tenantId, [...list, { reportId: id, deliveryId: place.deliveryId, report }]);
	}
	for (const [tenantId, found] of byTenant)
		errors.push(...(await applyOfTenant({ db, now, vault }, { tenantId, found })));
	const lost = opened.filter(({ id, attempt }) => !places.has(id) && attempt >= attemptsMax);
	if (lost.length > 0)
		await finishReports(
			db,
			lost.map(({ id }) => id),
			now(),
		);
	return taken.length;
}

/** Decrypts reports. One that cannot be opened is left out, and its error added to `errors`. */
function openReports(vault: Vault, taken: readonly TakenReport[], errors: unknown[]): Opened[] {
	return taken.flatMap((one) => {
		try {
			return [{ ...one, opened: readStoredReport(vault.openData(one.report)) }];
		} catch (error) {
			errors.push(error);
			return [];
		}
	});
}

type OfTenant = { tenantId: string; found: readonly Found[] };
type ApplyingIn = OfTenant & { now: Date; vault: Vault };

/** Applies reports of a tenant together and, if that fails, one by one. Returns the errors. */
async function applyOfTenant(
	{ db, now, vault }: Applying,
	{ tenantId, found }: OfTenant,
): Promise<unknown[]> {
	const errors: unknown[] = [];
	const apply = (some: readonly Found[]) =>
		inTenant(db, tenantId, (tx) => applyIn(tx, { tenantId, found: some, now: now(), vault })).catch(
			(error: unknown) => void errors.push(error),
		);
	await apply(found);
	if (errors.length === 0 || found.length === 1) return errors;
	errors.length = 0;
	for (const one of found) await apply([one]);
	return errors;
}

async function applyIn(tx: Database, { tenantId, found, now, vault }: ApplyingIn): Promise<void> {
	const ids = found.map(({ reportId }) => reportId);
	const isMine = new Set(await finishReports(tx, ids, now));
	const mine = found.filter(({ reportId }) => isMine.has(reportId));
	if (mine.length === 0) return;
	await noteReports(tx, {
		...{ tenantId, now },
		entries: mine.map(({ deliveryId, report: { kind, code, at } }) => ({
			deliveryId,
			detail: { report: kind, ...(code !== undefined && { code }), ...(at !== undefined && { at }) },
		})),
	});
	const results = highestRanks(mine);
	if (results.length > 0) await settleIn(tx, { tenantId, results, now });
	// Locks are taken in the order of `settle_deliveries`: reputation, then suppressions.
	const complained = mine.filter(({ report }) => report.kind === "complained");
	const deliveryIds = complained.map(({ deliveryId }) => deliveryId);
	if (deliveryIds.length > 0) await countComplaints(tx, { tenantId, deliveryIds, now });
	const items = await addressesToSuppress(tx, mine, { tenantId, now, vault });
	await suppressAddresses(tx, { tenantId, items, now, vault });
	const isBad = deliveryIds.length > 0 || results.some(({ status }) => status === "bounced");
	if (isBad) await judgeReputation(tx, { tenantId, now });
}

/** The change of each delivery: that of its report with the highest rank. Pure. */
function highestRanks(found: readonly Pick<Found, "deliveryId" | "report">[]): Result[] {
	const best = new Map<string, Result & { rank: number }>();
	for (const { deliveryId, report } of found) {
		const state = stateOfReport(report.kind);
		if (state === undefined || (best.get(deliveryId)?.rank ?? 0) >= state.rank) continue;
		const hasFailed = report.kind !== "sent" && report.kind !== "delivered" && report.kind !== "read";
		best.set(deliveryId, {
			...{ id: deliveryId, from: reportable, ...state },
			...(report.ref !== undefined && { ref: report.ref }),
			...(hasFailed && { errorClass: "reported", errorCode: report.code ?? report.kind }),
		});
	}
	return [...best.values()].toSorted(({ id: left }, { id: right }) => (left < right ? -1 : 1));
}

async function addressesToSuppress(
	tx: Database,
	found: readonly Found[],
	{ tenantId, now, vault }: Pick<ApplyingIn, "tenantId" | "now" | "vault">,
): Promise<AddressToSuppress[]> {
	const of = (isIt: (report: StoredReport) => boolean) =>
		found.filter(({ report }) => isIt(report)).map(({ deliveryId }) => deliveryId);
	const bounced = of(({ kind }) => kind === "bounced");
	const invalid = of(({ kind, isAddressBad }) => kind !== "bounced" && isAddressBad === true);
	const complained = of(({ kind }) => kind === "complained");
	const soft = of(({ kind }) => kind === "soft_bounced");
	const categories = complained.length === 0 ? new Map() : await categoriesOf(tx, complained);
	const since = new Date(now.getTime() - weekMs);
	const often =
		soft.length === 0
			? []
			: await listOftenBounced(tx, {
					...{ tenantId, places: await keysOfDeliveries(tx, vault, soft), times: softBouncesMax, since },
				});
	return [
		...bounced.map((deliveryId) => ({ deliveryId, reason: "bounce" as const })),
		...invalid.map((deliveryId) => ({ deliveryId, reason: "invalid" as const })),
		...complained.map((deliveryId) => ({
			...{ deliveryId, reason: "complaint" as const },
			category: categories.get(deliveryId),
		})),
		...often.map((deliveryId) => ({ deliveryId, reason: "bounce" as const, days: softBounceDays })),
	];
}
