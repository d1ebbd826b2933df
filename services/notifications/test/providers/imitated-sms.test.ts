import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { africastalking } from "../../src/providers/adapters/africastalking.ts";
import { twilio } from "../../src/providers/adapters/twilio.ts";
import { call, deliveryId, type Imitations, openImitations, sms, tenantId, whatsapp } from "./imitations.ts";

// The adapters against the sandbox's imitations of the vendors.

let vendors: Imitations;
beforeAll(async () => {
	vendors = await openImitations();
});
afterAll(() => vendors.close());
beforeEach(() => vendors.reset());

describe("africastalking", () => {
	test("a number that does not exist is bad, one that opted out is final", async () => {
		expect(await africastalking.send(vendors.at(), sms("+254712340001"), call())).toMatchObject({
			...{ is: "refused", code: "at_403", isAddressBad: true },
		});
		expect(await africastalking.send(vendors.at(), sms("+254712340002"), call())).toEqual({
			...{ is: "refused", code: "at_406", mayRetry: false },
		});
	});

	test("wrong credentials are the provider's fault, at a message and at a check", async () => {
		const wrong = { is: "refused", code: "http_401", isUnreachable: true };
		expect(await africastalking.send(vendors.at("invalid"), sms(), call())).toMatchObject(wrong);
		expect(await africastalking.check(vendors.at("invalid"), call())).toMatchObject(wrong);
		expect(await africastalking.check(vendors.at(), call())).toEqual({ is: "accepted" });
	});

	test("its report names the reference and the reason", async () => {
		await vendors.fault("africastalking", { report: { status: "bounced" } });
		const { ref } = (await africastalking.send(vendors.at(), sms(), call())) as { ref: string };
		await expect.poll(() => vendors.webhooks.length).toBe(1);
		expect(vendors.webhooks[0]?.query).toEqual({ token: "abc" });
		expect(vendors.reports((webhook) => africastalking.readReports?.(vendors.at(), webhook) ?? [])).toEqual([
			{
				...{ eventKey: `${ref} Failed`, kind: "undelivered", ref },
				...{ code: "UserDoesNotExist", isAddressBad: true },
			},
		]);
	});
});

const isHabari = (text: string) => text === "Habari";

describe("twilio", () => {
	const read = () => vendors.reports((webhook) => twilio.readReports?.(vendors.tw(), webhook) ?? []);

	test("a number that does not exist is bad, one that opted out is final", async () => {
		expect(await twilio.send(vendors.tw(), sms("+254712340001"), call())).toMatchObject({
			...{ is: "refused", code: "twilio_21211", isAddressBad: true },
		});
		expect(await twilio.send(vendors.tw(), sms("+254712340002"), call())).toEqual({
			...{ is: "refused", code: "twilio_21610", mayRetry: false },
		});
	});

	test("wrong credentials are the provider's fault, at a message and at a check", async () => {
		const wrong = { is: "refused", code: "twilio_20003", isUnreachable: true };
		expect(await twilio.send(vendors.tw("invalid"), sms(), call())).toMatchObject(wrong);
		expect(await twilio.check(vendors.tw("invalid"), call())).toMatchObject({ isUnreachable: true });
		expect(await twilio.check(vendors.tw(), call())).toEqual({ is: "accepted" });
	});

	test("its signed callbacks name our delivery, and a look-up agrees with them", async () => {
		await vendors.control("PUT /control/faults", [
			{ kind: "twilio", match: { address: "whatsapp:+254712345678" }, do: { report: { status: "read" } } },
		]);
		const { ref } = (await twilio.send(vendors.tw(), whatsapp(), call())) as { ref: string };
		await expect.poll(() => vendors.webhooks.length).toBe(3);
		expect(read()).toEqual(
			["sent", "delivered", "read"].map((kind) => ({
				eventKey: `${ref} ${kind}`,
				kind,
				ref,
				deliveryId,
				tenantId,
			})),
		);
		const sought = { ...{ deliveryId, to: "+254712345678", calledAt: new Date() }, isText: isHabari };
		const lookUp = (channel: "sms" | "whatsapp") =>
			twilio.lookUp?.(vendors.tw(), { ...sought, channel }, call());
		await expect.poll(() => lookUp("whatsapp")).toMatchObject({ kind: "read", ref });
		expect(await lookUp("sms")).toBeUndefined();
		expect(await vendors.truth()).toMatchObject([{ delivery_id: deliveryId, channel: "whatsapp" }]);
	});

	test("an approved template is named by the id that Twilio gave it; another name is refused", async () => {
		const withTemplate = (name: string) =>
			twilio.send(
				vendors.tw(),
				{ ...whatsapp(), template: { name, locale: "en", values: ["Asha"] } },
				call(),
			);
		expect(await withTemplate(`HX${"0a".repeat(16)}`)).toMatchObject({ is: "accepted" });
		expect(await withTemplate("visits_ticket")).toMatchObject({
			...{ is: "refused", mayRetry: false, code: "twilio_21655" },
		});
	});

	test("a recipient without WhatsApp is reported as bad", async () => {
		await twilio.send(vendors.tw(), whatsapp("+254712340001"), call());
		await expect.poll(() => read().at(-1)).toMatchObject({ code: "twilio_63003", isAddressBad: true });
	});

	test("a callback with a wrong signature is refused", async () => {
		await vendors.fault("twilio", { report: { status: "sent", wrong_signature: true } });
		await twilio.send(vendors.tw(), sms(), call());
		await expect.poll(() => vendors.webhooks.length).toBeGreaterThan(0);
		expect(() => read()).toThrow("signature");
	});
});
