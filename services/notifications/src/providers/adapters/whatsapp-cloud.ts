import { createHmac, timingSafeEqual } from "node:crypto";
import Type, { type Static } from "typebox";
import {
	type Account,
	type Adapter,
	type Outcome,
	type Report,
	type ReportKind,
	WebhookRefused,
} from "../../provider.ts";
import type { RenderedWhatsapp } from "../../rendering/rendered.ts";
import {
	callHttp,
	type HttpResult,
	readObject,
	refusedByServer,
	withoutAnswer,
} from "../connections/http-call.ts";

const Credentials = Type.Object(
	{
		/** The id of the sender's number, not the number. */
		phoneNumberId: Type.String({ pattern: "^[0-9]{5,30}$" }),
		accessToken: Type.String({ minLength: 1, maxLength: 1_000 }),
		/** Signs webhooks. */
		appSecret: Type.String({ minLength: 1, maxLength: 200 }),
	},
	{ additionalProperties: false },
);
type CloudAccount = Account<Static<typeof Credentials>>;

const liveUrl = "https://graph.facebook.com";
const version = "v23.0";
/** Not a number of WhatsApp. */
const badAddress: ReadonlySet<number> = new Set([131026]);
/**
 * About the message or its recipient: parameters, no open conversation, not wanted, template and its values.
 */
const final: ReadonlySet<number> = new Set([
	...badAddress,
	...[100, 131008, 131009, 131021, 131030, 131047, 131049, 131050, 131051],
	...[132000, 132001, 132005, 132007, 132012, 132015, 132016],
]);
/** About the account: sign-in, permissions, payment, policy. */
const ofAccount: ReadonlySet<number> = new Set([0, 3, 10, 190, 200, 368, 131031, 131042, 131045, 133010]);

/**
 * WhatsApp by Meta's Cloud API (developers.facebook.com/docs/whatsapp/cloud-api: messages, webhooks, error
 * codes). A message outside of a conversation needs an approved template. Webhooks are signed and contain our
 * ids.
 */
export const whatsappCloud: Adapter<typeof Credentials> = {
	kind: "whatsapp_cloud",
	channels: ["whatsapp"],
	credentials: Credentials,
	can: { deduplicate: false, lookUp: false, echoId: true },
	async send(account, message, { deliveryId, tenantId, signal }) {
		if (message.channel !== "whatsapp") throw new Error(`whatsapp_cloud cannot send ${message.channel}`);
		const answer = await callHttp(`${numberOf(account)}/messages`, {
			headers: bearerOf(account),
			json: { ...toMessage(message), biz_opaque_callback_data: `${deliveryId} ${tenantId}` },
			signal,
		});
		return answer.is === "answered" ? outcomeOf(answer) : withoutAnswer(answer);
	},
	async check(account, { signal }) {
		const answer = await callHttp(`${numberOf(account)}?fields=verified_name`, {
			...{ method: "GET", headers: bearerOf(account), signal },
		});
		if (answer.is !== "answered") return withoutAnswer(answer);
		return answer.status === 200 ? { is: "accepted" } : refusedByServer(answer, `http_${answer.status}`);
	},
	readReports({ credentials: { appSecret, phoneNumberId } }, { headers, body }) {
		if (!isSigned({ appSecret, body, signature: headers["x-hub-signature-256"] }))
			throw new WebhookRefused("the signature is missing or wrong");
		return statusesIn(readObject(body.toString("utf8")), phoneNumberId).flatMap(
			(status) => reportOf(status) ?? [],
		);
	},
};

const numberOf = ({ credentials: { phoneNumberId }, baseUrl = liveUrl }: CloudAccount) =>
	`${baseUrl}/${version}/${phoneNumberId}`;
const bearerOf = ({ credentials: { accessToken } }: CloudAccount) => ({
	authorization: `Bearer ${accessToken}`,
});

/** Values of a template are one line each: the vendor refuses line breaks, tabs and rows of spaces. */
function toMessage({ to, text, template }: RenderedWhatsapp) {
	const base = { messaging_product: "whatsapp", recipient_type: "individual", to };
	if (template === undefined) return { ...base, type: "text", text: { preview_url: false, body: text } };
	const parameters = template.values.map((value) => ({
		...{ type: "text", text: value.replaceAll(/\s+/g, " ").trim() },
	}));
	return {
		...{ ...base, type: "template" },
		template: {
			...{ name: template.name, language: { code: template.locale.replace("-", "_") } },
			...(parameters.length > 0 && { components: [{ type: "body", parameters }] }),
		},
	};
}

function outcomeOf(answer: Extract<HttpResult, { is: "answered" }>): Outcome {
	const { status, body } = answer;
	const { messages, error } = readObject(body) as { messages?: unknown; error?: { code?: unknown } };
	if (status === 200) {
		const ref = listOf<{ id?: unknown }>(messages)[0]?.id;
		return typeof ref === "string" ? { is: "accepted", ref } : { is: "unknown", code: "answer_unreadable" };
	}
	// The vendor may have accepted the message before it failed.
	if (status >= 500) return { is: "unknown", code: `http_${status}` };
	return typeof error?.code === "number"
		? refusalOf(answer, error.code)
		: refusedByServer(answer, `http_${status}`);
}

function refusalOf(answer: Extract<HttpResult, { is: "answered" }>, number: number): Outcome {
	const code = `whatsapp_${number}`;
	if (ofAccount.has(number)) return { is: "refused", mayRetry: true, code, isUnreachable: true };
	if (!final.has(number)) return refusedByServer(answer, code);
	return {
		...{ is: "refused", mayRetry: false, code },
		...(badAddress.has(number) && { isAddressBad: true as const }),
	};
}

type Status = {
	id?: unknown;
	status?: unknown;
	timestamp?: unknown;
	biz_opaque_callback_data?: unknown;
	errors?: Array<{ code?: unknown }>;
};
type Change = { value?: { metadata?: { phone_number_id?: unknown }; statuses?: Status[] } };

/** An app has one webhook for all of its numbers: statuses of other numbers belong to other providers. */
function statusesIn(event: Record<string, unknown>, phoneNumberId: string): Status[] {
	const entries = listOf<{ changes?: Change[] }>(event["entry"]);
	return entries
		.flatMap(({ changes }) => listOf<Change>(changes))
		.filter(({ value }) => value?.metadata?.phone_number_id === phoneNumberId)
		.flatMap(({ value }) => listOf<Status>(value?.statuses));
}

const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? value : []);

const kindOf: Readonly<Record<string, ReportKind>> = {
	sent: "sent",
	delivered: "delivered",
	read: "read",
	failed: "undelivered",
};

function reportOf({ id, status, timestamp, errors, ...rest }: Status): Report | undefined {
	const kind = kindOf[String(status)];
	if (kind === undefined || typeof id !== "string") return undefined;
	const code = Number(listOf<{ code?: unknown }>(errors)[0]?.code);
	const seconds = Number(timestamp);
	const [deliveryId, tenantId] = String(rest.biz_opaque_callback_data ?? "").split(" ");
	return {
		...{ eventKey: `${id} ${status}`, kind, ref: id },
		...(deliveryId && tenantId && { deliveryId, tenantId }),
		...(Number.isInteger(code) && { code: `whatsapp_${code}` }),
		...(badAddress.has(code) && { isAddressBad: true as const }),
		...(Number.isInteger(seconds) && seconds > 0 && { at: new Date(seconds * 1_000) }),
	};
}

/** The HMAC-SHA256 of the raw body, as `sha256=<hex>`. */
function isSigned({
	appSecret,
	body,
	signature,
}: {
	appSecret: string;
	body: Buffer;
	signature: unknown;
}): boolean {
	if (typeof signature !== "string" || !signature.startsWith("sha256=")) return false;
	const wanted = createHmac("sha256", appSecret).update(body).digest();
	const given = Buffer.from(signature.slice("sha256=".length), "hex");
	return given.length === wanted.length && timingSafeEqual(given, wanted);
}
