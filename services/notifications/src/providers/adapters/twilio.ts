import { createHmac, timingSafeEqual } from "node:crypto";
import Type, { type Static } from "typebox";
import {
	type Account,
	type Adapter,
	clockDifferenceMs,
	type Outcome,
	type Report,
	type ReportKind,
	type Sought,
	WebhookRefused,
} from "../../provider.ts";
import type { Rendered } from "../../rendering/rendered.ts";
import {
	callHttp,
	type HttpResult,
	readObject,
	refusedByServer,
	withoutAnswer,
} from "../connections/http-call.ts";

const Credentials = Type.Object(
	{
		accountSid: Type.String({ pattern: "^AC[0-9a-f]{32}$" }),
		/** Signs webhooks, and requests too unless there is an API key. */
		authToken: Type.String({ minLength: 1, maxLength: 200 }),
		/** Sender: a phone number in E.164, or `MG…` of a messaging service. */
		from: Type.String({ minLength: 2, maxLength: 40 }),
	},
	{ additionalProperties: false },
);
type TwilioAccount = Account<Static<typeof Credentials>>;

/** Messages of a look-up: an answer of at most 64 KB has them all. */
const pageSize = 20;
const liveUrl = "https://api.twilio.com";
/** Codes of twilio.com/docs/api/errors: not a number, not a mobile number, no such recipient. */
const badAddress: ReadonlySet<number> = new Set([21211, 21217, 21614, 30005, 30006, 63003]);
/** Besides those: blocked by the recipient, region not enabled, the text is refused. */
const final: ReadonlySet<number> = new Set([
	...badAddress,
	21408,
	21610,
	21612,
	21617,
	21655,
	30004,
	30007,
	63016,
]);

/**
 * SMS and WhatsApp by Twilio (twilio.com/docs/messaging/api/message-resource and
 * …/guides/track-outbound-message-status). The address of its status callback names our delivery. Its list of
 * messages has no value of ours: a message is recognized by its phone, text and time.
 */
export const twilio: Adapter<typeof Credentials> = {
	kind: "twilio",
	channels: ["sms", "whatsapp"],
	credentials: Credentials,
	can: { deduplicate: false, lookUp: true, echoId: true },
	async send(account, message, { signal, ...ids }) {
		const answer = await callHttp(`${messagesOf(account)}.json`, {
			headers: { authorization: basicOf(account) },
			form: { ...formOf(account, message), ...callbackOf(account, ids) },
			signal,
		});
		return answer.is === "answered" ? outcomeOf(answer) : withoutAnswer(answer);
	},
	async lookUp(account, sought, { signal }) {
		const since = new Date(sought.calledAt.getTime() - clockDifferenceMs);
		const query = new URLSearchParams({
			To: sought.channel === "whatsapp" ? `whatsapp:${sought.to}` : sought.to,
			...{ "DateSent>": since.toISOString().slice(0, 10), PageSize: String(pageSize) },
		});
		const answer = await callHttp(`${messagesOf(account)}.json?${query}`, {
			...{ method: "GET", headers: { authorization: basicOf(account) }, signal },
		});
		if (answer.is !== "answered" || answer.status !== 200) return undefined;
		return findOnly(readObject(answer.body), { ...sought, since });
	},
	async check(account, { signal }) {
		const { credentials, baseUrl = liveUrl } = account;
		const answer = await callHttp(`${baseUrl}/2010-04-01/Accounts/${credentials.accountSid}.json`, {
			...{ method: "GET", headers: { authorization: basicOf(account) }, signal },
		});
		if (answer.is !== "answered") return withoutAnswer(answer);
		return answer.status === 200 ? { is: "accepted" } : refusedByServer(answer, `http_${answer.status}`);
	},
	readReports({ credentials: { authToken } }, { url, query, headers, body }) {
		const form = new URLSearchParams(body.toString("utf8"));
		if (!isSigned({ authToken, url, form, signature: headers["x-twilio-signature"] }))
			throw new WebhookRefused("the signature is missing or wrong");
		const ref = form.get("MessageSid");
		if (ref === null) throw new WebhookRefused("MessageSid is missing");
		const report = reportOf({ ref, status: form.get("MessageStatus"), code: form.get("ErrorCode") });
		const { delivery: deliveryId, tenant: tenantId } = query;
		const ids = deliveryId === undefined || tenantId === undefined ? {} : { deliveryId, tenantId };
		return report === undefined ? [] : [{ ...report, ...ids }];
	},
};

const messagesOf = ({ credentials: { accountSid }, baseUrl = liveUrl }: TwilioAccount) =>
	`${baseUrl}/2010-04-01/Accounts/${accountSid}/Messages`;
const basicOf = ({ credentials: { accountSid, authToken } }: TwilioAccount) =>
	`Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`;

function callbackOf(
	{ webhookUrl }: TwilioAccount,
	{ deliveryId, tenantId }: { deliveryId: string; tenantId: string },
): Record<string, string> {
	if (webhookUrl === undefined) return {};
	const url = new URL(webhookUrl);
	url.searchParams.set("delivery", deliveryId);
	url.searchParams.set("tenant", tenantId);
	return { StatusCallback: url.toString() };
}

/**
 * A WhatsApp message outside of a conversation needs an approved template: `HX…`, with its values by number.
 */
function formOf({ credentials: { from } }: TwilioAccount, message: Rendered): Record<string, string> {
	const sender = (prefix: string): Record<string, string> =>
		from.startsWith("MG") ? { MessagingServiceSid: from } : { From: `${prefix}${from}` };
	if (message.channel === "sms") return { To: message.to, ...sender(""), Body: message.text };
	if (message.channel !== "whatsapp") throw new Error(`twilio cannot send ${message.channel}`);
	const to = { To: `whatsapp:${message.to}`, ...sender("whatsapp:") };
	if (message.template === undefined) return { ...to, Body: message.text };
	const values = message.template.values.map((value, at) => [String(at + 1), value] as const);
	return {
		...{ ...to, ContentSid: message.template.name },
		ContentVariables: JSON.stringify(Object.fromEntries(values)),
	};
}

function outcomeOf(answer: Extract<HttpResult, { is: "answered" }>): Outcome {
	const { status, body } = answer;
	const { sid, code, status: state, error_code: failed } = readObject(body);
	if (status === 201 || status === 200) {
		if (typeof sid !== "string") return { is: "unknown", code: "answer_unreadable" };
		if (state !== "failed") return { is: "accepted", ref: sid };
		return refusalOf(Number(failed));
	}
	if (status >= 500) return { is: "unknown", code: `http_${status}` };
	if (status === 400 && Number.isInteger(code)) return refusalOf(Number(code));
	return refusedByServer(answer, Number.isInteger(code) ? `twilio_${code}` : `http_${status}`);
}

const refusalOf = (code: number): Outcome => ({
	...{ is: "refused", mayRetry: !final.has(code), code: `twilio_${code}` },
	...(badAddress.has(code) && { isAddressBad: true as const }),
});

/** `queued`, `sending` and `accepted` say no more than the response to the request. */
const kindOf: Readonly<Record<string, ReportKind>> = {
	sent: "sent",
	delivered: "delivered",
	read: "read",
	undelivered: "undelivered",
	failed: "undelivered",
	canceled: "undelivered",
};

function reportOf({
	ref,
	status,
	code,
}: {
	ref: string;
	status: unknown;
	code: unknown;
}): Report | undefined {
	const kind = kindOf[String(status)];
	if (kind === undefined) return undefined;
	const reason = Number(code ?? 0);
	return {
		...{ eventKey: `${ref} ${status}`, kind, ref },
		...(Number.isInteger(reason) && reason > 0 && { code: `twilio_${reason}` }),
		...(badAddress.has(reason) && { isAddressBad: true as const }),
	};
}

/** The state of the only message that it can be; the list has the newest first. */
function findOnly(
	{ messages, next_page_uri: next }: Record<string, unknown>,
	{ isText, since }: Pick<Sought, "isText"> & { since: Date },
): Report | undefined {
	const listed = (Array.isArray(messages) ? messages : []) as ReadonlyArray<Record<string, unknown>>;
	const later = listed.filter(({ date_created: at }) => new Date(String(at)) >= since);
	// There may be more of them on the next page.
	if (typeof next === "string" && later.length === listed.length) return undefined;
	const [found, ...others] = later.filter(({ body }) => isText(String(body)));
	if (typeof found?.["sid"] !== "string" || others.length > 0) return undefined;
	const { sid: ref, status, error_code: code } = found;
	return reportOf({ ref, status, code }) ?? { eventKey: `${ref} ${status}`, kind: "sent", ref };
}

/** twilio.com/docs/usage/security: HMAC-SHA1 of the URL and the sorted parameters, in base64. */
function isSigned({
	authToken,
	url,
	form,
	signature,
}: {
	authToken: string;
	url: string;
	form: URLSearchParams;
	signature: unknown;
}): boolean {
	if (typeof signature !== "string") return false;
	const sorted = [...form].toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
	const text = url + sorted.map(([name, value]) => name + value).join("");
	const wanted = createHmac("sha1", authToken).update(text, "utf8").digest();
	const given = Buffer.from(signature, "base64");
	return given.length === wanted.length && timingSafeEqual(given, wanted);
}
