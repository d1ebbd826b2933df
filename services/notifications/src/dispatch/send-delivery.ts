import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Letterheads } from "../letterheads/letterhead.ts";
import type { StoredData } from "../message.ts";
import type { ProviderCalls } from "../providers/provider-calls.ts";
import { renderMessage } from "../rendering/render.ts";
import type { Rendered } from "../rendering/rendered.ts";
import { localeOf } from "../template.ts";
import type { PublishedTemplates } from "../templates/published-templates.ts";
import { type Claimed, type Lane, recordCall } from "./claim.store.ts";
import { resultOf } from "./outcome.ts";
import type { Result } from "./settle.store.ts";

/** What sending a delivery needs. */
export type Sending = {
	db: Database;
	now: () => Date;
	vault: Vault;
	templates: PublishedTemplates;
	letterheads: Letterheads;
	calls: ProviderCalls;
	/** The sender's address of e-mails through the platform's providers. */
	fromAddress: string;
	random: () => number;
};

/** Channels whose provider must not be called a second time after an unknown outcome. */
const noted: ReadonlySet<string> = new Set(["sms", "whatsapp"]);

/**
 * Sends a claimed delivery through a provider, outside of any transaction, and returns the change of its
 * state. Never throws for an error of a provider.
 */
export async function sendDelivery(parts: Sending, lane: Lane, claimed: Claimed): Promise<Result> {
	if (claimed.verdict !== "send") return end(claimed, claimed.verdict);
	const rendered = await render(parts, lane, claimed);
	const chosen = await parts.calls.choose({
		tenantId: lane.tenantId,
		channel: lane.channel,
		wanted: claimed.provider,
		previousId: claimed.providerId,
	});
	const calledAt = parts.now();
	const about = { lane, claimed, calledAt, random: parts.random() };
	if (chosen === undefined)
		return resultOf({
			...about,
			provider: undefined,
			outcome: { is: "refused", mayRetry: true, code: "no_provider", isUnreachable: true },
			tookMs: 0,
			now: calledAt,
		});
	if (noted.has(lane.channel)) await noteCall(parts, lane, { claimed, providerId: chosen.account.id });
	const { outcome, tookMs } = await chosen.send(rendered, claimed.id);
	return resultOf({ ...about, provider: chosen.account, outcome, tookMs, now: parts.now() });
}

function end(claimed: Claimed, status: "expired" | "suppressed"): Result {
	return {
		id: claimed.id,
		attempt: claimed.attempt,
		from: ["sending"],
		status,
		event: { kind: "decision", detail: { decision: status } },
	};
}

async function render(
	{ vault, templates, letterheads, fromAddress }: Sending,
	lane: Lane,
	claimed: Claimed,
): Promise<Rendered> {
	const letterhead = await letterheads.get(lane.tenantId);
	const { template } = await templates.get(lane.tenantId, claimed.templateVersionId);
	const { values, subject, pushTitle } = vault.openData(claimed.data) as StoredData;
	return renderMessage({
		template,
		channel: lane.channel,
		locale: localeOf(template, lane.channel, [...claimed.locales, letterhead.locale]),
		values,
		formats: letterhead,
		branding: letterhead,
		to: vault.openAddress(claimed.address),
		from: { name: letterhead.tenantName, address: fromAddress },
		...(letterhead.replyTo !== undefined && { replyTo: letterhead.replyTo }),
		metadata: {
			...(subject !== undefined && { subject }),
			...(pushTitle !== undefined && { push_title: pushTitle }),
		},
	});
}

async function noteCall(
	{ db, now }: Sending,
	lane: Lane,
	{ claimed, providerId }: { claimed: Claimed; providerId: string },
): Promise<void> {
	const call = { id: claimed.id, attempt: claimed.attempt, providerId, now: now() };
	const isOurs = await inTenant(db, lane.tenantId, (tx) => recordCall(tx, call));
	if (!isOurs) throw new Error("the lease of the delivery has ended before the call");
}
