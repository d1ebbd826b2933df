import { uuidV7Floor } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { settleIn } from "../dispatch/settle.ts";
import { purgeInbox } from "../inbox/inbox.store.ts";
import { lowerLimits } from "../limits/limit.store.ts";
import {
	type Cutoffs,
	listExpiredQueued,
	listTenantsToPurge,
	purgeData,
	purgeExpired,
	removeDays,
	removeMessages,
} from "./purge.store.ts";

const dayMs = 24 * 3_600_000;
const dataDays = 30;
const rowsDays = 90;
const inboxDays = 180;
const tenantsAtOnce = 200;
const rowsAtOnce = 1_000;

type Limits = Cutoffs & {
	now: Date;
	dataDueBefore: Date;
	rowsDueBefore: Date;
	signal: AbortSignal | undefined;
};

/**
 * Removes what is older than its retention, in small transactions, until nothing is left or `signal` is
 * aborted: data of messages and addresses of deliveries after 30 days, messages with deliveries and timelines
 * after 90 days (from the time when they were due), items of inboxes after 180 days, and rows that have
 * expired. Ids of messages carry the time, so no index by time is needed. It also repeats `lowerLimits`,
 * which a request may have left out when its process ended.
 */
export async function purge(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
	const before = (days: number) => new Date(now.getTime() - days * dayMs);
	const limits = {
		...{ now, signal, dataDueBefore: before(dataDays), rowsDueBefore: before(rowsDays) },
		dataBefore: uuidV7Floor(before(dataDays)),
		rowsBefore: uuidV7Floor(before(rowsDays)),
	};
	await lowerLimits(db);
	await repeat(signal, () => purgeExpired(db, { now, limit: rowsAtOnce }).then((n) => n === rowsAtOnce));
	const itemsBefore = before(inboxDays);
	await repeat(signal, () =>
		purgeInbox(db, { before: itemsBefore, limit: rowsAtOnce }).then((n) => n === rowsAtOnce),
	);
	let after: string | undefined;
	do {
		const tenants: string[] = await listTenantsToPurge(db, { ...limits, after, limit: tenantsAtOnce });
		for (const tenantId of tenants) await purgeTenant(db, tenantId, limits);
		after = tenants.length === tenantsAtOnce ? tenants.at(-1) : undefined;
	} while (after !== undefined && signal?.aborted !== true);
}

async function purgeTenant(db: Database, tenantId: string, limits: Limits): Promise<void> {
	const { now, dataBefore, rowsBefore, dataDueBefore, rowsDueBefore, signal } = limits;
	const limit = rowsAtOnce;
	const inside = (work: (tx: Database) => Promise<boolean>) =>
		repeat(signal, () => inTenant(db, tenantId, work));
	await inside((tx) => expireQueued(tx, { tenantId, dataBefore, now }));
	const data = { tenantId, dataBefore, dueBefore: dataDueBefore, now, limit };
	await inside(async (tx) => (await purgeData(tx, data)) > 0);
	const rows = { tenantId, rowsBefore, dueBefore: rowsDueBefore, limit };
	await inside(async (tx) => (await removeMessages(tx, rows)) > 0);
	await inTenant(db, tenantId, (tx) => removeDays(tx, { tenantId, before: rowsDueBefore }));
}

/**
 * Expires deliveries that nothing claims any more, such as those of a suspended tenant: else their data would
 * stay. Returns whether there may be more.
 */
async function expireQueued(
	tx: Database,
	{ tenantId, dataBefore, now }: { tenantId: string; dataBefore: string; now: Date },
): Promise<boolean> {
	const ids = await listExpiredQueued(tx, { tenantId, dataBefore, now, limit: rowsAtOnce });
	const results = ids.map((id) => ({
		...{ id, from: ["queued"] as const, status: "expired" as const },
		event: { kind: "decision" as const, detail: { decision: "expired" } },
	}));
	if (results.length > 0) await settleIn(tx, { tenantId, results, now });
	return ids.length === rowsAtOnce;
}

/** Repeats work until it returns false, or the signal is aborted. */
async function repeat(signal: AbortSignal | undefined, work: () => Promise<boolean>): Promise<void> {
	while (signal?.aborted !== true && (await work())) {}
}
