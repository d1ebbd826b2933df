import type { Domain } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { failures } from "../failures.ts";
import { canonicalJson } from "../messages/canonical-json.ts";
import {
	countInScope,
	findRequestedRedrive,
	listRunningRedrives,
	lockRedrives,
	type RedriveScope,
	recordRedrive,
} from "./redrive.store.ts";
import { type Redrive, redriveMax, runningMax } from "./redrive.ts";

/** The job's name, so that its work can enqueue it again. */
export const redriveJob = { name: "deliveries.redrive" };

/** A request to send the deliveries of a filter again. */
export type RedriveRequest = Omit<RedriveScope, "requestedAt"> &
	Pick<Redrive, "requester" | "isUnlimited"> & {
		/** The Idempotency-Key of the request. */
		requestKey: string | undefined;
		/** Records a new redrive in its transaction. */
		record: (tx: Database, redrive: Redrive) => Promise<void>;
	};

/**
 * Records a redrive and its job. The same key, or the same request while the first one is not finished,
 * returns the first one. Throws `idempotency_key_reused`, `too_many_redrives` or `too_many_deliveries`.
 */
export async function startRedrive(
	{ db, now }: Pick<Domain, "db" | "now">,
	request: RedriveRequest,
): Promise<{ redrive: Redrive; isReplayed: boolean }> {
	const { tenantId } = request;
	return inTenant(db, tenantId, async (tx) => {
		await lockRedrives(tx, tenantId);
		const earlier = await findEarlier(tx, request);
		if (earlier !== undefined) return { redrive: earlier, isReplayed: true };
		const scope = { ...request, requestedAt: now() };
		const { matched, leftOut } = await countInScope(tx, scope, redriveMax + 1);
		if (matched + leftOut > redriveMax)
			throw failures.too_many_deliveries({ fields: { field: "status", in: "body", max: redriveMax } });
		const redrive = await recordRedrive(tx, { ...scope, matched, leftOut });
		await request.record(tx, redrive);
		if (redrive.status === "running") await enqueueJob(tx, redriveJob, { id: redrive.id, tenantId });
		return { redrive, isReplayed: false };
	});
}

async function findEarlier(tx: Database, request: RedriveRequest): Promise<Redrive | undefined> {
	const { requester, requestKey } = request;
	const isSame = (one: Redrive) =>
		canonicalJson([one.filter, one.outlets, one.mayDuplicate]) ===
		canonicalJson([request.filter, request.outlets, request.mayDuplicate]);
	if (requestKey !== undefined) {
		const earlier = await findRequestedRedrive(tx, { requester, requestKey });
		if (earlier !== undefined && !isSame(earlier))
			throw failures.idempotency_key_reused({ fields: { field: "idempotency-key", in: "headers" } });
		if (earlier !== undefined) return earlier;
	}
	const running = await listRunningRedrives(tx);
	const same = running.find(isSame);
	if (same === undefined && running.length >= runningMax) throw failures.too_many_redrives();
	return same;
}
