import { createHmac } from "node:crypto";
import { specialOf } from "../faults/special-recipients.ts";
import type { Letter, ReportStatus } from "../record/arrival.ts";
import { deliveryIdIn } from "../record/delivery-id.ts";
import { readJson, readSource } from "./read-json.ts";
import { isWrong, shortLetter, type Vendor, type VendorAnswer, type VendorRequest } from "./vendor.ts";

/** Error codes of the Cloud API. */
const messages: Readonly<Record<number, string>> = {
	100: "Invalid parameter",
	190: "Invalid OAuth access token - Cannot parse access token",
	130429: "Rate limit hit",
	131026: "Message undeliverable",
	131050: "User has stopped marketing messages",
	131053: "Media upload error",
	131056: "(Business Account, Consumer Account) pair rate limit hit",
};
const isAuth = (code: number) => code === 190;

/**
 * WhatsApp by Meta's Cloud API (developers.facebook.com/docs/whatsapp/cloud-api: messages, webhooks, error
 * codes). Webhooks are signed with the secret of the address. Failures come by webhook only, as at the
 * vendor.
 */
export const whatsappCloud: Vendor = {
	kind: "whatsapp_cloud",
	send: "/:version/:number/messages",
	lastStatus: "delivered",
	read(request) {
		if (!hasToken(request)) return { status: 401, code: 190 };
		const message = (readJson(request.body) ?? {}) as Message;
		const { to, biz_opaque_callback_data: callback } = message;
		const text = textOf(message);
		if (message.messaging_product !== "whatsapp" || !to || !text) return { status: 400, code: 100 };
		const number = request.params["number"] ?? "";
		const letter = shortLetter({
			...{ channel: "whatsapp", deliveryId: deliveryIdIn([callback]), from: number, to: [to], text },
			source: `${request.line}\n\n${request.body}`,
		});
		return { letter, account: number };
	},
	accept({ letter: { to } }, { ids, ordinal }) {
		const providerId = `wamid.${Buffer.from(ids.hex(ordinal, "message", 36)).toString("base64")}`;
		const [input = ""] = to;
		return {
			providerId,
			answer: {
				status: 200,
				body: {
					messaging_product: "whatsapp",
					contacts: [{ input, wa_id: input.replace(/^\+/, "") }],
					messages: [{ id: providerId, message_status: "accepted" }],
				},
			},
		};
	},
	refuse: ({ status, code }) => errorOf(status, Number(code ?? 131_000)),
	specials: () => ({
		bounce: { report: { status: "bounced" } },
		complaint: { report: { status: "complained" } },
		temporary: { refuse: { status: 400, code: 131_056 } },
	}),
	report({ status, taken: { providerId, account, letter }, at, to }) {
		const body = JSON.stringify({
			object: "whatsapp_business_account",
			entry: [
				{
					id: "102290129340398",
					changes: [
						{
							value: {
								messaging_product: "whatsapp",
								metadata: { display_phone_number: "254700000000", phone_number_id: account },
								statuses: [statusOf(status, { providerId, letter, at })],
							},
							field: "messages",
						},
					],
				},
			],
		});
		const signature = createHmac("sha256", to.secret ?? "")
			.update(body)
			.digest("hex");
		return {
			headers: {
				"content-type": "application/json",
				"user-agent": "facebookexternalua",
				"x-hub-signature-256": `sha256=${signature}`,
			},
			body,
		};
	},
	others: [
		{
			method: "GET",
			path: "/:version/:number",
			answer: (request) =>
				hasToken(request)
					? { status: 200, body: { verified_name: "Sandbox", id: request.params["number"] } }
					: errorOf(401, 190),
		},
	],
};

type Message = {
	messaging_product?: string;
	to?: string;
	text?: { body?: string };
	template?: {
		name?: string;
		language?: { code?: string };
		components?: Array<{ parameters?: Array<{ text?: string }> }>;
	};
	biz_opaque_callback_data?: string;
};

/** Text, or the template with its values: the vendor knows a template's text, the sandbox does not. */
function textOf({ text, template }: Message): string | undefined {
	if (template === undefined) return text?.body;
	const values = (template.components ?? []).flatMap(({ parameters = [] }) => parameters);
	const printed = values.map((value) => value.text ?? "").join(" · ");
	return `${template.name} (${template.language?.code}) ${printed}`.trim();
}

function hasToken({ headers: { authorization = "" } }: VendorRequest): boolean {
	const [, token] = /^Bearer (.+)$/.exec(authorization) ?? [];
	return !isWrong(token);
}

const errorOf = (status: number, code: number): VendorAnswer => ({
	status,
	body: {
		error: {
			message: `(#${code}) ${messages[code] ?? "Error"}`,
			type: "OAuthException",
			code,
			...(!isAuth(code) && {
				error_data: { messaging_product: "whatsapp", details: messages[code] ?? "Error" },
			}),
			fbtrace_id: "sandbox",
		},
	},
});

const words: Readonly<Record<ReportStatus, string>> = {
	sent: "sent",
	delivered: "delivered",
	read: "read",
	undelivered: "failed",
	bounced: "failed",
	soft_bounced: "failed",
	complained: "failed",
};

function statusOf(
	status: ReportStatus,
	{ providerId, letter, at }: { providerId: string; letter: Letter; at: Date },
) {
	const { biz_opaque_callback_data: callback } = (readSource(letter) ?? {}) as Message;
	const code = words[status] === "failed" ? codeOf(status, letter) : undefined;
	return {
		...{ id: providerId, status: words[status], timestamp: String(Math.floor(at.getTime() / 1_000)) },
		recipient_id: letter.to[0]?.replace(/^\+/, ""),
		...(callback !== undefined && { biz_opaque_callback_data: callback }),
		...(code !== undefined && {
			errors: [{ code, title: messages[code], message: messages[code] }],
		}),
	};
}

/** Unknown number, not wanted, or the vendor's own fault. */
function codeOf(status: ReportStatus, { to }: Letter): number {
	if (status === "complained") return 131_050;
	return status === "bounced" || specialOf(to[0] ?? "") === "bounce" ? 131_026 : 131_053;
}
