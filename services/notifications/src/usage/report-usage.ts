import type { Domain } from "@lango/chassis";
import { EntitlementsUnavailable } from "@lango/entitlements";
import { inTenant } from "@lango/postgres";
import {
	listReports,
	listTenantsWithUsage,
	removeReports,
	type Span,
	storeEmails,
	storeMessages,
} from "./report.store.ts";

/** The metrics of usage: e-mails by the day, and SMS segments and WhatsApp messages (identity §2.5). */
const metrics = { emails: "email_count", messages: "message_count" };

const minuteMs = 60_000;
/** The subscription service accepts what is at most seven days old. */
const reportedWithinMs = 7 * 24 * 60 * minuteMs - 60 * minuteMs;
/** Longer than a transaction may take: what was sent before is visible. */
const settledAfterMs = 5 * minuteMs;
const tenantsAtOnce = 200;
const reportsAtOnce = 100;

type Reporting = Pick<Domain, "db" | "usage" | "log">;

/**
 * Reports the usage of every tenant to the subscription service. Reports are stored before they are sent and
 * keep their ids, so that each is counted once however often it is sent. Stops if the subscription service is
 * away: the next run continues.
 */
export async function reportUsage(parts: Reporting, now: Date, signal?: AbortSignal): Promise<void> {
	const span = { from: new Date(now.getTime() - reportedWithinMs), until: now };
	let after: string | undefined;
	do {
		const tenants: string[] = await listTenantsWithUsage(parts.db, { ...span, after, limit: tenantsAtOnce });
		for (const tenantId of tenants) {
			if (signal?.aborted === true) return;
			await store(parts, tenantId, span);
			if (!(await sendStored(parts, tenantId))) return;
		}
		after = tenants.length === tenantsAtOnce ? tenants.at(-1) : undefined;
	} while (after !== undefined);
}

async function store({ db }: Reporting, tenantId: string, { from, until }: Span): Promise<void> {
	const settled = new Date(until.getTime() - settledAfterMs);
	await inTenant(db, tenantId, async (tx) => {
		await storeEmails(tx, { metric: metrics.emails, tenantId, from, until });
		await storeMessages(tx, { metric: metrics.messages, tenantId, from, until: settled });
	});
}

/** Sends the stored reports of a tenant. Returns false if the subscription service is unavailable. */
async function sendStored({ db, usage, log }: Reporting, tenantId: string): Promise<boolean> {
	try {
		for (;;) {
			const reports = await inTenant(db, tenantId, (tx) => listReports(tx, reportsAtOnce));
			if (reports.length === 0) return true;
			await usage.reportUsage(
				tenantId,
				reports.map(({ id, at, ...report }) => ({ ...report, id: `usage:${id}`, at: at.toISOString() })),
			);
			await inTenant(db, tenantId, (tx) => removeReports(tx, { tenantId, ids: reports.map(({ id }) => id) }));
		}
	} catch (err) {
		if (!(err instanceof EntitlementsUnavailable)) throw err;
		log.warn({ err, tenantId }, "usage not reported, will retry");
		return false;
	}
}
