import { Failure } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import type { Accepting } from "../messages/accept-message.ts";
import { findRedrive, listInScope, listSpare, type Progress, recordProgress } from "./redrive.store.ts";
import type { Place, Redrive } from "./redrive.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { redriveJob } from "./start-redrive.ts";

const batch = 100;
const bulkAbove = 100;
/** How long a redrive waits when the rest of the channel's limit is left to other messages. */
const pauseSeconds = 10;

type Running = { tenantId: string; redrive: Redrive; signal: AbortSignal };

/**
 * Sends the next deliveries of a redrive again, at most 100, and enqueues its job for the next ones. A
 * repetition after a crash makes no second message. A delivery that cannot be sent again is counted by its
 * refusal; the day's limit of e-mails stops the redrive. Throws `EntitlementsUnavailable`; the redrive waits.
 */
export async function runRedrive(
	parts: Accepting,
	{ id, tenantId, signal }: { id: string; tenantId: string; signal: AbortSignal },
): Promise<void> {
	const { db } = parts;
	const redrive = await inTenant(db, tenantId, (tx) => findRedrive(tx, id));
	if (redrive?.status !== "running") return;
	const { waitSeconds, ...progress } = await resendBatch(parts, { tenantId, redrive, signal });
	await inTenant(db, tenantId, async (tx) => {
		await recordProgress(tx, { tenantId, id, ...progress });
		if (progress.status === "running")
			await enqueueJob(tx, redriveJob, {
				id,
				tenantId,
				...(waitSeconds > 0 && { afterSeconds: waitSeconds }),
			});
	});
}

/** Refusals of every further delivery of the day. */
const stopping: ReadonlySet<string> = new Set(["daily_limit_reached", "trial_limit_reached"]);

async function resendBatch(parts: Accepting, running: Running): Promise<Progress> {
	const { tenantId, redrive, signal } = running;
	const scope = { ...redrive, tenantId, requestedAt: redrive.createdAt };
	const [found, spare] = await inTenant(parts.db, tenantId, async (tx) => [
		await listInScope(tx, scope, { after: redrive.after, limit: batch }),
		new Map(await listSpare(tx, { tenantId, now: parts.now() })),
	]);
	const counts: Record<string, number> = { ...redrive.counts };
	let after: Place = redrive.after;
	const progress = (more: Partial<Progress>): Progress => ({
		...{ after, counts, status: "running", reason: null, updatedAt: parts.now(), waitSeconds: 0, ...more },
	});
	for (const { id, channel, endedAt } of found) {
		if (signal.aborted) return progress({});
		const left = spare.get(channel) ?? 0;
		if (left < 1) return progress({ waitSeconds: pauseSeconds });
		const result = await resend(parts, running, id);
		if (result === "channel_limited") return progress({ waitSeconds: pauseSeconds });
		if (stopping.has(result)) return progress({ status: "stopped", reason: result });
		counts[result] = (counts[result] ?? 0) + 1;
		spare.set(channel, left - 1);
		after = { endedAt, id };
	}
	return progress(found.length < batch ? { status: "finished" } : {});
}

/** Returns `accepted`, or the code of the refusal. */
async function resend(parts: Accepting, { tenantId, redrive }: Running, id: string): Promise<string> {
	const { outlets, mayDuplicate, requester, isUnlimited, matched } = redrive;
	try {
		await resendDelivery(parts, {
			...{ tenantId, id, outlets, mayDuplicate, requester, isUnlimited },
			isBulk: matched > bulkAbove,
		});
		return "accepted";
	} catch (error) {
		if (error instanceof Failure) return error.code;
		throw error;
	}
}
