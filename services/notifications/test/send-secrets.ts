import { randomUUID } from "node:crypto";
import {
	authEmailVerificationRequested,
	authInvitationCreated,
	authPasswordResetRequested,
	ispSubscriptionActivated,
} from "@lango/contracts";
import { type Needle, testEvent } from "@lango/testkit";
import { expect } from "vitest";
import { greeting, type Office } from "./office.ts";

/** What messages, devices and providers contain that must not be stored or logged in clear. */
export const secrets = {
	"the password of an event": "Pa55-of-an-event",
	"the password of a request": "Pa55-of-a-request",
	"the password of a dead letter": "Pa55-of-a-dead-letter",
	"the code of a request": "K0de-of-a-request",
	"the link of a reset": "token-of-a-reset-link",
	"the link of a verification": "token-of-a-verification-link",
	"the link of an invitation": "token-of-an-invitation-link",
	"the token of a device": `fcm-${randomUUID()}`,
	"the token of a refused device": `unregistered-${randomUUID()}`,
	"the access token of a provider": "EAAG-of-kahawa",
	"the secret of a provider": "app-secret-of-kahawa",
};
/** Addresses of people, which must not be in clear, either. */
export const addresses = {
	"the e-mail address of a customer": "juma.customer@kahawa.example",
	"the phone of a customer": "+254712909090",
	"an address that is refused": "bounce@sandbox.example",
	"a phone that is refused": "+254712900001",
	"the address of a reset": "asha.reset@kahawa.example",
	"a suppressed address": "suppressed.person@kahawa.example",
	"an address that is not valid": "not.an.address@@kahawa.example",
	"a further address": "asha.further@kahawa.example",
};
/** The address of a person who is signed in: the chassis stores it. */
export const ownAddress = "asha.own@kahawa.example";
type Secret = keyof typeof secrets;
type Address = keyof typeof addresses;

/** Puts each of them through the service of kahawa. Returns the secrets that the service made itself. */
export async function sendSecrets(office: Office): Promise<Needle[]> {
	const { kahawa, lango } = office;
	const base = `/api/v1/${kahawa.slug}/notifications`;
	const admin = office.token(kahawa, "admin");
	const ashaId = randomUUID();
	const asha = office.token(kahawa, "member", { sub: ashaId, email: ownAddress });
	const call = async (what: string, body?: unknown, token = admin) => {
		const [method, path] = what.split(" ") as ["POST", string];
		return office.call({ method, url: `${base}${path}`, token, ...(body !== undefined && { body }) });
	};
	const send = (to: readonly string[], more: object) => call("POST /messages", greeting(to, { ...more }));
	const to = (address: Address) => [addresses[address]];
	await call("POST /credits/grants", { segments: 50, reason: "test" }, office.token(lango, "superuser"));
	const credentials = { username: "juma", package_name: "Home 10", package_type: "PPPoE" };
	const activated = { ...credentials, expiry_at: "2026-12-23T00:00:00Z" };
	const ofRequest = { ...activated, customer_name: "Juma", password: secrets["the password of a request"] };
	const template = "isp/subscription_credentials";
	const customer = {
		...{ id: "c-1", name: "Juma", email: addresses["the e-mail address of a customer"] },
		phone: addresses["the phone of a customer"],
	};
	const device = (token: Secret) =>
		call("POST /devices", { platform: "android", token: secrets[token] }, asha);
	const code = { template: "sign_on/verify_contact", data: { code: secrets["the code of a request"] } };
	await requestLinks(office);
	await publishUnusable(office, activated);
	const provider = {
		...{ channel: "whatsapp", kind: "whatsapp_cloud", name: "own" },
		credentials: {
			...{ phoneNumberId: "106540352242922", accessToken: secrets["the access token of a provider"] },
			appSecret: secrets["the secret of a provider"],
		},
	};
	const made = await call("POST /providers", provider);
	const webhook = await call(`POST /providers/${made.body.id}/webhook-token`);
	const further = { channel: "email", address: addresses["a further address"] };
	const answers = [
		made,
		webhook,
		await call("POST /events", {
			...{ id: randomUUID(), type: "isp.subscription.activated", subject: "c-1" },
			data: { ...activated, customer, password: secrets["the password of an event"] },
		}),
		await send(to("the e-mail address of a customer"), { template, data: ofRequest }),
		await send(to("the phone of a customer"), { channel: "sms", ...code }),
		await send(to("an address that is refused"), {}),
		await send(to("a phone that is refused"), { channel: "sms" }),
		await device("the token of a device"),
		await device("the token of a refused device"),
		await call("POST /suppressions", { channel: "email", address: addresses["a suppressed address"] }),
		await send(to("a suppressed address"), {}),
		await call("POST /contact-points", further, asha),
		await call(`GET /messages?address=${encodeURIComponent(addresses["the phone of a customer"])}`),
	];
	expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
	expect((await send([`user:${ashaId}`], { channel: "push" })).status).toBe(202);
	await revealAddress(call);
	expect((await send(to("an address that is not valid"), {})).status).toBe(400);
	await expect
		.poll(async () => {
			await office.jobs.runDue();
			return office.database.db.query("select from link_mails");
		})
		.toEqual([]);
	const token = new URL(String(webhook.body["webhook_url"])).searchParams.get("token");
	if (token === null) throw new Error("the webhook has no token");
	return [{ what: "the token of a webhook", text: token }];
}

/** Sends a mail that can be unsubscribed, and asks for its address in clear. */
async function revealAddress(
	call: (what: string, body?: unknown) => ReturnType<Office["call"]>,
): Promise<void> {
	const address = addresses["the e-mail address of a customer"];
	const sent = await call("POST /messages", greeting([address]));
	const { items } = (await call(`GET /messages/${sent.body.requestId}/deliveries`)).body;
	const revealed = await call(`GET /deliveries/${items[0]?.id}/address`);
	expect(revealed.body["address"]).toBe(address);
}

/** Lets the service send the links of a password reset, a verification and an invitation. */
async function requestLinks({ links, transport, kahawa: tenant }: Office): Promise<void> {
	const subject = randomUUID();
	const expires_at = new Date(Date.now() + 3_600_000).toISOString();
	const linkOf = (secret: Secret) => {
		const link_id = randomUUID();
		links.set(link_id, `https://accounts.lango.example/link#${secrets[secret]}`);
		return { link_id, email: addresses["the address of a reset"], expires_at };
	};
	const person = { user_id: subject, name: "Asha" };
	const reset = { ...linkOf("the link of a reset"), ...person };
	await transport.publish(testEvent(authPasswordResetRequested, { subject, data: reset }));
	const verification = { ...linkOf("the link of a verification"), ...person };
	await transport.publish(testEvent(authEmailVerificationRequested, { subject, data: verification }));
	const invitation = {
		...linkOf("the link of an invitation"),
		...{ tenant_name: tenant.name, roles: ["manager"] },
	};
	await transport.publish(testEvent(authInvitationCreated, { subject, tenant, data: invitation }));
}

/** Publishes an event with a password but without the user's name: it becomes a dead letter. */
async function publishUnusable({ kahawa, transport }: Office, activated: object): Promise<void> {
	const password = secrets["the password of a dead letter"];
	const data = { ...activated, username: undefined, customer: { id: "c-2", name: "Neema" }, password };
	await transport.publish(testEvent(ispSubscriptionActivated, { subject: "c-2", tenant: kahawa, data }));
}
