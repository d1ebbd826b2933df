import { createHmac } from "node:crypto";
import { readBasic } from "@lango/sandbox-base";
import { specialOf } from "../faults/special-recipients.ts";
import type { Letter, ReportStatus } from "../record/arrival.ts";
import { deliveryIdIn } from "../record/delivery-id.ts";
import { countSegments } from "../record/text.ts";
import type { Sandbox } from "../sandbox.ts";
import {
	isTaken,
	isWrong,
	shortLetter,
	type Taken,
	type Vendor,
	type VendorAnswer,
	type VendorReport,
	type VendorRequest,
} from "./vendor.ts";

/** Codes of twilio.com/docs/api/errors. */
const messages: Readonly<Record<number, string>> = {
	20003: "Authenticate",
	20429: "Too Many Requests",
	21211: "Invalid 'To' Phone Number",
	21408: "Permission to send an SMS has not been enabled for the region indicated by the 'To' number",
	21602: "Message body is required",
	21604: "A 'To' phone number is required",
	21610: "Attempt to send to unsubscribed recipient",
	21655: "The ContentSid is Invalid",
	21614: "'To' number is not a valid mobile number",
};
const version = "2010-04-01";

/**
 * SMS and WhatsApp by Twilio (twilio.com/docs/messaging/api/message-resource,
 * …/track-outbound-message-status, …/usage/security). The status callback of the request is signed with the
 * auth token of the request.
 */
export const twilio: Vendor = {
	kind: "twilio",
	send: `/${version}/Accounts/:account/Messages.json`,
	lastStatus: "delivered",
	read(request) {
		const form = new URLSearchParams(request.body);
		const login = loginOf(request);
		if (login === undefined) return { status: 401, code: 20003 };
		const to = form.get("To");
		const text = form.get("Body") ?? templateOf(form);
		if (!to) return { status: 400, code: 21604 };
		if (!text) return { status: 400, code: 21602 };
		if (!isContent(form.get("ContentSid"))) return { status: 400, code: 21655 };
		const callback = form.get("StatusCallback") ?? undefined;
		const letter = shortLetter({
			channel: to.startsWith("whatsapp:") ? "whatsapp" : "sms",
			deliveryId: deliveryIdIn([queryOf(callback)]),
			from: form.get("From") ?? form.get("MessagingServiceSid"),
			...{ to: [to], text, source: `${request.line}\n\n${request.body}` },
		});
		const reportTo = callback === undefined ? undefined : { url: callback, secret: login.password };
		return { letter, account: login.name, reportTo };
	},
	accept({ letter, account }, { ids, ordinal, clock }) {
		const providerId = `SM${ids.hex(ordinal, "message", 32)}`;
		const message = { sid: providerId, account, letter, at: clock.now(), status: "queued" };
		return { providerId, answer: { status: 201, body: resourceOf(message) } };
	},
	refuse: ({ status, code }) => errorOf(status, Number(code ?? 20_000 + status)),
	specials: (channel) =>
		channel === "whatsapp"
			? { ...waiting, bounce: { report: { status: "bounced" } }, complaint: refusal(21610) }
			: { ...waiting, bounce: refusal(21211), complaint: refusal(21610) },
	report(report) {
		const { taken, to, status } = report;
		const form = callbackOf(report);
		const sorted = Object.entries(form).toSorted(([left], [right]) => (left < right ? -1 : 1));
		const signature = createHmac("sha1", to.secret ?? "")
			.update(to.url + sorted.flat().join(""), "utf8")
			.digest("base64");
		if (status === "read" && taken.letter.channel === "sms") return undefined;
		return {
			headers: {
				"content-type": "application/x-www-form-urlencoded",
				"x-twilio-signature": signature,
				"user-agent": "TwilioProxy/1.1",
			},
			body: new URLSearchParams(form).toString(),
		};
	},
	others: [
		{
			method: "GET",
			path: `/${version}/Accounts/:account/Messages.json`,
			answer: (request, sandbox) =>
				loginOf(request) === undefined
					? errorOf(401, 20003)
					: { status: 200, body: listOf(request, sandbox) },
		},
		{
			method: "GET",
			path: `/${version}/Accounts/:account`,
			answer: (request) => {
				const sid = withoutSuffix(request.params["account"]);
				if (loginOf(request)?.name !== sid) return errorOf(401, 20003);
				return { status: 200, body: { sid, friendly_name: "Sandbox", status: "active", type: "Full" } };
			},
		},
	],
};

const refusal = (code: number) => ({ refuse: { status: 400, code } });
const waiting = { temporary: { refuse: { status: 429, code: 20429, after: 1 } } };
const withoutSuffix = (name = "") => name.replace(/\.json$/, "");

/** The account of the path must be the one that signs in. */
function loginOf({ headers, params }: VendorRequest) {
	const login = readBasic(headers);
	if (login === undefined || isWrong(login.password)) return undefined;
	return login.name === withoutSuffix(params["account"]) ? login : undefined;
}

/** A template that the vendor approved, with its values: the vendor knows its text, the sandbox does not. */
function templateOf(form: URLSearchParams): string | null {
	const [name, values] = [form.get("ContentSid"), form.get("ContentVariables")];
	return name === null ? null : `${name} ${values ?? ""}`.trim();
}

const isContent = (sid: string | null) => sid === null || /^HX[0-9a-f]{32}$/.test(sid);

const queryOf = (url: string | undefined) =>
	url !== undefined && URL.canParse(url) ? new URL(url).search : undefined;

const errorOf = (status: number, code: number): VendorAnswer => ({
	status,
	body: {
		...{ code, message: messages[code] ?? `Error ${code}`, status },
		more_info: `https://www.twilio.com/docs/errors/${code}`,
	},
});

function resourceOf({
	sid,
	account,
	letter,
	at,
	status,
	code = null,
}: {
	sid: string;
	account: string;
	letter: Letter;
	at: Date;
	status: string;
	code?: number | null;
}) {
	const uri = `/${version}/Accounts/${account}/Messages/${sid}`;
	return {
		...{ sid, account_sid: account, api_version: version, body: letter.text, direction: "outbound-api" },
		...{ date_created: at.toUTCString(), date_updated: at.toUTCString(), date_sent: null },
		...{ error_code: code, error_message: code === null ? null : `Error ${code}` },
		...{ from: letter.from, to: letter.to[0], messaging_service_sid: null, num_media: "0" },
		num_segments: String(countSegments(letter.text ?? "").segments),
		...{ price: null, price_unit: "USD", status, uri: `${uri}.json` },
		subresource_uris: { media: `${uri}/Media.json` },
	};
}

const defaultPageSize = 50;

/** Messages to a number since a day in UTC, the newest first. Only the first page is served. */
function listOf({ params, query }: VendorRequest, { records }: Sandbox) {
	const { To: to, PageSize: size = String(defaultPageSize) } = query;
	const since = query["DateSent>"] ?? "";
	const found = records
		.list({ kind: "twilio", outcome: "accepted", to })
		.filter(isTaken)
		.filter(({ account, at }) => account === params["account"] && at.slice(0, 10) >= since);
	const uri = `/${version}/Accounts/${params["account"]}/Messages.json?PageSize=${size}`;
	const messages = found.slice(0, Number(size)).map(shownOf);
	return {
		...{ messages, page: 0, page_size: Number(size), start: 0, end: Math.max(0, messages.length - 1) },
		...{ uri: `${uri}&Page=0`, first_page_uri: `${uri}&Page=0`, previous_page_uri: null },
		next_page_uri: found.length > messages.length ? `${uri}&Page=1` : null,
	};
}

const shownOf = ({ providerId, account, letter, at, state }: Taken) =>
	resourceOf({
		...{ sid: providerId, account: account ?? "", letter, at: new Date(at) },
		status: state === null ? "queued" : words[state],
		code: state === null ? null : codeOf(state, letter),
	});

const words: Readonly<Record<ReportStatus, string>> = {
	sent: "sent",
	delivered: "delivered",
	read: "read",
	undelivered: "undelivered",
	bounced: "undelivered",
	soft_bounced: "undelivered",
	complained: "undelivered",
};

/** Unknown destination, no such recipient, unsubscribed, unreachable. */
function codeOf(status: ReportStatus, { channel, to }: Letter): number | null {
	if (words[status] !== "undelivered") return null;
	if (status === "complained") return 21610;
	const isBad = status === "bounced" || specialOf(to[0] ?? "") === "bounce";
	if (!isBad) return 30003;
	return channel === "whatsapp" ? 63003 : 30005;
}

function callbackOf({ status, taken: { providerId, account, letter } }: VendorReport) {
	const code = codeOf(status, letter);
	return {
		...{ MessageSid: providerId, SmsSid: providerId, AccountSid: account ?? "", ApiVersion: version },
		...{ MessageStatus: words[status], SmsStatus: words[status] },
		...{ To: letter.to[0] ?? "", From: letter.from ?? "" },
		...(letter.channel === "whatsapp" && { ChannelPrefix: "whatsapp" }),
		...(code !== null && { ErrorCode: String(code) }),
	} satisfies Record<string, string>;
}
