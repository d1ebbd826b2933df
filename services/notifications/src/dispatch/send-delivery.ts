import { EntitlementsUnavailable } from "@lango/entitlements";
import { uuidV7Floor } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { ranks } from "../delivery.ts";
import type { Letterheads } from "../letterheads/letterhead.ts";
import type { FetchedLink, MailLinks } from "../mail-link.ts";
import type { StoredData } from "../message.ts";
import type { ProviderCalls } from "../providers/provider-calls.ts";
import { renderMessage } from "../rendering/render.ts";
import type { Rendered, RenderedInboxItem } from "../rendering/rendered.ts";
import { type Category, canUnsubscribe, localeOf, type TemplateVersion } from "../template.ts";
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
	calls: Pick<ProviderCalls, "choose">;
	links: MailLinks;
	/** Whether the tenant can send WhatsApp messages now. Throws `EntitlementsUnavailable`. */
	hasWhatsapp: (tenantId: string) => Promise<boolean>;
	/** Adds an item to a person's inbox once; false if the person is not known. */
	keepItem: (tenantId: string, item: Item) => Promise<boolean>;
	/** The sender's address of e-mails through the platform's providers. */
	fromAddress: string;
	/** Returns the link to unsubscribe an address from a category (RFC 8058). */
	unsubscribeUrl: (of: Unsubscribing) => string;
	random: () => number;
	/** A message could not be decrypted or rendered. */
	onUnrendered: (err: unknown, deliveryId: string) => void;
};

/** An address and the category that its owner may unsubscribe from. */
type Unsubscribing = {
	tenantId: string;
	slug: string;
	category: Category;
	keyId: string;
	addressKey: Buffer;
	locale: string;
};

/** An item of a person's inbox; its id is that of the delivery. */
type Item = Omit<RenderedInboxItem, "channel" | "to"> & {
	id: string;
	userId: string;
	category: string;
	template: string;
};

type Found = Extract<FetchedLink, { is: "found" }>;

/** So long the answer of the gate at accept holds. */
const gateHoldsMs = 3_600_000;
/** Channels whose provider must not be called a second time after an unknown outcome. */
const noted: ReadonlySet<string> = new Set(["sms", "whatsapp"]);

/**
 * Sends a claimed delivery through a provider, outside of any transaction, and returns the change of its
 * state. Never throws for an error of a provider. A message that cannot be rendered is a failure, like a
 * refusal that may be tried again.
 */
export async function sendDelivery(parts: Sending, lane: Lane, claimed: Claimed): Promise<Result> {
	if (claimed.verdict !== "send") return end(claimed, claimed.verdict);
	const gate = await askWhatsappGate(parts, lane, claimed);
	if (gate !== undefined) return gate;
	const composed = await compose(parts, lane, claimed).catch((err: unknown) => {
		parts.onUnrendered(err, claimed.id);
		return { result: waitFor(parts, { lane, claimed, code: "not_rendered", isFailure: true }) };
	});
	if ("result" in composed) return composed.result;
	const { rendered, path } = composed;
	if (rendered.channel === "in_app") return deliverItem(parts, lane, { claimed, rendered, path });
	const chosen = await parts.calls.choose({
		tenantId: lane.tenantId,
		channel: lane.channel,
		messageClass: lane.messageClass,
		wanted: claimed.provider,
		previousId: claimed.providerId,
	});
	if (chosen === undefined) return waitFor(parts, { lane, claimed, code: "no_provider" });
	const about = { lane, claimed, calledAt: parts.now(), random: parts.random() };
	const onCall = async () => {
		about.calledAt = parts.now();
		if (about.calledAt >= claimed.leaseUntil) throw leaseEnded();
		if (noted.has(lane.channel))
			await noteCall(parts, lane, { claimed, rendered, providerId: chosen.account.id });
	};
	const { outcome, tookMs } = await chosen.send(rendered, claimed, onCall);
	const now = parts.now();
	if (outcome.is === "postponed") return postpone(claimed, new Date(now.getTime() + outcome.afterMs));
	return resultOf({ ...about, provider: chosen.account, outcome, tookMs, now });
}

type Composed = { rendered: Rendered; path: string };

/**
 * Decrypts and renders a message, with its link; or returns the change of the delivery if it is not sent now.
 */
async function compose(parts: Sending, lane: Lane, claimed: Claimed): Promise<Composed | { result: Result }> {
	const stored = parts.vault.openData(claimed.data) as StoredData;
	const link = stored.linkId === undefined ? undefined : await parts.links.find(stored.linkId);
	if (link?.is === "gone") return { result: end(claimed, "expired", "link_gone") };
	if (link?.is === "unavailable") return { result: waitFor(parts, { lane, claimed, code: link.code }) };
	const template = stored.draft ?? (await findTemplate(parts, lane, claimed));
	const rendered = await render(parts, lane, { claimed, template, stored, link });
	return { rendered, path: template.path };
}

/** Delivers to the inbox: no provider is called, and a repeated delivery adds nothing. */
async function deliverItem(
	{ keepItem }: Sending,
	lane: Lane,
	{ claimed, rendered, path: template }: { claimed: Claimed; rendered: RenderedInboxItem; path: string },
): Promise<Result> {
	const { id, attempt, category } = claimed;
	const { channel: _channel, to: userId, ...texts } = rendered;
	const isKept = await keepItem(lane.tenantId, { ...texts, id, userId, category, template });
	return {
		...{ id, attempt, from: ["sending"] },
		...(isKept
			? { status: "delivered", rank: ranks.delivered }
			: { status: "failed", errorClass: "refused", errorCode: "person_unknown", isFailure: true }),
		event: { kind: "attempt", detail: { attempt, outcome: isKept ? "accepted" : "refused" } },
	};
}

/**
 * Asks again whether the tenant has WhatsApp if an hour has passed since the message was accepted. Returns
 * the change of the delivery if it is not sent now.
 */
async function askWhatsappGate(parts: Sending, lane: Lane, claimed: Claimed): Promise<Result | undefined> {
	const anHourAgo = new Date(parts.now().getTime() - gateHoldsMs);
	const isFresh = claimed.messageId >= uuidV7Floor(anHourAgo);
	if (lane.channel !== "whatsapp" || claimed.isExempt || isFresh) return undefined;
	try {
		return (await parts.hasWhatsapp(lane.tenantId)) ? undefined : end(claimed, "skipped_no_subscription");
	} catch (error) {
		if (!(error instanceof EntitlementsUnavailable)) throw error;
		return waitFor(parts, { lane, claimed, code: "entitlements_unavailable" });
	}
}

/**
 * The message waits for what it needs. No provider was called, so no attempt is used unless this is a
 * failure.
 */
function waitFor(
	{ now, random }: Sending,
	{
		lane,
		claimed,
		code,
		isFailure = false,
	}: { lane: Lane; claimed: Claimed; code: string; isFailure?: boolean },
): Result {
	return resultOf({
		...{ lane, claimed, provider: undefined, tookMs: 0, calledAt: now(), now: now(), random: random() },
		outcome: { is: "refused", mayRetry: true, code, ...(!isFailure && { isUnreachable: true }) },
	});
}

/**
 * The provider was not called. A delivery that expires before its next attempt waits for its expiry, which
 * then ends it.
 */
const postpone = ({ id, attempt, expiresAt }: Claimed, at: Date): Result => ({
	...{ id, attempt, from: ["sending"], status: "queued" },
	dueAt: at > expiresAt ? expiresAt : at,
});

type Ended = "expired" | "suppressed" | "skipped_no_subscription";

function end(claimed: Claimed, status: Ended, errorCode?: string): Result {
	return {
		id: claimed.id,
		attempt: claimed.attempt,
		from: ["sending"],
		status,
		...(errorCode !== undefined && { errorClass: "link", errorCode }),
		event: { kind: "decision", detail: { decision: status } },
	};
}

async function findTemplate(
	{ templates }: Sending,
	{ tenantId }: Lane,
	{ id, templateVersionId }: Claimed,
): Promise<TemplateVersion> {
	if (templateVersionId === undefined) throw new Error(`the delivery ${id} has no template`);
	return (await templates.get(tenantId, templateVersionId)).template;
}

type Rendering = {
	claimed: Claimed;
	template: TemplateVersion;
	stored: StoredData;
	link: Found | undefined;
};

async function render(
	{ vault, letterheads, fromAddress, unsubscribeUrl }: Sending,
	lane: Lane,
	{ claimed, template, stored, link }: Rendering,
): Promise<Rendered> {
	const letterhead = await letterheads.get(lane.tenantId);
	const { subject, pushTitle } = stored;
	const fetched = template.variables.filter(({ isFetched }) => isFetched === true);
	const links = link === undefined ? [] : fetched.map(({ name }) => [name, link.url] as const);
	const values = { ...stored.values, ...Object.fromEntries(links) };
	const locale = localeOf(template, lane.channel, [...claimed.locales, letterhead.locale]);
	const { category } = template;
	const subscription = {
		...{ tenantId: lane.tenantId, slug: letterhead.slug, category, locale },
		addressKey: claimed.addressKey,
	};
	const hasLink = lane.channel === "email" && canUnsubscribe(category);
	return renderMessage({
		...{ template, channel: lane.channel, locale },
		...(hasLink && { unsubscribeUrl: unsubscribeUrl({ ...subscription, keyId: claimed.address.keyId }) }),
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

/** The text of a message as its provider has it; it writes that of an approved template itself. */
function textOf(rendered: Rendered): string | undefined {
	if (rendered.channel === "sms") return rendered.text;
	return rendered.channel === "whatsapp" && rendered.template === undefined ? rendered.text : undefined;
}

async function noteCall(
	{ db, now, vault }: Sending,
	lane: Lane,
	{ claimed, rendered, providerId }: { claimed: Claimed; rendered: Rendered; providerId: string },
): Promise<void> {
	const text = textOf(rendered);
	const [textKey] = text === undefined ? [] : vault.textKeysOf(rendered.to, text);
	const { tenantId } = lane;
	const call = { tenantId, id: claimed.id, attempt: claimed.attempt, providerId, textKey, now: now() };
	const isOurs = await inTenant(db, tenantId, (tx) => recordCall(tx, call));
	if (!isOurs) throw leaseEnded();
}

const leaseEnded = () => new Error("the lease of the delivery has ended before the call");
