import { randomUUID } from "node:crypto";
import { chassisFailures, type Domain } from "@lango/chassis";
import { notificationsMessageCompleted } from "@lango/contracts";
import { type Entitlement, limitOf, unlimited } from "@lango/entitlements";
import { recordEvent, uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Channel } from "../channel.ts";
import { publishChanges } from "../dispatch/settle.ts";
import { failures } from "../failures.ts";
import type { Letterheads } from "../letterheads/letterhead.ts";
import { classOf, lifetimeMs, type MessageRequest, type StoredData } from "../message.ts";
import type { ProviderCalls } from "../providers/provider-calls.ts";
import { checkData, isCritical, type TemplateVersion, type Values } from "../template.ts";
import type { PublishedTemplates } from "../templates/published-templates.ts";
import type { PublishedTemplate } from "../templates/template.store.ts";
import { canonicalJson } from "./canonical-json.ts";
import { countRecipientSegments } from "./count-recipient-segments.ts";
import {
	type Accepted,
	admitBeforeCommit,
	admitMessage,
	findAccepted,
	listEndedAtOnce,
	type NewMessage,
	type RequestKeys,
	recordMessage,
} from "./message.store.ts";
import { publishLimitReached } from "./publish-limit-reached.ts";
import { type DayLimit, dayLimitOf, dayLimits, refusalOf } from "./refusals.ts";
import { type Recipient, resolveRecipients } from "./resolve-recipients.ts";
import { whatsappOf } from "./whatsapp-subscription.ts";

/** What accepting a message needs. */
export type Accepting = Pick<Domain, "db" | "now" | "entitlements"> & {
	vault: Vault;
	templates: PublishedTemplates;
	letterheads: Letterheads;
	calls: ProviderCalls;
	/** Whether links may be http: outside of production. */
	allowHttp: boolean;
};

/** A checked message, ready to be recorded. */
export type Prepared = NewMessage & { tenantId: string; channel: Channel };

/** How many new recipients a tenant can have on a day of its trial, on all channels together (§12). */
const trialRecipientsMax = 200;
const dayMs = 24 * 3_600_000;
const aheadMaxDays = 90;
/** As long as the data of a message is kept (`purge/purge.ts`). */
const lifetimeMaxDays = 30;

/** Records something with a message, in its transaction. */
export type RecordWith = (tx: Database, message: { id: string }) => Promise<void>;

/**
 * Accepts a message: checks it and records it with its deliveries in one transaction, and what `record` adds.
 * A repetition within 24 hours returns the first message (§8), also if it would be refused now. Throws a
 * failure of `failures.ts`, or `EntitlementsUnavailable`.
 */
export async function acceptMessage(
	parts: Accepting,
	request: MessageRequest,
	record?: RecordWith,
): Promise<Accepted> {
	const prepared = await prepareMessage(parts, request).catch((error: unknown) =>
		repeat(parts, request, error),
	);
	if ("messageId" in prepared) return prepared;
	return inTenant(parts.db, request.tenantId, async (tx) => {
		const accepted = await recordPrepared(tx, prepared, parts.now());
		if (!accepted.isReplayed) await record?.(tx, { id: accepted.messageId });
		return accepted;
	}).catch((error: unknown) => refuse(parts, prepared, error));
}

/** Returns the message that the same request made before it was refused with `error`. Else throws `error`. */
async function repeat(
	{ db, now, vault }: Accepting,
	request: MessageRequest,
	error: unknown,
): Promise<Accepted> {
	const { tenantId } = request;
	const messageId = await inTenant(db, tenantId, (tx) =>
		findAccepted(tx, { tenantId, ...describeKeys(vault, request), now: now() }),
	);
	if (messageId === undefined) throw error;
	return { messageId, isReplayed: true, pending: 0, counts: {} };
}

/** Publishes that the day is full if this is why; nothing of the refused transaction is left. */
async function refuse({ db, now }: Accepting, prepared: Prepared, error: unknown): Promise<never> {
	const limit = dayLimitOf(error);
	if (limit !== undefined)
		await inTenant(db, prepared.tenantId, (tx) => publishLimitReached(tx, reachedBy(prepared, limit, now())));
	return explainRefusal(error);
}

const reachedBy = ({ tenantId, message, rules }: Prepared, limit: DayLimit, now: Date) => ({
	...{ tenantId, now, limit, value: Number(rules[`${limit}_limit`]) },
	sendAt: new Date(String(message["send_at"])),
});

/**
 * Checks a message against its template, and encrypts its addresses and data. Writes nothing. Throws
 * `template_unknown`, `channel_unsupported`, `variable_missing`, `variable_invalid`, `address_invalid`,
 * `address_repeated`, `too_many_recipients`, `invalid_input` for its times, or `EntitlementsUnavailable`.
 */
export async function prepareMessage(parts: Accepting, request: MessageRequest): Promise<Prepared> {
	const { tenantId, channel } = request;
	checkTimes(request, parts.now());
	const found = request.draft ?? (await requireTemplate(parts, request));
	const { template } = found;
	if (!template.contents.some((content) => content.channel === channel))
		throw failures.channel_unsupported({ fields: { field: "channel", in: "body" } });
	const values = request.draft?.values ?? checkValues(parts, template, request.data);
	await requireProvider(parts, request);
	const letterhead = await parts.letterheads.get(tenantId);
	const recipients = await resolveRecipients(parts, {
		tenantId: request.peopleOf ?? tenantId,
		channel,
		to: request.to,
		region: letterhead.region,
	});
	const plan = await readPlan(parts, request);
	const stored: StoredData = {
		values,
		...(request.metadata?.subject !== undefined && { subject: request.metadata.subject }),
		...(request.metadata?.pushTitle !== undefined && { pushTitle: request.metadata.pushTitle }),
	};
	if (request.linkId !== undefined) stored.linkId = request.linkId;
	if (request.draft !== undefined) stored.draft = template;
	const segments = countRecipientSegments({ template, channel, recipients, stored, letterhead, request });
	const deliveries = recipients.map((recipient, position) => ({
		...describeDelivery(parts.vault, channel, recipient),
		position,
		segments: segments.get(recipient.locale) ?? 0,
		...(plan.isSkipped && { skip: "skipped_no_subscription" }),
	}));
	return {
		...{ tenantId, channel, deliveries, peopleOf: request.peopleOf ?? tenantId },
		message: describeMessage(parts, { request, found, stored, recipients: recipients.length }),
		rules: {
			...describeKeys(parts.vault, request),
			// A person who tests a draft wants it, whatever the preferences say.
			is_critical: isCritical(template.category) || request.draft !== undefined,
			may_expire_later: request.expiresAt === undefined,
			daily_limit: plan.dailyLimit,
			...(plan.isTrial && { trial_limit: trialRecipientsMax, older_keys: describeOlderKeys(deliveries) }),
			over_limit: request.overLimit,
			...(request.isDigested && { instead: "digested" }),
		},
	};
}

/**
 * Checks the times that the caller of a request chose. A time of sending in the past means now. Throws
 * `invalid_input`.
 */
function checkTimes({ source, sendAt, expiresAt }: MessageRequest, now: Date): void {
	if (source !== "rest") return;
	if (sendAt !== undefined && sendAt.getTime() > now.getTime() + aheadMaxDays * dayMs)
		throw invalidTime("send_at", `send_at must be within the next ${aheadMaxDays} days.`);
	if (expiresAt === undefined) return;
	const start = Math.max(sendAt?.getTime() ?? 0, now.getTime());
	if (expiresAt.getTime() <= start)
		throw invalidTime("expires_at", "expires_at must be after the message is sent.");
	if (expiresAt.getTime() > start + lifetimeMaxDays * dayMs)
		throw invalidTime(
			"expires_at",
			`expires_at must be at most ${lifetimeMaxDays} days after the message is sent.`,
		);
}

const invalidTime = (field: string, message: string) =>
	chassisFailures.invalid_input({ message, fields: { field, in: "body" } });

async function requireTemplate({ templates }: Accepting, { tenantId, template }: MessageRequest) {
	const found = await templates.find(tenantId, template);
	if (found === undefined) throw failures.template_unknown({ fields: { field: "template", in: "body" } });
	return found;
}

/**
 * Records a prepared message in the caller's transaction, and the events of what ends with that. Call it
 * inside the tenant, and last: limits are checked with the commit where nothing depends on them, so the
 * transaction rejects with the refusals of `explainRefusal`.
 */
export async function recordPrepared(tx: Database, prepared: Prepared, now: Date): Promise<Accepted> {
	const recorded = await recordMessage(tx, { ...prepared, now });
	if (recorded.isReplayed) return recorded;
	const accepted = await admit(tx, prepared, { recorded, now });
	await publishEnded(tx, prepared, { accepted, now });
	return accepted;
}

/**
 * Publishes deliveries that ended with the acceptance, if the request asked for it, and the message if all
 * did.
 */
async function publishEnded(
	tx: Database,
	prepared: Prepared,
	{ accepted, now }: { accepted: Accepted; now: Date },
): Promise<void> {
	const { tenantId, message, deliveries } = prepared;
	if (message["wants_delivery_events"] === true && accepted.pending < deliveries.length)
		await publishChanges(tx, { tenantId, changed: await listEndedAtOnce(tx, accepted.messageId), now });
	if (accepted.pending === 0 && message["source"] !== "test")
		await recordCompletion(tx, prepared, { accepted, now });
}

/** Throws the failure of a refusal by the database, or the error itself. */
export function explainRefusal(error: unknown): never {
	throw refusalOf(error) ?? error;
}

type Admitting = { recorded: Accepted; now: Date };

async function admit(tx: Database, prepared: Prepared, { recorded, now }: Admitting): Promise<Accepted> {
	const { tenantId, channel, rules } = prepared;
	if (recorded.pending === 0) return recorded;
	const about = { tenantId, messageId: recorded.messageId, rules, now };
	const canSkip = channel === "sms" || rules["over_limit"] === "skip";
	if (!canSkip) {
		await admitBeforeCommit(tx, about);
		return recorded;
	}
	const { pending, skipped, reached } = await admitMessage(tx, about);
	if (skipped === null) return recorded;
	if (reached !== null) await publishLimitReached(tx, reachedBy(prepared, reached, now));
	const { queued = 0, ...others } = recorded.counts;
	const counts = { ...others, ...(pending > 0 && { queued: pending }), [skipped]: queued - pending };
	return { ...recorded, pending, counts };
}

async function recordCompletion(
	tx: Database,
	{ message, tenantId, channel }: Prepared,
	{ accepted, now }: { accepted: Accepted; now: Date },
): Promise<void> {
	await recordEvent(tx, notificationsMessageCompleted, {
		subject: accepted.messageId,
		tenantId,
		now,
		data: {
			message_id: accepted.messageId,
			tenant_id: tenantId,
			source: String(message["source"]),
			channel,
			template: String(message["template"]),
			template_version: String(message["template_version_id"] ?? message["platform_version_id"]),
			labels: message["labels"] as Record<string, string>,
			counts: accepted.counts,
		},
	});
}

function checkValues({ allowHttp }: Accepting, { variables }: TemplateVersion, data: Values): Values {
	const checked = checkData(variables, data, { allowHttp });
	if ("ok" in checked) return checked.ok;
	const [first] = checked.problems;
	if (first === undefined) throw new Error("checkData refused the data without a problem");
	throw failures[first.code]({
		message: first.message,
		fields: { field: first.field, in: "body", problems: checked.problems },
	});
}

async function requireProvider({ calls }: Accepting, request: MessageRequest): Promise<void> {
	const { tenantId, channel, metadata } = request;
	const wanted = metadata?.provider;
	if (wanted === undefined || (await calls.has({ tenantId, channel, wanted }))) return;
	throw failures.provider_unknown({ fields: { field: "metadata.provider", in: "body" } });
}

type Plan = { dailyLimit: number; isSkipped: boolean; isTrial: boolean };

/**
 * Reads from the plan what the channel needs. Messages of the platform need no plan. SMS needs only the
 * trial: it is accepted while the subscription service is unavailable and nothing is cached, because credit
 * limits it.
 */
async function readPlan(
	{ entitlements }: Accepting,
	{ tenantId, channel, claims, isExempt = false, isUnlimited = false }: MessageRequest,
): Promise<Plan> {
	const plan = { dailyLimit: unlimited, isSkipped: false, isTrial: false };
	if (isExempt || isUnlimited) return plan;
	if (channel === "sms") return { ...plan, isTrial: isTrial(entitlements.lastKnown({ tenantId, claims })) };
	if (channel !== "email" && channel !== "whatsapp") return plan;
	const current = await entitlements.entitlementOf({ tenantId, claims });
	return {
		dailyLimit: limitOf(current, dayLimits.daily),
		isSkipped: channel === "whatsapp" && whatsappOf(current) !== "subscribed",
		isTrial: isTrial(current),
	};
}

const isTrial = (plan: Entitlement | null | undefined) => plan?.status === "TRIAL";

/** A test has no version: its draft is stored with its data. */
type FoundTemplate = Pick<PublishedTemplate, "template"> & { versionId?: string; isOwn?: boolean };

function describeMessage(
	{ vault, now }: Accepting,
	{
		request,
		found: { versionId, isOwn, template },
		stored,
		recipients,
	}: { request: MessageRequest; found: FoundTemplate; stored: StoredData; recipients: number },
): NewMessage["message"] {
	const at = now();
	const { source, metadata, requester } = request;
	const sendAt = request.sendAt === undefined || request.sendAt < at ? at : request.sendAt;
	const messageClass = classOf({
		...{ category: template.category, recipients, source, isBulk: request.isBulk },
	});
	const sealed = vault.sealData(stored);
	const expiresAt = request.expiresAt ?? new Date(sendAt.getTime() + lifetimeMs[messageClass]);
	return {
		id: uuidV7(at),
		source,
		channel: request.channel,
		class: messageClass,
		category: template.category,
		template: template.path,
		...(isOwn ? { template_version_id: versionId } : { platform_version_id: versionId }),
		data_key_id: sealed.keyId,
		data: sealed.sealed.toString("hex"),
		has_secret: stored.draft !== undefined || template.variables.some(({ kind }) => kind === "secret"),
		labels: metadata?.labels ?? {},
		outlet_id: request.outletId,
		locale: request.locale,
		provider: metadata?.provider,
		send_at: sendAt.toISOString(),
		expires_at: expiresAt.toISOString(),
		caller_kind: requester.kind,
		caller_id: requester.id,
		about_tenant_id: request.aboutTenantId,
		run_id: request.runId,
		resend_of: request.resendOf,
		is_exempt: request.isExempt ?? false,
		wants_delivery_events: request.wantsDeliveryEvents ?? false,
	};
}

function describeDelivery(
	vault: Vault,
	channel: MessageRequest["channel"],
	{ address, masked, userId, locale }: Recipient,
) {
	const { sealed, keys } = vault.sealAddress(channel, address);
	return {
		id: randomUUID(),
		address_key_id: sealed.keyId,
		address: sealed.sealed.toString("hex"),
		keys: keys.map((key) => key.toString("hex")),
		masked,
		user_id: userId,
		locale,
	};
}

/** The address keys of deliveries under older key-encryption keys, by the newest one. */
const describeOlderKeys = (deliveries: ReadonlyArray<{ keys: readonly string[] }>) =>
	Object.fromEntries(
		deliveries.filter(({ keys }) => keys.length > 1).map(({ keys: [newest, ...older] }) => [newest, older]),
	);

/**
 * The key under which a request is deduplicated: the caller's, or one that is derived from the request.
 * Derived keys differ by key-encryption key, so the ones of older keys are looked up, too.
 */
function describeKeys(vault: Vault, request: MessageRequest): RequestKeys {
	const { requester, channel, template, to, data, metadata, locale, idempotencyKey } = request;
	const { sendAt, expiresAt, outletId, wantsDeliveryEvents } = request;
	const body = canonicalJson({
		...{ channel, template, to, data, metadata, locale, outletId, wantsDeliveryEvents },
		...{ sendAt: sendAt?.toISOString(), expiresAt: expiresAt?.toISOString() },
	});
	const bodies = vault.fingerprintsOf(body).map((hmac) => hmac.toString("hex"));
	const keys =
		idempotencyKey === undefined
			? bodies
			: vault.fingerprintsOf(`key\0${idempotencyKey}`).map((hmac) => hmac.toString("hex"));
	const [key_hash = "", ...older_key_hashes] = keys;
	// The key of a resend belongs to the delivery: two callers send it again once.
	const caller = request.source === "resend" ? "resend" : `${requester.kind} ${requester.id}`;
	return { caller, key_hash, older_key_hashes, body_hmacs: bodies };
}
