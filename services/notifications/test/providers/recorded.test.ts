import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { WebhookRefused } from "../../src/provider.ts";
import { fcm } from "../../src/providers/adapters/fcm.ts";
import { postmark } from "../../src/providers/adapters/postmark.ts";
import { whatsappCloud } from "../../src/providers/adapters/whatsapp-cloud.ts";
import { call, deliveryId, mail, push, tenantId, whatsapp } from "./imitations.ts";

// Responses and webhooks have the shapes of the vendors' public documentation: postmarkapp.com/developer,
// firebase.google.com/docs/reference/fcm/rest/v1, developers.facebook.com/docs/whatsapp/cloud-api.

let seen: Array<{ line: string; body: Record<string, unknown> }> = [];
let next: { status: number; body: unknown } = { status: 200, body: {} };
const vendor = createServer(async (request, response) => {
	seen.push({ line: `${request.method} ${request.url}`, body: JSON.parse(await text(request)) });
	response.writeHead(next.status, { "content-type": "application/json", "retry-after": "7" });
	response.end(JSON.stringify(next.body));
}).listen(0, "127.0.0.1");
await once(vendor, "listening");
afterAll(() => void vendor.close());
const base = {
	...({ id: "provider-1", owner: "platform", inFlightMax: 10, connection: undefined } as const),
	baseUrl: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
};
const answer = (status: number, body: unknown) => {
	seen = [];
	next = { status, body };
};

describe("postmark", () => {
	const account = { ...base, credentials: { serverToken: "token" } };
	const send = () => postmark.send(account, mail(), call());
	const accepted = {
		...{ To: mail().to, SubmittedAt: "2026-11-24T08:00:00.0000000-05:00", ErrorCode: 0, Message: "OK" },
		MessageID: "0a129aee-e1cd-480d-b08d-4f48548ff48d",
	};

	test("sends one mail whose sender's name is quoted, and returns the vendor's id", async () => {
		answer(200, accepted);
		expect(await send()).toEqual({ is: "accepted", ref: accepted.MessageID });
		expect(seen).toMatchObject([
			{
				line: "POST /email",
				body: {
					...{
						From: '"Kahawa \\"Bora\\"" <no-reply@lango.example>',
						To: mail().to,
						MessageStream: "outbound",
					},
					Metadata: { delivery: deliveryId, tenant: tenantId },
				},
			},
		]);
	});

	test("refuses a second recipient before the vendor is called", async () => {
		answer(200, accepted);
		const two = mail("amina@kahawa.example,juma@kahawa.example");
		expect(await postmark.send(account, two, call())).toMatchObject({ code: "message_invalid" });
		expect(seen).toEqual([]);
	});

	test.for<[string, number, number, object]>([
		["an inactive recipient is final", 422, 406, { mayRetry: false, code: "postmark_406" }],
		["an unknown sender may be retried elsewhere", 422, 400, { mayRetry: true, code: "postmark_400" }],
		["too many requests wait as asked", 429, 429, { isUnreachable: true, afterSeconds: 7 }],
		["5xx is an unknown outcome", 500, 0, { is: "unknown", code: "http_500" }],
	])("%s", async ([, status, ErrorCode, outcome]) => {
		answer(status, { ErrorCode, Message: "any" });
		expect(await send()).toMatchObject({ is: "refused", ...outcome });
	});

	test.each<[string, object, object[]]>([
		["HardBounce", { TypeCode: 1 }, [{ kind: "bounced", isAddressBad: true, eventKey: "m-1 Bounce 42" }]],
		["SoftBounce", { TypeCode: 4096 }, [{ kind: "soft_bounced" }]],
		["AutoResponder", { TypeCode: 32 }, []],
	])("a webhook about %s", (Type, more, reports) => {
		const event = {
			...{
				RecordType: "Bounce",
				ID: 42,
				Type,
				MessageID: "m-1",
				Metadata: { delivery: deliveryId, tenant: tenantId },
				...more,
			},
			...{ Email: "john@example.com", BouncedAt: "2019-11-05T16:33:54.9070259Z" },
		};
		const read = postmark.readReports?.(account, {
			...{ url: "https://x.example", query: {}, headers: {} },
			body: Buffer.from(JSON.stringify(event)),
		});
		expect(read).toMatchObject(reports);
		expect(read).toHaveLength(reports.length);
	});
});

describe("fcm", () => {
	const connection = { get: async () => "ya29.token", forget: () => {} };
	const credentials = { projectId: "lango-demo", clientEmail: "push@x.example", privateKey: "unused" };
	const send = () => fcm.send({ ...base, credentials, connection }, push(), call());
	const error = (code: number, status: string, errorCode?: string) => ({
		error: {
			...{ code, message: "Request contains an invalid argument.", status },
			details: errorCode && [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }],
		},
	});

	test("sends to one device, and a later attempt replaces an earlier one", async () => {
		answer(200, { name: "projects/lango-demo/messages/0:1500415314455276%31bd1c9631bd1c96" });
		expect(await send()).toMatchObject({ is: "accepted" });
		expect(seen).toMatchObject([
			{
				line: "POST /v1/projects/lango-demo/messages:send",
				body: {
					message: {
						token: "device-1",
						android: { collapse_key: deliveryId, notification: { tag: deliveryId } },
						apns: { headers: { "apns-collapse-id": deliveryId } },
					},
				},
			},
		]);
	});

	test.for<[string, number, object, object]>([
		["an unregistered token is bad", 404, error(404, "NOT_FOUND", "UNREGISTERED"), { isAddressBad: true }],
		[
			"a malformed token is bad",
			400,
			{ error: { code: 400, message: "The registration token is not a valid FCM registration token" } },
			{ mayRetry: false, isAddressBad: true },
		],
		["another project's token is final", 403, error(403, "", "SENDER_ID_MISMATCH"), { mayRetry: false }],
		["an unknown project is the provider's fault", 404, error(404, "NOT_FOUND"), { isUnreachable: true }],
		["a full quota waits as asked", 429, error(429, "", "QUOTA_EXCEEDED"), { afterSeconds: 7 }],
		["an overloaded server may be retried", 503, error(503, "", "UNAVAILABLE"), { mayRetry: true }],
		["an error of the server is unknown", 500, error(500, "", "INTERNAL"), { is: "unknown" }],
	])("%s", async ([, status, body, outcome]) => {
		answer(status, body);
		expect(await send()).toMatchObject({ is: "refused", ...outcome });
	});
});

describe("whatsapp_cloud", () => {
	const credentials = { phoneNumberId: "106540352242922", accessToken: "t", appSecret: "secret" };
	const account = { ...base, credentials };
	const send = () => whatsappCloud.send(account, whatsapp(), call());
	const error = (code: number) => ({
		error: {
			...{ message: `(#${code}) any`, type: "OAuthException", code, fbtrace_id: "Az8or2yhqkZfEZ-_4Qn_Bam" },
			error_data: { messaging_product: "whatsapp", details: "any" },
		},
	});

	test.for<[string, number, object, object]>([
		["a number without WhatsApp is bad", 400, error(131026), { mayRetry: false, isAddressBad: true }],
		["a template that does not exist is final", 404, error(132001), { mayRetry: false }],
		["too many messages to one number may be retried", 400, error(131056), { mayRetry: true }],
		["a token that expired is the provider's fault", 401, error(190), { isUnreachable: true }],
		["5xx is an unknown outcome", 500, error(131000), { is: "unknown" }],
	])("%s", async ([, status, body, outcome]) => {
		answer(status, body);
		expect(await send()).toMatchObject({ is: "refused", ...outcome });
	});

	const event = (phone_number_id: string) =>
		JSON.stringify({
			object: "whatsapp_business_account",
			entry: [
				{
					id: "102290129340398",
					changes: [
						{
							field: "messages",
							value: {
								messaging_product: "whatsapp",
								metadata: { display_phone_number: "15550783881", phone_number_id },
								statuses: [
									{
										...{
											id: "wamid.1",
											status: "failed",
											timestamp: "1750030073",
											recipient_id: "16505551234",
										},
										...{
											biz_opaque_callback_data: `${deliveryId} ${tenantId}`,
											errors: [{ code: 131026, title: "any" }],
										},
									},
								],
							},
						},
					],
				},
			],
		});
	const read = (body: string, secret = "secret") =>
		whatsappCloud.readReports?.(account, {
			...{ url: "https://x.example", query: {}, body: Buffer.from(body) },
			headers: { "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` },
		});

	test("a signed webhook is a report about our delivery, and those of another number are not ours", () => {
		expect(read(event(credentials.phoneNumberId))).toEqual([
			{
				...{ eventKey: "wamid.1 failed", kind: "undelivered", ref: "wamid.1", deliveryId, tenantId },
				...{ code: "whatsapp_131026", isAddressBad: true, at: new Date(1_750_030_073_000) },
			},
		]);
		expect(read(event("999999999999999"))).toEqual([]);
		expect(() => read(event(credentials.phoneNumberId), "other")).toThrow(WebhookRefused);
	});
});
