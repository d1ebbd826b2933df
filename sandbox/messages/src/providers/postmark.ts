import { deliveryIdIn } from "../record/delivery-id.ts";
import { readJson, readSource } from "./read-json.ts";
import { isWrong, type Vendor, type VendorAnswer, type VendorReport } from "./vendor.ts";

/** API error codes (postmarkapp.com/developer/api/overview). */
const messages: Readonly<Record<number, string>> = {
	10: "The Server Token you provided in the X-Postmark-Server-Token request header was invalid.",
	300: "Invalid email request",
	402: "Invalid JSON",
	406: "You tried to send to a recipient that has been marked as inactive.",
	429: "Rate limit exceeded",
};

/**
 * E-mail by Postmark (postmarkapp.com/developer: Email API, Server API, webhooks). One
 * recipient a request. Its webhooks sign in with the name and the password of the address.
 */
export const postmark: Vendor = {
	kind: "postmark",
	send: "/email",
	lastStatus: "delivered",
	read({ headers, body, line }) {
		const mail = readJson(body) as Mail | undefined;
		if (isWrong(headers["x-postmark-server-token"]?.toString())) return { status: 401, code: 10 };
		if (mail === undefined) return { status: 422, code: 402 };
		const { From: from, To: to, Subject: subject, HtmlBody: html, TextBody: text } = mail;
		if (!from || !to || to.includes(",") || !(html || text)) return { status: 422, code: 300 };
		const named = (mail.Headers ?? []).map(({ Name, Value }) => [Name, Value] as const);
		const messageId = named.find(([name]) => name.toLowerCase() === "message-id")?.[1];
		const letter = {
			...{ channel: "email" as const, from, to: [to], headers: named, attachments: [] },
			deliveryId: deliveryIdIn([...Object.values(mail.Metadata ?? {}), messageId]),
			tenant: nameIn(from),
			...{ subject: subject ?? null, text: text ?? null, html: html ?? null },
			source: `${line}\n\n${body}`,
		};
		return { letter, account: mail.MessageStream ?? "outbound" };
	},
	accept({ letter }, { ids, ordinal, clock }) {
		const providerId = ids.uuid(ordinal, "message");
		const body = {
			...{ To: letter.to[0], SubmittedAt: clock.now().toISOString(), MessageID: providerId },
			...{ ErrorCode: 0, Message: "OK" },
		};
		return { providerId, answer: { status: 200, body } };
	},
	refuse: ({ status, code }) => errorOf(status, Number(code ?? status)),
	specials: () => ({
		bounce: { report: { status: "bounced" } },
		complaint: { report: { status: "complained" } },
		temporary: { refuse: { status: 429, code: 429, after: 1 } },
	}),
	report(report) {
		const body = webhookOf(report);
		if (body === undefined) return undefined;
		const { secret } = report.to;
		const login = secret === undefined ? undefined : Buffer.from(secret).toString("base64");
		return {
			headers: {
				...{ "content-type": "application/json", "user-agent": "Postmark" },
				...(login !== undefined && { authorization: `Basic ${login}` }),
			},
			body: JSON.stringify(body),
		};
	},
	others: [
		{
			method: "GET",
			path: "/server",
			answer: ({ headers }) =>
				isWrong(headers["x-postmark-server-token"]?.toString())
					? errorOf(401, 10)
					: { status: 200, body: { ID: 1, Name: "Sandbox", Color: "blue", DeliveryType: "Sandbox" } },
		},
	],
};

type Mail = {
	From?: string;
	To?: string;
	Subject?: string;
	HtmlBody?: string;
	TextBody?: string;
	MessageStream?: string;
	Headers?: Array<{ Name: string; Value: string }>;
	Metadata?: Record<string, string>;
};

const errorOf = (status: number, code: number): VendorAnswer => ({
	status,
	body: { ErrorCode: code, Message: messages[code] ?? `Error ${code}` },
});

/** The display name, without the quotes of RFC 5322 §3.2.4. */
function nameIn(from: string): string | null {
	const name = /^(.*?)\s*<[^<]*>$/s.exec(from)?.[1] ?? "";
	return name.replace(/^"(.*)"$/s, "$1").replaceAll(/\\(.)/gs, "$1") || null;
}

/** What makes a bounce of a status: type, code, name. */
const bounces: Partial<Record<string, readonly [type: string, code: number, name: string]>> = {
	bounced: ["HardBounce", 1, "Hard bounce"],
	soft_bounced: ["SoftBounce", 4096, "Soft bounce"],
	undelivered: ["Blocked", 100_006, "ISP block"],
};

function webhookOf({ status, taken, at }: VendorReport): object | undefined {
	const { providerId, ordinal, letter, account } = taken;
	const base = {
		...{ MessageID: providerId, ServerID: 1, MessageStream: account, Tag: "" },
		Metadata: (readSource(letter) as Mail | undefined)?.Metadata ?? {},
	};
	const time = at.toISOString();
	if (status === "delivered")
		return {
			...{ RecordType: "Delivery", ...base, Recipient: letter.to[0], DeliveredAt: time },
			Details: "250 OK",
		};
	const email = { Email: letter.to[0], From: letter.from, Subject: letter.subject, BouncedAt: time };
	const flags = { DumpAvailable: false, Inactive: status !== "soft_bounced", CanActivate: true };
	if (status === "complained")
		return {
			...{ RecordType: "SpamComplaint", ...base, ID: ordinal, Type: "SpamComplaint", TypeCode: 512 },
			...{ Name: "Spam complaint", ...email, ...flags },
		};
	const bounce = bounces[status];
	if (bounce === undefined) return undefined;
	const [Type, TypeCode, Name] = bounce;
	return { RecordType: "Bounce", ...base, ID: ordinal, Type, TypeCode, Name, ...email, ...flags };
}
