import Type from "typebox";
import { type Adapter, type Outcome, type Report, type ReportKind, WebhookRefused } from "../../provider.ts";
import {
	callHttp,
	type HttpResult,
	readObject,
	refusedByServer,
	withoutAnswer,
} from "../connections/http-call.ts";

const Credentials = Type.Object(
	{
		username: Type.String({ minLength: 1, maxLength: 120 }),
		apiKey: Type.String({ minLength: 1, maxLength: 400 }),
		/** The short code or the alphanumeric sender that the vendor registered; without it the vendor's own. */
		senderId: Type.Optional(Type.String({ maxLength: 20 })),
	},
	{ additionalProperties: false },
);

const liveUrl = "https://api.africastalking.com";
const accepted: ReadonlySet<number> = new Set([100, 101, 102]);
/** Invalid number, unsupported number. */
const badAddress: ReadonlySet<number> = new Set([403, 404]);
/** The number itself, or its owner: blocked, do not disturb. */
const final: ReadonlySet<number> = new Set([403, 404, 406, 409]);

/**
 * SMS by Africa's Talking (developers.africastalking.com, "Send SMS" and "Delivery reports"). It takes no id
 * of ours and answers no questions about a message. Its reports are not signed: the token of the webhook's
 * address proves them.
 */
export const africastalking: Adapter<typeof Credentials> = {
	kind: "africastalking",
	channels: ["sms"],
	credentials: Credentials,
	can: { deduplicate: false, lookUp: false, echoId: false },
	async send({ credentials, baseUrl = liveUrl }, message, { signal }) {
		if (message.channel !== "sms") throw new Error(`africastalking cannot send ${message.channel}`);
		const { username, apiKey, senderId } = credentials;
		const answer = await callHttp(`${baseUrl}/version1/messaging`, {
			headers: { apikey: apiKey },
			form: {
				...{ username, to: message.to, message: message.text },
				...(senderId !== undefined && { from: senderId }),
			},
			signal,
		});
		return answer.is === "answered" ? outcomeOf(answer) : withoutAnswer(answer);
	},
	async check({ credentials: { username, apiKey }, baseUrl = liveUrl }, { signal }) {
		const query = new URLSearchParams({ username });
		const answer = await callHttp(`${baseUrl}/version1/user?${query}`, {
			...{ method: "GET", headers: { apikey: apiKey }, signal },
		});
		if (answer.is !== "answered") return withoutAnswer(answer);
		return answer.status === 200 ? { is: "accepted" } : refusedByServer(answer, `http_${answer.status}`);
	},
	readReports(_account, { body }) {
		const form = new URLSearchParams(body.toString("utf8"));
		const [ref, status] = [form.get("id"), form.get("status")];
		if (ref === null || status === null) throw new WebhookRefused("id and status are missing");
		const kind = kindOf[status];
		if (kind === undefined) return [];
		const reason = form.get("failureReason");
		const report: Report = {
			eventKey: `${ref} ${status}`,
			...{ kind, ref },
			...(reason !== null && reason !== "" && { code: reason.slice(0, 100) }),
			...(reason !== null && badReasons.has(reason) && { isAddressBad: true as const }),
		};
		return [report];
	},
};

/** `Sent`, `Submitted` and `Buffered` say no more than the response to the request. */
const kindOf: Readonly<Record<string, ReportKind>> = {
	Success: "delivered",
	Failed: "undelivered",
	Rejected: "undelivered",
	AbsentSubscriber: "undelivered",
	Expired: "undelivered",
};
const badReasons: ReadonlySet<string> = new Set(["UserDoesNotExist", "UserNotProvisioned"]);

type Recipient = { statusCode?: unknown; messageId?: unknown };

/** One recipient was sent, so there is one entry. Without one, the message says why none was accepted. */
function outcomeOf(answer: Extract<HttpResult, { is: "answered" }>): Outcome {
	const { status, body } = answer;
	const data = readObject(body)["SMSMessageData"] as { Recipients?: Recipient[] } | undefined;
	const [recipient] = Array.isArray(data?.Recipients) ? data.Recipients : [];
	const code = Number(recipient?.statusCode);
	if (recipient !== undefined && accepted.has(code)) {
		const ref = recipient.messageId;
		return { is: "accepted", ...(typeof ref === "string" && ref !== "None" && { ref }) };
	}
	if (recipient !== undefined && Number.isInteger(code))
		return {
			...{ is: "refused", mayRetry: !final.has(code), code: `at_${code}` },
			...(badAddress.has(code) && { isAddressBad: true as const }),
		};
	if (status >= 200 && status < 300)
		return data === undefined
			? { is: "unknown", code: "answer_unreadable" }
			: { is: "refused", mayRetry: true, code: "at_no_recipient" };
	// The vendor may have accepted the message before it failed.
	if (status >= 500) return { is: "unknown", code: `http_${status}` };
	return refusedByServer(answer, `http_${status}`);
}
