import { createHash, timingSafeEqual } from "node:crypto";
import Type, { type Static } from "typebox";
import {
	type Account,
	type Adapter,
	type Call,
	type Outcome,
	type Report,
	type ReportKind,
	WebhookRefused,
} from "../../provider.ts";
import type { RenderedEmail } from "../../rendering/rendered.ts";
import {
	callHttp,
	type HttpResult,
	readObject,
	refusedByServer,
	withoutAnswer,
} from "../connections/http-call.ts";
import { FromAddress, fromAccount, headersOf, isSafe, messageIdOf } from "./mail-fields.ts";

const Credentials = Type.Object(
	{
		serverToken: Type.String({ minLength: 1, maxLength: 200 }),
		fromAddress: FromAddress,
		/** Default: `outbound`, the stream of transactional mail. */
		messageStream: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
		/** What the vendor signs in with at our webhook, if its address has that. */
		webhookUser: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
		webhookPassword: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
	},
	{ additionalProperties: false },
);
type PostmarkAccount = Account<Static<typeof Credentials>>;

const liveUrl = "https://api.postmarkapp.com";
/** API error codes of the mail itself: its fields, its JSON, a recipient that the vendor does not send to. */
const ofMessage: ReadonlySet<number> = new Set([300, 402, 403, 406, 409]);

/**
 * E-mail by Postmark (postmarkapp.com/developer: Email API, webhooks). Metadata contains our
 * ids and comes back in webhooks. They are not signed: basic authentication and the token of the address
 * prove them.
 */
export const postmark: Adapter<typeof Credentials> = {
	kind: "postmark",
	channels: ["email"],
	credentials: Credentials,
	can: { deduplicate: false, lookUp: false, echoId: true },
	async send(account, message, { signal, ...ids }) {
		if (message.channel !== "email") throw new Error(`postmark cannot send ${message.channel}`);
		const mail = fromAccount(message, account);
		if (!isSafe(mail)) return { is: "refused", mayRetry: false, code: "message_invalid" };
		const { messageStream = "outbound" } = account.credentials;
		const answer = await callHttp(`${urlOf(account)}/email`, {
			headers: tokenOf(account),
			json: { ...toFields(mail, messageIdOf(message, ids.deliveryId), ids), MessageStream: messageStream },
			signal,
		});
		return answer.is === "answered" ? outcomeOf(answer) : withoutAnswer(answer);
	},
	async check(account, { signal }) {
		const answer = await callHttp(`${urlOf(account)}/server`, {
			...{ method: "GET", headers: tokenOf(account), signal },
		});
		if (answer.is !== "answered") return withoutAnswer(answer);
		return answer.status === 200 ? { is: "accepted" } : refusedByServer(answer, `http_${answer.status}`);
	},
	readReports({ credentials }, { headers, body }) {
		if (!isSignedIn(credentials, headers.authorization))
			throw new WebhookRefused("name or password is wrong");
		const event = readObject(body.toString("utf8"));
		const { MessageID: ref } = event;
		if (typeof ref !== "string") throw new WebhookRefused("MessageID is missing");
		const report = reportOf(event);
		return report === undefined ? [] : [{ ...report, ref, ...idsIn(event["Metadata"]) }];
	},
};

const urlOf = ({ baseUrl = liveUrl }: PostmarkAccount) => baseUrl;
const tokenOf = ({ credentials: { serverToken } }: PostmarkAccount) => ({
	"x-postmark-server-token": serverToken,
});

/** The vendor keeps our Message-ID if it is asked to. Links and openings are not tracked. */
function toFields(mail: RenderedEmail, messageId: string, { deliveryId, tenantId }: Omit<Call, "signal">) {
	const { from, to, replyTo, subject, html, text } = mail;
	const headers = { ...headersOf(mail), "Message-ID": messageId, "X-PM-KeepID": "true" };
	return {
		...{ From: `${quote(from.name)} <${from.address}>`, To: to, Subject: subject },
		...{ HtmlBody: html, TextBody: text, TrackOpens: false, TrackLinks: "None" },
		...(replyTo !== undefined && { ReplyTo: replyTo }),
		Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
		Metadata: { delivery: deliveryId, tenant: tenantId },
	};
}

/** RFC 5322 §3.2.4. */
const quote = (name: string) => `"${name.replaceAll(/["\\]/g, "\\$&")}"`;

function outcomeOf(answer: Extract<HttpResult, { is: "answered" }>): Outcome {
	const { status, body } = answer;
	const { ErrorCode: error, MessageID: ref } = readObject(body);
	if (status === 200 && error === 0 && typeof ref === "string") return { is: "accepted", ref };
	if (status === 200) return { is: "unknown", code: "answer_unreadable" };
	// The vendor may have accepted the mail before it failed.
	if (status >= 500) return { is: "unknown", code: `http_${status}` };
	const code = Number.isInteger(error) ? `postmark_${error}` : `http_${status}`;
	if (status === 422 && ofMessage.has(Number(error))) return { is: "refused", mayRetry: false, code };
	return refusedByServer(answer, code);
}

/** Types of bounces (postmarkapp.com/developer/api/bounce-api); what is missing here is not about a mail. */
const bounces: Readonly<Record<string, { kind: ReportKind; isAddressBad?: true }>> = {
	HardBounce: { kind: "bounced", isAddressBad: true },
	BadEmailAddress: { kind: "bounced", isAddressBad: true },
	SoftBounce: { kind: "soft_bounced" },
	DnsError: { kind: "soft_bounced" },
	SpamNotification: { kind: "undelivered" },
	Blocked: { kind: "undelivered" },
	ManuallyDeactivated: { kind: "undelivered" },
	VirusNotification: { kind: "undelivered" },
	DMARCPolicy: { kind: "undelivered" },
	SpamComplaint: { kind: "complained" },
	Unknown: { kind: "undelivered" },
};

function reportOf(event: Record<string, unknown>): Report | undefined {
	const { RecordType: type, MessageID: ref, ID: id, Type: bounce } = event;
	if (type === "Delivery")
		return { eventKey: `${ref} Delivery`, kind: "delivered", ...timeOf(event["DeliveredAt"]) };
	if (type === "SpamComplaint")
		return { eventKey: `${ref} SpamComplaint ${id}`, kind: "complained", ...timeOf(event["BouncedAt"]) };
	const found = type === "Bounce" && typeof bounce === "string" ? bounces[bounce] : undefined;
	if (found === undefined) return undefined;
	return {
		...{ eventKey: `${ref} Bounce ${id}`, ...found, code: `postmark_${bounce}` },
		...timeOf(event["BouncedAt"]),
	};
}

function timeOf(text: unknown): { at?: Date } {
	const at = new Date(typeof text === "string" ? text : "");
	return Number.isNaN(at.getTime()) ? {} : { at };
}

function idsIn(metadata: unknown): Pick<Report, "deliveryId" | "tenantId"> {
	const { delivery, tenant } = (metadata ?? {}) as { delivery?: unknown; tenant?: unknown };
	if (typeof delivery !== "string" || typeof tenant !== "string") return {};
	return { deliveryId: delivery, tenantId: tenant };
}

/** Compares hashes in constant time. An account without a name and a password has the token only. */
function isSignedIn(
	{ webhookUser, webhookPassword }: Static<typeof Credentials>,
	authorization: string | undefined,
): boolean {
	if (webhookUser === undefined && webhookPassword === undefined) return true;
	const wanted = `Basic ${Buffer.from(`${webhookUser ?? ""}:${webhookPassword ?? ""}`).toString("base64")}`;
	const hash = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(hash(wanted), hash(authorization ?? ""));
}
