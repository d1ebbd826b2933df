import { uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Answer } from "../gateways/calls/answer.ts";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import { asHint, type MobileMoney, type ResultUrls } from "../gateways/mobile-money/account.ts";
import { queryBalance, queryTransaction } from "../gateways/mobile-money/query.ts";
import type { Conversation } from "../gateways/mobile-money/read-response.ts";
import { issueCallbackToken } from "../inbox/callback-token.store.ts";
import { type CallbackRoute, callbackUrl } from "../inbox/callback-token.ts";
import type { Treasury } from "../treasury.ts";
import { findQuery, type QueryReply, recordQuery, recordReply } from "./query.store.ts";
import type { GatewayQuery, QueryAbout } from "./query.ts";

export type Question = {
	tenantId: string;
	/** The tenant whose shortcode asks: the platform owner's for money that is paid to the platform. */
	shortcodeOf: string;
	/** A shortcode that this tenant may have had before; else its own is asked. */
	shortcode?: string | undefined;
	about: QueryAbout;
	createdBy: GatewayQuery["createdBy"];
	/**
	 * Whether a sender who is not trusted is the reason. Such questions have a share of calls of their
	 * own.
	 */
	isHint?: boolean;
};

const routes = {
	balance: { result: "balance-result", timeout: "timeout" },
	status: { result: "txn-status-result", timeout: "txn-timeout" },
} as const satisfies Readonly<Record<QueryAbout["kind"], { result: CallbackRoute; timeout: CallbackRoute }>>;

/** An answer may come days later. */
const tokenMs = 72 * 3_600_000;

/**
 * Asks the gateway. The question is stored before the call and the reply afterwards; the answer comes by
 * a callback. A shortcode that is not verified may ask: its balance verifies it. Throws
 * `channel_unavailable`, and `gateway_refused` or `gateway_unavailable` if the gateway did not take the
 * question.
 */
export async function askGateway(domain: Treasury, question: Question): Promise<GatewayQuery> {
	const { db, now, gateways } = domain;
	const { tenantId, isHint = false } = question;
	const found = await gateways.findMobileMoney(question.shortcodeOf, question.shortcode);
	if (found === undefined) throw gatewayFailures.channel_unavailable();
	const account = isHint ? asHint(found) : found;
	const { id, urls } = await inTenant(db, tenantId, (tx) => submit(tx, domain, { question, account }));
	const answer = await send(account, question.about, urls);
	const query = await inTenant(db, tenantId, async (tx) => {
		await recordReply(tx, { id, reply: replyOf(answer), now: now() });
		return findQuery(tx, id);
	});
	if (query === undefined) throw new Error(`the query ${id} was removed`);
	if (answer.is === "refused") requireAccepted(answer);
	return query;
}

type Submitting = { question: Question; account: MobileMoney };

async function submit(
	tx: Database,
	{ now, settings }: Treasury,
	{ question, account }: Submitting,
): Promise<{ id: string; urls: ResultUrls }> {
	const { tenantId, about, createdBy } = question;
	const [at, profileId] = [now(), account.profile.id];
	const id = uuidV7(at);
	const { shortcode } = account;
	await recordQuery(tx, { tenantId, id, shortcode, about, createdBy, createdAt: at });
	const urlOf = async (route: CallbackRoute) => {
		const object = { objectKind: "query" as const, objectId: id };
		const expiresAt = new Date(at.getTime() + tokenMs);
		const token = await issueCallbackToken(tx, { tenantId, profileId, route, ...object, expiresAt }, at);
		return callbackUrl(settings.publicBaseUrl, { route, profileId, token });
	};
	const { result, timeout } = routes[about.kind];
	return { id, urls: { resultUrl: await urlOf(result), timeoutUrl: await urlOf(timeout) } };
}

function send(account: MobileMoney, about: QueryAbout, urls: ResultUrls): Promise<Answer<Conversation>> {
	if (about.kind === "balance") return queryBalance(account, { ...urls, remarks: "Balance" });
	return queryTransaction(account, { ...urls, about, remarks: "Status" });
}

function replyOf(answer: Answer<Conversation>): QueryReply {
	if (answer.is === "accepted") return { status: "awaiting", ...answer.ids };
	return answer.is === "refused" ? { status: "failed", code: answer.code } : { status: "unknown" };
}
