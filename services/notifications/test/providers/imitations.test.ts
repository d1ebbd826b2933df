import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Outcome } from "../../src/provider.ts";
import { africastalking } from "../../src/providers/adapters/africastalking.ts";
import { fcm } from "../../src/providers/adapters/fcm.ts";
import { postmark } from "../../src/providers/adapters/postmark.ts";
import { smtp } from "../../src/providers/adapters/smtp.ts";
import { twilio } from "../../src/providers/adapters/twilio.ts";
import { whatsappCloud } from "../../src/providers/adapters/whatsapp-cloud.ts";
import { call, type Imitations, mail, openImitations, push, sms, whatsapp } from "./imitations.ts";

// The adapters against the sandbox's imitations of the vendors.

let vendors: Imitations;
beforeAll(async () => {
	vendors = await openImitations();
});
afterAll(() => vendors.close());
beforeEach(() => vendors.reset());

type Send = (to?: string, timeoutMs?: number) => Promise<Outcome>;
/** The mailbox that behaves as the phone number does. */
const mailbox = (to = "") =>
	({ "0003": "slow@sandbox.example", "0004": "temporary@sandbox.example" })[to.slice(-4)];

/** Each way to send, as one call. */
const toPhones: ReadonlyArray<readonly [kind: string, channel: string, send: Send]> = [
	["africastalking", "sms", (to, ms) => africastalking.send(vendors.at(), sms(to), call(ms))],
	["twilio", "sms", (to, ms) => twilio.send(vendors.tw(), sms(to), call(ms))],
	["twilio", "whatsapp", (to, ms) => twilio.send(vendors.tw(), whatsapp(to), call(ms))],
	["whatsapp_cloud", "whatsapp", (to, ms) => whatsappCloud.send(vendors.wa(), whatsapp(to), call(ms))],
	["postmark", "email", (to, ms) => postmark.send(vendors.pm(), mail(mailbox(to)), call(ms))],
];
const toDevices: typeof toPhones = [["fcm", "push", (to, ms) => fcm.send(vendors.fc(), push(to), call(ms))]];
const toMailServers: typeof toPhones = [
	["smtp", "email", (to, ms) => smtp.send(vendors.ms(), mail(mailbox(to)), call(ms))],
];
/** FCM has asked for a token first, and SMTP for the sender: neither was given the message. */
const isAskedFirst = new Set(["fcm", "smtp"]);

describe.each([...toPhones, ...toDevices, ...toMailServers])("%s, %s", (kind, _channel, send) => {
	test("while it is out of service nothing is accepted, and after that a message is", async () => {
		await vendors.fault(kind, { down: true });
		const unreached = { is: "refused", mayRetry: true, isUnreachable: true };
		expect(await send()).toMatchObject(
			isAskedFirst.has(kind) ? unreached : { is: "unknown", code: "http_503" },
		);
		await vendors.control("PUT /control/faults", []);
		expect(await send()).toMatchObject({ is: "accepted" });
		const taken = (await vendors.truth()).filter(
			({ outcome }: { outcome: string }) => outcome === "accepted",
		);
		expect(taken).toHaveLength(1);
	});

	test("an answer after a delay counts, and one after the deadline leaves the outcome unknown", async () => {
		await vendors.fault(kind, { delay: { ms: 400 } });
		expect(await send()).toMatchObject({ is: "accepted" });
		expect(await send(undefined, 200)).toMatchObject({ is: "unknown" });
		// A mail server gives a mail up whose client has left.
		const taken = Array(kind === "smtp" ? 1 : 2).fill({ outcome: "accepted" });
		await expect.poll(() => vendors.truth()).toMatchObject(taken);
	});
});

describe.each([...toPhones, ...toDevices])("%s, %s", (kind, _channel, send) => {
	test("too many requests wait as asked", async () => {
		await vendors.fault(kind, { refuse: { status: 429, after: 7 } });
		expect(await send()).toMatchObject({
			...{ is: "refused", mayRetry: true, isUnreachable: true, afterSeconds: 7 },
		});
	});
});

describe.each([...toPhones, ...toDevices])("%s, %s", (kind, channel, send) => {
	test("a message is accepted, and the ground truth has it under the reference", async () => {
		const outcome = await send();
		expect(outcome).toEqual({ is: "accepted", ref: expect.any(String) });
		const { ref } = outcome as { ref: string };
		expect(await vendors.truth()).toMatchObject([
			{ kind, channel, outcome: "accepted", answered: true, provider_id: ref, text: "Habari" },
		]);
	});

	test("a connection that is reset or silent after the request has an unknown outcome", async () => {
		await vendors.fault(kind, { accept_then_reset: true });
		expect(await send()).toMatchObject({ is: "unknown" });
		await vendors.fault(kind, { hang: true });
		expect(await send(undefined, 200)).toMatchObject({ is: "unknown" });
		await vendors.fault(kind, { reset: true });
		expect(await send()).toMatchObject({ is: "unknown" });
		expect((await vendors.truth()).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
			...["accepted", "dropped", "dropped"],
		]);
	});
});

describe.each(toPhones)("%s, %s", (_kind, _channel, send) => {
	test("a slow answer is an answer", async () => {
		expect(await send("+254712340003")).toMatchObject({ is: "accepted" });
	});

	test("a recipient that is refused for the moment may be tried again", async () => {
		expect(await send("+254712340004")).toMatchObject({ is: "refused", mayRetry: true });
	});
});

test("a check of a provider that is out of service is refused", async () => {
	await vendors.fault("africastalking", { down: true });
	expect(await africastalking.check(vendors.at(), call())).toMatchObject({ is: "refused", code: "http_503" });
});
