import { listUncertainDisputes } from "../../disputes/dispute.store.ts";
import type { Dispute } from "../../disputes/dispute.ts";
import { listUnexplained } from "../../exceptions/exception.store.ts";
import { requireAccepted, requireRead } from "../../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { type AnsweredDispute, listDisputes } from "../../gateways/card-gateway/disputes.ts";
import { uncountedException } from "../../outcomes/apply-stated-dispute.ts";
import { applyAnswered } from "../../refunding/disputes/apply-answered.ts";
import { askAboutDispute } from "../../refunding/disputes/ask-about-dispute.ts";
import type { Range } from "../../settling/fetch-settlements.ts";
import type { Treasury } from "../../treasury.ts";
import { askPageByPage } from "./ask-page-by-page.ts";

const perPage = 100;
const pagesMax = 10_000;

type Comparing = Pick<Treasury, "db" | "now">;

type Page = { after: string | undefined; limit: number; since: Date };
type Waiting = Pick<Dispute, "id" | "gatewayId">;

/** So long the gateway is asked about what operators decided. */
const decidedMs = 120 * 86_400_000;

/** Disputes that are open here or were decided by operators, and disputes whose charge was not counted. */
const waiting: ReadonlyArray<(db: Treasury["db"], page: Page) => Promise<Waiting[]>> = [
	listUncertainDisputes,
	async (db, page) => {
		const { class: of, subject: prefix } = uncountedException("");
		const found = await listUnexplained(db, { class: of, prefix, ...page });
		return found.map(({ id, subject }) => ({ id, gatewayId: subject.slice(prefix.length) }));
	},
];

/**
 * Applies what the card gateway says about the disputes that were raised within a time, and about all others
 * that are open here or whose charge was not counted: their events may be lost. It also asks about those that
 * operators decided in the last 120 days. Compare charges first. Returns how many the gateway listed; 0
 * without the capability `list_disputes`. What fails keeps nothing else from being applied: the first failure
 * is thrown at the end, `gateway_unavailable`, or `gateway_refused` also if an entry cannot be read.
 */
export async function compareDisputes(
	domain: Comparing,
	gateway: CardGateway,
	range: Range,
): Promise<number> {
	if (!gateway.profile.settings.capabilities.list_disputes) return 0;
	const failures: unknown[] = [];
	const keep = (work: Promise<unknown>) => work.catch((failure: unknown) => failures.push(failure));
	const listed = new Set<string>();
	await keep(
		applyListed(gateway, {
			...{ range, listed },
			apply: async (answered) => void (await keep(applyAnswered(domain, answered))),
		}),
	);
	const ask = async ({ gatewayId }: Waiting) =>
		listed.has(gatewayId) || (await askAboutDispute(domain, gateway, gatewayId)) !== "silent";
	const since = new Date(domain.now().getTime() - decidedMs);
	for (const list of waiting)
		await keep(askPageByPage({ list: (page) => list(domain.db, { ...page, since }), ask }));
	if (failures.length > 0) throw failures[0];
	return listed.size;
}

type Listing = { range: Range; listed: Set<string>; apply: (answered: AnsweredDispute) => Promise<void> };

async function applyListed(gateway: CardGateway, { range, listed, apply }: Listing): Promise<void> {
	const bounds = { from: range.from.toISOString(), to: range.to.toISOString() };
	let unread = 0;
	for (let page = 1; page <= pagesMax; page += 1) {
		const { disputes, unreadable } = requireAccepted(
			await listDisputes(gateway, { page, perPage, ...bounds }),
		).ids;
		for (const answered of disputes) await apply(answered);
		for (const { dispute } of disputes) listed.add(dispute.gatewayId);
		unread += unreadable;
		if (disputes.length + unreadable < perPage) break;
	}
	requireRead(unread);
}
