import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fcm } from "../../src/providers/adapters/fcm.ts";
import { postmark } from "../../src/providers/adapters/postmark.ts";
import { whatsappCloud } from "../../src/providers/adapters/whatsapp-cloud.ts";
import {
	call,
	deliveryId,
	type Imitations,
	mail,
	openImitations,
	push,
	tenantId,
	whatsapp,
} from "./imitations.ts";

// The adapters against the sandbox's imitations of the vendors.

let vendors: Imitations;
beforeAll(async () => {
	vendors = await openImitations();
});
afterAll(() => vendors.close());
beforeEach(() => vendors.reset());

const readPostmark = () => vendors.reports((webhook) => postmark.readReports?.(vendors.pm(), webhook) ?? []);
const readWhatsapp = () =>
	vendors.reports((webhook) => whatsappCloud.readReports?.(vendors.wa(), webhook) ?? []);

describe("postmark", () => {
	test("a mail has our Message-ID, our id and both unsubscribe headers", async () => {
		await postmark.send(vendors.pm(), mail(), call());
		const [item] = await vendors.truth();
		const messageId = `<${deliveryId}@lango.example>`;
		expect(item).toMatchObject({ delivery_id: deliveryId, message_id: messageId, subject: "Ripoti" });
		const { headers, tenant } = await vendors.control(`GET /api/messages/${item.id}`);
		expect(tenant).toBe('Kahawa "Bora"');
		expect(headers).toEqual(
			expect.arrayContaining([
				["List-Unsubscribe", "<https://lango.example/public/unsubscribe?t=abc>"],
				["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
				["X-PM-KeepID", "true"],
			]),
		);
	});

	test("a delivery is reported", async () => {
		const { ref } = (await postmark.send(vendors.pm(), mail(), call())) as { ref: string };
		await expect.poll(() => readPostmark()).toMatchObject([{ kind: "delivered", ref, deliveryId, tenantId }]);
	});

	test.each([
		["bounce@sandbox.example", { kind: "bounced", isAddressBad: true, code: "postmark_HardBounce" }],
		["complaint@sandbox.example", { kind: "complained" }],
	])("%s is reported as such", async (to, report) => {
		await postmark.send(vendors.pm(), mail(to), call());
		await expect.poll(() => readPostmark().at(-1)).toMatchObject({ ...report, deliveryId, tenantId });
	});

	test("wrong credentials are the provider's fault, and a webhook with a wrong password is refused", async () => {
		const wrong = { is: "refused", isUnreachable: true };
		expect(await postmark.send(vendors.pm("invalid"), mail(), call())).toMatchObject(wrong);
		expect(await postmark.check(vendors.pm("invalid"), call())).toMatchObject(wrong);
		expect(await postmark.check(vendors.pm(), call())).toEqual({ is: "accepted" });
		await vendors.fault("postmark", { report: { wrong_signature: true } });
		await postmark.send(vendors.pm(), mail(), call());
		await expect.poll(() => vendors.webhooks.length).toBe(1);
		expect(() => readPostmark()).toThrow("password");
	});
});

describe("whatsapp_cloud", () => {
	test("its signed webhooks name our delivery", async () => {
		await vendors.fault("whatsapp_cloud", { report: { status: "read" } });
		const { ref } = (await whatsappCloud.send(vendors.wa(), whatsapp(), call())) as { ref: string };
		await expect.poll(() => vendors.webhooks.length).toBe(3);
		expect(readWhatsapp()).toMatchObject(
			["sent", "delivered", "read"].map((kind) => ({
				eventKey: `${ref} ${kind}`,
				kind,
				ref,
				deliveryId,
				tenantId,
			})),
		);
	});

	test("a template is sent by name, its values without line breaks", async () => {
		const template = { name: "report_ready", locale: "sw-KE", values: ["Asha", "Mstari\nwa pili"] };
		await whatsappCloud.send(vendors.wa(), { ...whatsapp(), template }, call());
		expect(await vendors.truth()).toMatchObject([{ text: "report_ready (sw_KE) Asha · Mstari wa pili" }]);
	});

	test("a number without WhatsApp is reported as bad", async () => {
		await whatsappCloud.send(vendors.wa(), whatsapp("+254712340001"), call());
		await expect
			.poll(() => readWhatsapp().at(-1))
			.toMatchObject({ kind: "undelivered", code: "whatsapp_131026", isAddressBad: true });
	});

	test("wrong credentials are the provider's fault, and a wrong signature is refused", async () => {
		const wrong = { is: "refused", isUnreachable: true };
		expect(await whatsappCloud.send(vendors.wa("invalid"), whatsapp(), call())).toMatchObject(wrong);
		expect(await whatsappCloud.check(vendors.wa("invalid"), call())).toMatchObject(wrong);
		expect(await whatsappCloud.check(vendors.wa(), call())).toEqual({ is: "accepted" });
		await vendors.fault("whatsapp_cloud", { report: { status: "sent", wrong_signature: true } });
		await whatsappCloud.send(vendors.wa(), whatsapp(), call());
		await expect.poll(() => vendors.webhooks.length).toBe(1);
		expect(() => readWhatsapp()).toThrow("signature");
	});
});

describe("fcm", () => {
	test("a token that is no longer registered is bad", async () => {
		expect(await fcm.send(vendors.fc(), push("unregistered-1"), call())).toEqual({
			...{ is: "refused", mayRetry: false, code: "fcm_unregistered", isAddressBad: true },
		});
	});

	test("a notification has our id, and its title and text are in the ground truth", async () => {
		await fcm.send(vendors.fc(), push(), call());
		expect(await vendors.truth()).toMatchObject([
			{ delivery_id: deliveryId, address: "device-1", subject: "Ripoti", text: "Habari", channel: "push" },
		]);
	});

	test.each([
		["an account that the token server refuses", { clientEmail: "invalid@x.example" }, "token_http_400"],
		["a key that is not valid", { privateKey: "none" }, "key_invalid"],
	])("%s is the provider's fault: nothing was sent", async (_title, changes, code) => {
		const wrong = { is: "refused", mayRetry: true, code, isUnreachable: true };
		expect(await fcm.send(vendors.fc(changes), push(), call())).toEqual(wrong);
		expect(await fcm.check(vendors.fc(changes), call())).toEqual(wrong);
		expect(await vendors.truth()).toEqual([]);
	});

	test("a check sends nothing", async () => {
		expect(await fcm.check(vendors.fc(), call())).toEqual({ is: "accepted" });
		expect(await vendors.truth()).toEqual([]);
	});

	test("a token that ran out early is replaced at the next message", async () => {
		const account = vendors.fc();
		expect(await fcm.send(account, push(), call())).toMatchObject({ is: "accepted" });
		const later = new Date(Date.now() + 7_200_000).toISOString();
		await vendors.control("PUT /control/clock", { now: later });
		try {
			expect(await fcm.send(account, push(), call())).toMatchObject({
				code: "http_401",
				isUnreachable: true,
			});
			expect(await fcm.send(account, push(), call())).toMatchObject({ is: "accepted" });
		} finally {
			await vendors.control("PUT /control/clock", { now: null });
		}
	});
});
