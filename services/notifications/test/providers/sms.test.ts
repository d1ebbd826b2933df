import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { WebhookRefused } from "../../src/provider.ts";
import { africastalking } from "../../src/providers/adapters/africastalking.ts";
import { twilio } from "../../src/providers/adapters/twilio.ts";

// Requests and responses have the shapes of the vendors' public documentation: developers.africastalking.com
// (Send SMS, Delivery reports) and twilio.com/docs (Message resource, status callbacks, security, errors).

type Seen = { line: string; headers: IncomingMessage["headers"]; form: Record<string, string> };
let seen: Seen[] = [];
let respond: (response: ServerResponse) => void = (response) => void response.end();
const vendor = createServer(async (request, response) => {
	const form = Object.fromEntries(new URLSearchParams(await text(request)));
	seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, form });
	respond(response);
});
vendor.listen(0, "127.0.0.1");
await once(vendor, "listening");
const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
afterAll(() => void vendor.close());
beforeEach(() => {
	seen = [];
});

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => {
	respond = (response) => {
		response.writeHead(status, { "content-type": "application/json", ...headers });
		response.end(typeof body === "string" ? body : JSON.stringify(body));
	};
};
const call = (timeoutMs = 3_000) => ({ deliveryId, tenantId, signal: AbortSignal.timeout(timeoutMs) });
const deliveryId = "0197a1b2-0000-7000-8000-000000000001";
const tenantId = "0197a1b2-0000-7000-8000-00000000000a";
const sms = { channel: "sms", to: "+254712345678", text: "Habari", segments: 1 } as const;
const base = {
	id: "provider-1",
	owner: "platform",
	inFlightMax: 10,
	baseUrl,
	connection: undefined,
} as const;

const at = { ...base, credentials: { username: "lango", apiKey: "atsk_secret", senderId: "LANGO" } };
const atAnswer = (...Recipients: object[]) => ({
	SMSMessageData: { Message: "Sent to 1/1 Total Cost: KES 0.8000", Recipients },
});
const atRecipient = (statusCode: number, messageId = "ATXid_1") =>
	atAnswer({ statusCode, number: sms.to, status: "any", cost: "KES 0.8000", messageId });

const tw = {
	...base,
	credentials: { accountSid: `AC${"0".repeat(32)}`, authToken: "token-1", from: "+15005550006" },
	webhookUrl: "https://notifications.lango.example/webhooks/provider-1?token=abc",
};
const twMessage = { sid: "SM1", status: "queued", error_code: null, error_message: null };
const twError = (code: number) => ({
	code,
	message: "any",
	more_info: "https://www.twilio.com/docs",
	status: 400,
});

describe("africastalking", () => {
	const send = (timeoutMs?: number) => africastalking.send(at, sms, call(timeoutMs));

	test("sends a form with the key in a header, and its message id is the reference", async () => {
		answer(201, atRecipient(101, "ATXid_42"));
		expect(await send()).toEqual({ is: "accepted", ref: "ATXid_42" });
		expect(seen).toMatchObject([
			{
				line: "POST /version1/messaging",
				headers: { apikey: "atsk_secret", "content-type": "application/x-www-form-urlencoded" },
				form: { username: "lango", to: sms.to, message: "Habari", from: "LANGO" },
			},
		]);
	});

	test.for<[string, number, unknown, object]>([
		["an invalid number is final and bad", 201, atRecipient(403), { mayRetry: false, isAddressBad: true }],
		["a blocked number is final, not bad", 201, atRecipient(406), { mayRetry: false, code: "at_406" }],
		["no credit at the vendor may be retried", 201, atRecipient(405), { mayRetry: true, code: "at_405" }],
		["no recipient at all may be retried", 201, atAnswer(), { mayRetry: true, code: "at_no_recipient" }],
		[
			"wrong credentials are the provider's fault",
			401,
			"The supplied authentication is invalid",
			{ isUnreachable: true },
		],
		[
			"too many requests wait as asked, and do not count as a failure",
			429,
			"Too many requests",
			{ mayRetry: true, code: "http_429", isUnreachable: true, afterSeconds: 7 },
		],
		["5xx is an unknown outcome", 502, "Bad gateway", { is: "unknown", code: "http_502" }],
		["an unreadable success is an unknown outcome", 201, "<html>", { is: "unknown" }],
	])("%s", async ([, status, body, outcome]) => {
		answer(status, body, { "retry-after": "7" });
		expect(await send()).toMatchObject({ is: "refused", ...outcome });
	});

	test("reports: a success is delivered, an absent subscriber undelivered, an unknown user a bad number", () => {
		const read = (form: Record<string, string>) =>
			africastalking.readReports?.(at, {
				...{ url: "https://x.example", query: {}, headers: {} },
				body: Buffer.from(new URLSearchParams(form).toString()),
			});
		expect(read({ id: "ATXid_1", status: "Success", phoneNumber: sms.to })).toMatchObject([
			{ kind: "delivered", ref: "ATXid_1", eventKey: "ATXid_1 Success" },
		]);
		expect(read({ id: "ATXid_1", status: "Failed", failureReason: "UserDoesNotExist" })).toMatchObject([
			{ kind: "undelivered", isAddressBad: true, code: "UserDoesNotExist" },
		]);
		expect(read({ id: "ATXid_1", status: "Buffered" })).toEqual([]);
		expect(() => read({ status: "Success" })).toThrow(WebhookRefused);
	});
});

describe("twilio", () => {
	test("sends a form with basic authentication, and its callback names our delivery", async () => {
		answer(201, twMessage);
		expect(await twilio.send(tw, sms, call())).toEqual({ is: "accepted", ref: "SM1" });
		const { accountSid } = tw.credentials;
		expect(seen).toMatchObject([
			{
				line: `POST /2010-04-01/Accounts/${accountSid}/Messages.json`,
				headers: { authorization: `Basic ${Buffer.from(`${accountSid}:token-1`).toString("base64")}` },
				form: {
					...{ To: sms.to, From: "+15005550006", Body: "Habari" },
					StatusCallback: `${tw.webhookUrl}&delivery=${deliveryId}&tenant=${tenantId}`,
				},
			},
		]);
	});

	test("a WhatsApp message names the approved template and its values by number", async () => {
		answer(201, twMessage);
		const template = { name: `HX${"1".repeat(32)}`, locale: "en", values: ["Asha", "Ripoti"] };
		const message = { channel: "whatsapp", to: sms.to, text: "Habari", template } as const;
		expect(await twilio.send(tw, message, call())).toMatchObject({ is: "accepted" });
		expect(seen[0]?.form).toMatchObject({
			...{ To: `whatsapp:${sms.to}`, From: "whatsapp:+15005550006", ContentSid: template.name },
			ContentVariables: '{"1":"Asha","2":"Ripoti"}',
		});
	});

	test.for<[string, number, unknown, object]>([
		["an invalid number is final and bad", 400, twError(21211), { mayRetry: false, isAddressBad: true }],
		[
			"a recipient who unsubscribed is final, not bad",
			400,
			twError(21610),
			{ mayRetry: false, code: "twilio_21610" },
		],
		[
			"wrong credentials are the provider's fault",
			401,
			{ code: 20003 },
			{ isUnreachable: true, code: "twilio_20003" },
		],
		["too many requests wait as asked", 429, { code: 20429 }, { isUnreachable: true, afterSeconds: 7 }],
		[
			"a message that failed at once is refused",
			201,
			{ ...twMessage, status: "failed", error_code: 30006 },
			{ isAddressBad: true },
		],
		["5xx is an unknown outcome", 503, "", { is: "unknown" }],
	])("%s", async ([, status, body, outcome]) => {
		answer(status, body, { "retry-after": "7" });
		expect(await twilio.send(tw, sms, call())).toMatchObject({ is: "refused", ...outcome });
	});

	const calledAt = new Date("2026-11-24T08:00:00.400Z");
	const listed = (sid: string, more: object = {}) => ({
		...{ ...twMessage, sid, body: "Habari", date_created: "Tue, 24 Nov 2026 08:00:00 +0000" },
		...{ status: "delivered", ...more },
	});
	const lookUp = (messages: object[], next_page_uri: string | null = null) => {
		answer(200, { messages, next_page_uri });
		const isText = (text: string) => text === "Habari";
		return twilio.lookUp?.(tw, { deliveryId, channel: "sms", to: sms.to, calledAt, isText }, call());
	};
	const earlier = { date_created: "Tue, 24 Nov 2026 07:59:50 +0000" };

	test("a message whose call had no answer is looked up by its phone, its text and the time of the call", async () => {
		const others = [listed("SM2", { body: "Kwaheri" }), listed("SM3", earlier)];
		expect(await lookUp([listed("SM1"), ...others])).toMatchObject({ kind: "delivered", ref: "SM1" });
		const { accountSid } = tw.credentials;
		const query = "To=%2B254712345678&DateSent%3E=2026-11-24&PageSize=20";
		expect(seen.map(({ line }) => line)).toEqual([
			`GET /2010-04-01/Accounts/${accountSid}/Messages.json?${query}`,
		]);
		const failed = listed("SM1", { status: "undelivered", error_code: 30005 });
		expect(await lookUp([failed])).toMatchObject({ kind: "undelivered", code: "twilio_30005" });
		expect(await lookUp([listed("SM1", { status: "queued" })])).toMatchObject({ kind: "sent", ref: "SM1" });
		expect(await lookUp([listed("SM1"), listed("SM3", earlier)], "/next")).toMatchObject({ ref: "SM1" });
	});

	test.for<[string, object[], string | null]>([
		["another text", [listed("SM1", { body: "Habari!" })], null],
		["only messages of before the call", [listed("SM1", earlier)], null],
		["two messages that it could be", [listed("SM1"), listed("SM2")], null],
		["more messages than the page has", [listed("SM1")], "/next"],
		["no list", [], null],
	])("a look-up finds nothing where the provider has %s", async ([, messages, next]) => {
		expect(await lookUp(messages, next)).toBeUndefined();
	});

	test("a look-up that is refused finds nothing", async () => {
		const asked = lookUp([listed("SM1")]);
		answer(401, { code: 20003 });
		expect(await asked).toBeUndefined();
	});

	const url = `${tw.webhookUrl}&delivery=${deliveryId}&tenant=${tenantId}`;
	const form = { MessageSid: "SM1", MessageStatus: "delivered", To: sms.to };
	const signed = (authToken: string, changes: Record<string, string> = {}) => {
		const sorted = Object.entries(form).toSorted(([left], [right]) => (left < right ? -1 : 1));
		const signature = createHmac("sha1", authToken)
			.update(url + sorted.flat().join(""))
			.digest("base64");
		return twilio.readReports?.(tw, {
			...{
				url,
				query: { token: "abc", delivery: deliveryId, tenant: tenantId },
				headers: { "x-twilio-signature": signature },
			},
			body: Buffer.from(new URLSearchParams({ ...form, ...changes }).toString()),
		});
	};

	test("a signed callback is a report about our delivery", () => {
		expect(signed("token-1")).toEqual([
			{ eventKey: "SM1 delivered", kind: "delivered", ref: "SM1", deliveryId, tenantId },
		]);
	});

	test("a callback that is signed with another token, or was changed, is refused", () => {
		expect(() => signed("token-2")).toThrow(WebhookRefused);
		expect(() => signed("token-1", { MessageStatus: "failed" })).toThrow(WebhookRefused);
	});
});

describe("a request over HTTP", () => {
	const send = (url: string, timeoutMs = 3_000) =>
		africastalking.send({ ...at, baseUrl: url }, sms, call(timeoutMs));

	test("to a closed port was not sent", async () => {
		const other = createTcpServer().listen(0, "127.0.0.1");
		await once(other, "listening");
		const { port } = other.address() as AddressInfo;
		other.close();
		await once(other, "close");
		expect(await send(`http://127.0.0.1:${port}`)).toEqual({
			...{ is: "refused", mayRetry: true, code: "econnrefused", isUnreachable: true },
		});
	});

	test("without a response before the deadline has an unknown outcome", async () => {
		respond = () => {};
		expect(await send(baseUrl, 200)).toEqual({ is: "unknown", code: "etimedout" });
	});

	test("whose connection is reset after it was sent has an unknown outcome", async () => {
		respond = (response) => void response.socket?.resetAndDestroy();
		expect(await send(baseUrl)).toMatchObject({ is: "unknown", code: "econnreset" });
	});

	test("reads at most 64 KB of the response", async () => {
		answer(201, "x".repeat(70_000));
		expect(await send(baseUrl)).toEqual({ is: "unknown", code: "answer_too_large" });
	});

	test("does not follow a redirect", async () => {
		answer(307, "", { location: `${baseUrl}/elsewhere` });
		expect(await send(baseUrl)).toMatchObject({ is: "refused", code: "http_307" });
		expect(seen).toHaveLength(1);
	});
});
