import { type Domain, Failure } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import { skippedStatuses } from "../delivery.ts";
import { addToDigest, describeItem } from "../digests/add-to-digest.ts";
import type { MessageRequest } from "../message.ts";
import {
	type Accepting,
	explainRefusal,
	prepareMessage,
	recordPrepared,
} from "../messages/accept-message.ts";
import { formatMoney } from "../rendering/liquid/formats.ts";
import { checkData } from "../template.ts";
import type { StoredEvent } from "./record-runs.ts";
import {
	type Ending,
	findSkipReason,
	findWaitingRun,
	finishRun,
	type Note,
	recordRunMessage,
	type WaitingRun,
} from "./run.store.ts";
import { findTrigger } from "./trigger.store.ts";
import { type Context, type Formatters, readPath, resolveMap, type Trigger } from "./trigger.ts";
import { addressOn, type Knowing, listRecipients, type Person } from "./trigger-recipients.ts";

/** What running a trigger needs. */
export type Running = Accepting &
	Pick<Domain, "tenancy"> &
	Knowing & { settings: { platformOwnerSlug: string; consoleUrl: string } };

type Tenant = { id: string; slug: string; name: string };
type Run = WaitingRun & {
	trigger: Trigger;
	tenant: Tenant;
	platform: Tenant;
	context: Context;
	formatters: Formatters;
};
/** What became of the message to one person on one channel. */
type Result = { is: "accepted" } | ({ is: "refused" | "skipped" | "digested" } & Note);

/**
 * Makes the messages of a run: one for each recipient and channel. A repetition after a crash makes those
 * that are missing. Throws `TenantUnavailable`, `EntitlementsUnavailable`, `RolePeopleUnavailable`, or the
 * failure `channel_limited`; the run waits.
 */
export async function runTrigger(
	parts: Running,
	{ id, tenantId }: { id: string; tenantId: string },
): Promise<void> {
	const { db, now } = parts;
	const found = await inTenant(db, tenantId, async (tx) => {
		const waiting = await findWaitingRun(tx, id);
		const trigger = waiting && (await findTrigger(tx, waiting.triggerId));
		return waiting && trigger && { waiting, trigger };
	});
	if (found === undefined) return;
	const run = await describeRun(parts, { ...found, tenantId });
	const ending: Ending =
		run === undefined
			? { id, status: "skipped", messages: 0, notes: [{ reason: "tenant_unknown" }] }
			: await makeMessages(parts, run);
	await inTenant(db, tenantId, (tx) => finishRun(tx, ending, now()));
}

type Found = { waiting: WaitingRun; trigger: Trigger; tenantId: string };

async function describeRun(
	{ tenancy, vault, letterheads, settings }: Running,
	{ waiting, trigger, tenantId }: Found,
): Promise<Run | undefined> {
	const { consoleUrl, platformOwnerSlug } = settings;
	const tenant = await tenancy.findById(tenantId);
	if (tenant === undefined) return undefined;
	const platform = await tenancy.findBySlug(platformOwnerSlug);
	if (platform === undefined) throw new Error(`the tenant ${platformOwnerSlug} does not exist`);
	const { data, time } = vault.openData(waiting.event) as StoredEvent;
	const letterhead = await letterheads.get(tenantId);
	return {
		...{ ...waiting, trigger, tenant, platform },
		context: { event: data, time, tenant: { name: tenant.name, slug: tenant.slug } },
		formatters: {
			money: (minor, currency) => formatMoney(toWholeUnits(minor, currency), currency, letterhead),
			page: (path) => `${consoleUrl}/${tenant.slug}${path}`,
		},
	};
}

/** 10000 of KES is 100 shillings. */
function toWholeUnits(minor: number, currency: string): number {
	if (!/^[A-Z]{3}$/.test(currency)) return minor;
	const format = new Intl.NumberFormat("en", { style: "currency", currency });
	return minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2);
}

async function makeMessages(parts: Running, run: Run): Promise<Ending> {
	const { trigger, tenant, platform, context } = run;
	const { people, isCut } = await listRecipients(parts, {
		...{ recipients: trigger.recipients, context },
		...{ tenantId: tenant.id, platformId: platform.id },
	});
	if (people.length === 0)
		return { id: run.id, status: "skipped", messages: 0, notes: [{ reason: "no_recipients" }] };
	const results: Result[] = [];
	for (const person of people) results.push(...(await sendToPerson(parts, run, person)));
	const notes = summarise(results, "refused");
	const isFailed = notes.some(({ reason }) => reason !== "address_invalid" && reason !== "address_missing");
	return {
		id: run.id,
		status: isFailed ? "failed" : results.some(isSent) ? "sent" : "skipped",
		messages: results.filter(({ is }) => is !== "refused").length,
		notes: [
			...notes,
			...summarise(results, "skipped"),
			...summarise(results, "digested"),
			...(isCut ? [{ reason: "recipients_left_out" }] : []),
		],
	};
}

const isSent = ({ is }: Result): boolean => is === "accepted" || is === "digested";

async function sendToPerson(parts: Running, run: Run, person: Person): Promise<Result[]> {
	const results: Result[] = [];
	for (const channel of run.trigger.channels) {
		const result = await send(parts, run, { person, channel });
		results.push(result);
		if (run.trigger.mode === "first" && isSent(result)) break;
	}
	return results;
}

/** Notes of several recipients that say the same become one. */
function summarise(results: readonly Result[], is: "refused" | "skipped" | "digested"): Note[] {
	const found = results.flatMap((result) => ("reason" in result && result.is === is ? [result] : []));
	const groups = Map.groupBy(found, ({ channel, reason, field }) => `${channel} ${reason} ${field}`);
	return [...groups.values()].flatMap(([first, ...others]) => {
		if (first === undefined) return [];
		const { is: _, ...note } = first;
		return [{ ...note, recipients: others.length + 1 }];
	});
}

type To = { person: Person; channel: Channel };

async function send(parts: Running, run: Run, to: To): Promise<Result> {
	const { channel, person } = to;
	const address = addressOn(channel, person);
	if (address === undefined) return { is: "refused", channel, reason: "address_missing" };
	try {
		const reason = await acceptOnce(parts, run, { ...to, request: describe(run, { ...to, address }) });
		if (reason !== undefined) return { is: "skipped", channel, reason };
		return run.trigger.digest === null ? { is: "accepted" } : { is: "digested", channel, reason: "digested" };
	} catch (error) {
		if (!(error instanceof Failure) || error.kind !== "invalid_input") throw error;
		const { field } = error.fields;
		return {
			...{ is: "refused", channel, reason: error.code },
			...(typeof field === "string" && error.code.startsWith("variable_") && { field }),
		};
	}
}

function describe(
	{ id, eventId, trigger, tenant, platform, context, formatters }: Run,
	{ person, channel, address }: To & { address: string },
): MessageRequest {
	const { key, name, locale, user } = person;
	const values = resolveMap(trigger.map, { ...context, recipient: { name } }, formatters);
	const isOfPlatform = trigger.sender === "platform";
	// The inbox and the devices of a person belong to the person's tenant.
	const owner = isOfPlatform && channel === "email" ? platform.id : (user?.tenantId ?? tenant.id);
	return {
		...{ tenantId: owner, source: "event", channel, template: trigger.template, to: [address], data: values },
		...(locale !== undefined && { locale }),
		...(user !== undefined && { peopleOf: user.tenantId }),
		requester: { kind: "trigger", id: trigger.id },
		...{ idempotencyKey: `${eventId} ${trigger.id} ${channel} ${key}`, runId: id },
		...(isOfPlatform && { isExempt: true, aboutTenantId: tenant.id }),
		overLimit: "skip",
		...(trigger.digest !== null && { isDigested: true }),
	};
}

/** Accepts the message, unless the run has made it. Returns why it is skipped; undefined if it is sent. */
async function acceptOnce(
	parts: Running,
	run: Run,
	{ person, channel, request }: To & { request: MessageRequest },
): Promise<string | undefined> {
	const { db, now } = parts;
	const prepared = await prepareMessage(parts, request);
	const { tenantId } = request;
	const { id: runId } = run;
	const about = { tenantId, runId, channel, recipient: person.key };
	const messageId = String(prepared.message["id"]);
	const locale = prepared.deliveries[0]?.["locale"] as string | undefined;
	const collect = await collectorOf(parts, run, { person, channel, request, locale });
	const accepted = await inTenant(db, tenantId, async (tx) => {
		if (!(await recordRunMessage(tx, { ...about, messageId }, now()))) return undefined;
		const recorded = await recordPrepared(tx, prepared, now());
		if ((recorded.counts["digested"] ?? 0) > 0) await collect?.(tx, messageId);
		return recorded;
	}).catch(explainRefusal);
	if (accepted === undefined) return inTenant(db, tenantId, (tx) => findSkipReason(tx, about));
	const { pending, counts } = accepted;
	if (pending > 0 || (counts["digested"] ?? 0) > 0) return undefined;
	return skippedStatuses.find((status) => (counts[status] ?? 0) > 0);
}

/** Returns what adds a message of the run to a digest; undefined if the rule has none. */
async function collectorOf(
	{ vault, templates, letterheads, allowHttp, now }: Running,
	{ trigger, tenant, context }: Run,
	{ person, channel, request, locale }: To & { request: MessageRequest; locale: string | undefined },
): Promise<((tx: Database, messageId: string) => Promise<void>) | undefined> {
	const { digest: terms, id: triggerId } = trigger;
	if (terms === null || person.user === undefined) return undefined;
	const found = await templates.find(tenant.id, trigger.template);
	if (found === undefined) throw new Error(`the template ${trigger.template} does not exist any more`);
	const { template } = found;
	const checked = checkData(template.variables, request.data, { allowHttp });
	if ("problems" in checked) throw new Error("the values of the message were accepted and are not valid");
	const letterhead = await letterheads.get(tenant.id);
	const userId = person.user.id;
	const locales = [...(locale === undefined ? [] : [locale]), letterhead.locale];
	const item = describeItem({ template, values: checked.ok, locales, letterhead, channel, userId });
	const key = terms.key === undefined ? undefined : readPath(context, terms.key);
	return (tx, messageId) =>
		addToDigest(
			tx,
			{ vault, now: now() },
			{ tenantId: tenant.id, triggerId, terms, channel, userId, key, messageId, item },
		);
}
