import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Channel } from "../channel.ts";
import type { Letterhead } from "../letterheads/letterhead.ts";
import { renderMessage } from "../rendering/render.ts";
import { contentFor, localeOf, type TemplateVersion, type Values } from "../template.ts";
import { countItem, recordItem } from "./digest.store.ts";
import { type DigestTerms, intervals, weekdays } from "./digest-wire.ts";

/** What a digest says of a message. */
export type DigestItem = { title: string; body: string };

/** The name of the job that sends a digest. */
export const digestJob = { name: "digests.close" };

const bodyLengthMax = 300;
const keyLengthMax = 200;

type Describing = {
	template: TemplateVersion;
	values: Values;
	locales: readonly string[];
	letterhead: Letterhead;
	channel: Channel;
	userId: string;
};

/**
 * Returns title and beginning of a message: the texts for the inbox, or the subject of the e-mail without
 * them.
 */
export function describeItem({ template, values, locales, letterhead, ...to }: Describing): DigestItem {
	const hasItem = contentFor(template, "in_app", [...locales]) !== undefined;
	const channel = hasItem ? "in_app" : to.channel;
	const rendered = renderMessage({
		...{ template, channel, values, formats: letterhead, branding: letterhead, to: to.userId },
		locale: localeOf(template, channel, [...locales]),
		from: { name: letterhead.tenantName, address: "" },
	});
	if (rendered.channel === "email") return { title: rendered.subject, body: "" };
	if (rendered.channel !== "in_app") throw new Error(`a digest has no messages on ${rendered.channel}`);
	const { title, body } = rendered;
	const isLong = body.length > bodyLengthMax;
	return { title, body: isLong ? `${body.slice(0, bodyLengthMax - 1).toWellFormed()}…` : body };
}

/** A message for a digest. `key` is the value at the path of the terms. */
export type Adding = {
	tenantId: string;
	triggerId: string;
	terms: DigestTerms;
	channel: Channel;
	userId: string;
	key: unknown;
	messageId: string;
	item: DigestItem;
};

/**
 * Adds a message to the open digest of its person, channel and key, in the transaction that records the
 * message, and enqueues the job that sends it: when the first message comes for its time, and when it is
 * full. Call it inside the tenant.
 */
export async function addToDigest(
	tx: Database,
	{ vault, now }: { vault: Vault; now: Date },
	{ terms, key, messageId, item, ...place }: Adding,
): Promise<void> {
	const { tenantId } = place;
	const text = key === undefined || key === null ? "" : String(key).slice(0, keyLengthMax).toWellFormed();
	const window = await countItem(
		tx,
		{ ...place, key: text, itemsMax: terms.items_max, closes: closesOf(terms) },
		now,
	);
	await recordItem(tx, { tenantId, messageId, windowId: window.id, item: vault.sealData(item) }, now);
	const seconds = Math.max(0, Math.ceil((window.dueAt.getTime() - now.getTime()) / 1_000));
	if (window.items === 1 || window.isFull)
		await enqueueJob(tx, digestJob, { id: window.id, tenantId, afterSeconds: seconds });
}

function closesOf({ every, daily_at, weekly_at }: DigestTerms) {
	if (every !== undefined) return { minutes: intervals[every] };
	if (daily_at !== undefined) return { at: daily_at, weekday: undefined };
	if (weekly_at !== undefined) return { at: weekly_at.at, weekday: weekdays.indexOf(weekly_at.day) + 1 };
	throw new Error("the terms of a digest have no time");
}
