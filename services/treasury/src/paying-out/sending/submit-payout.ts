import { enqueueJob } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { getBalance } from "../../gateways/card-gateway/settlements.ts";
import type { ResultUrls } from "../../gateways/mobile-money/account.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import { findPayout, scheduleNext } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import { findTarget } from "../../payouts/payout-target.store.ts";
import type { Treasury } from "../../treasury.ts";
import { cancelOfDeleted } from "./cancel-if-due.ts";
import { claimPayouts } from "./claim-payouts.ts";
import { findObstacle, isSendingStopped, type Obstacle } from "./obstacle.ts";
import { issueResultUrls } from "./result-urls.ts";
import { sendFromShortcode } from "./send-from-shortcode.ts";
import { duplicateReference, type SaidBy, sendTransfers } from "./send-transfer.ts";

/** After how many seconds it is tried again. */
const againSeconds: Readonly<Record<Obstacle, number>> = { busy: 5, stopped: 300 };

/**
 * Sends an approved payout, one at a time for each tenant and rail: it is recorded as `submitting`
 * before the call, so that one which is found so is unknown. Of a bulk request up to a hundred are
 * sent at once. While payouts are halted, the tenant is suspended, the transfer balance is too low or the
 * limit of the day is reached, it stays approved; that of a deleted tenant is cancelled.
 */
export async function submitPayout(domain: Treasury, tenantId: string, payoutId: string): Promise<void> {
	const { db, now } = domain;
	const found = await inTenant(db, tenantId, async (tx) => {
		const payout = await findPayout(tx, payoutId);
		if (payout?.status !== "approved") return undefined;
		return { payout, obstacle: await findObstacle(tx, payout, now()) };
	});
	if (found === undefined) return;
	if (found.obstacle === "stopped" && (await cancelOfDeleted(domain, tenantId, payoutId))) return;
	const { payout, obstacle = await submit(domain, payout) } = found;
	if (obstacle !== undefined) await again(domain, payout, againSeconds[obstacle]);
}

/** Returns why it has to wait; undefined if it does not wait to be sent any more. */
const submit = (domain: Treasury, payout: Payout): Promise<Obstacle | undefined> =>
	payout.rail === "card_gateway" ? submitTransfers(domain, payout) : submitByShortcode(domain, payout);

async function again(
	{ db, now }: Treasury,
	{ tenantId, id, checks }: Payout,
	seconds: number,
): Promise<void> {
	const nextCheckAt = new Date(now().getTime() + seconds * 1000);
	await inTenant(db, tenantId, async (tx) => {
		await scheduleNext(tx, { id, checks, nextCheckAt });
		await enqueueJob(tx, { name: "payouts.submit" }, { id, tenantId, afterSeconds: seconds });
	});
}

async function submitTransfers(domain: Treasury, payout: Payout): Promise<Obstacle | undefined> {
	const { tenantId, currency } = payout;
	const gateway = await domain.gateways.findCardGateway();
	const balanceMinor = gateway && (await readBalance(gateway, currency));
	if (gateway === undefined || balanceMinor === undefined) return "stopped";
	const payouts = await claimPayouts(domain, payout, { balanceMinor });
	if (typeof payouts === "string") return payouts;
	const mayContinue = mayContinueUntil(domain, tenantId);
	await record(domain, tenantId, await sendTransfers(gateway, { payouts, mayContinue }));
	// Others of its bulk request may be sent although it has to wait itself.
	return payouts.length === 0 || payouts.some(({ id }) => id === payout.id) ? undefined : "stopped";
}

/** What the transfer balance holds in a currency; undefined if the gateway does not say it. */
async function readBalance(gateway: CardGateway, currency: string): Promise<bigint | undefined> {
	const answer = await getBalance(gateway);
	return answer.is === "accepted" ? (answer.ids.balances[currency] ?? 0n) : undefined;
}

/** Well before the time of the job is over. */
const oneByOneMs = 300_000;

/** Transfers are sent one by one for five minutes, and until a halt or the suspension of the tenant. */
function mayContinueUntil({ db, now }: Treasury, tenantId: string): () => Promise<boolean> {
	const endsAt = now().getTime() + oneByOneMs;
	return async () => now().getTime() < endsAt && !(await inTenant(db, tenantId, isSendingStopped));
}

async function submitByShortcode(domain: Treasury, payout: Payout): Promise<Obstacle | undefined> {
	const { db, gateways } = domain;
	const { tenantId, id, shortcode } = payout;
	const account = await gateways.findMobileMoney(tenantId, shortcode ?? undefined);
	const target = await inTenant(db, tenantId, (tx) => findTarget(tx, id));
	if (account === undefined || target === undefined) return "stopped";
	let urls: ResultUrls | undefined;
	const claimed = await claimPayouts(domain, payout, {
		prepare: async (tx) => {
			urls = await issueResultUrls(tx, domain, { payout, account });
		},
	});
	if (typeof claimed === "string") return claimed;
	const [one] = claimed;
	if (one === undefined || urls === undefined) return undefined;
	const said = await sendFromShortcode(account, { payout: one, target, urls });
	await record(domain, tenantId, new Map([[id, said]]));
	return undefined;
}

/** Records what the gateway answered. One that exists already is asked about at once. */
export async function record({ db, now }: Treasury, tenantId: string, saidBy: SaidBy): Promise<void> {
	for (const [payoutId, said] of saidBy) {
		const evidence = { tenantId, payoutId, source: "answer", sourceId: undefined, at: now() } as const;
		await retryConflicts(() =>
			inTenant(db, tenantId, async (tx) => {
				await applyOutcome(tx, { ...evidence, payout: said });
				if (said.kind === "unknown" && existing.has(said.because))
					await enqueueJob(tx, { name: "payouts.query" }, { id: payoutId, tenantId });
			}),
		);
	}
}

/** The gateway knows the reference, or our id: a payout with it exists there. */
const existing: ReadonlySet<string> = new Set([duplicateReference, "duplicate_originator"]);
