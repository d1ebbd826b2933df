import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { addItem } from "../src/inbox/inbox.store.ts";
import { greeting, openOffice } from "./office.ts";

// Things that exist in one tenant, called from another one. `access.test.ts` has those that need no person.

const office = setUp(() => openOffice());

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Call = (method: Method, path: string, body?: object) => ReturnType<typeof office.call>;
type Make = (path: string, body: object) => Promise<string>;

/** A person who administers a tenant, with things of every kind. */
async function open(tenant: PublicTenant) {
	const user = randomUUID();
	const email = `p-${user}@${tenant.slug}.example`;
	const token = office.token(tenant, "admin", { sub: user, email, name: "Asha" });
	const call: Call = (method, path, body) =>
		office.call({
			...{ method, url: `/api/v1/${tenant.slug}/notifications${path}`, token },
			...(body !== undefined && { body }),
		});
	const make: Make = async (path, body) => {
		const made = await call("POST", path, body);
		expect([path, made.status, made.body.code]).toEqual([path, 201, undefined]);
		return made.body.id;
	};
	const device = await make("/devices", { platform: "android", token: `fcm-${randomUUID()}` });
	const contact = await make("/contact-points", { channel: "email", address: `c-${email}` });
	const provider = await make("/providers", {
		...{ channel: "sms", kind: "africastalking", name: `own-${tenant.slug}` },
		credentials: { username: tenant.slug, apiKey: "atsk_test" },
	});
	const item = randomUUID();
	const inboxItem = {
		...{ tenantId: tenant.id, id: item, userId: user },
		...{ title: "Stock", body: "Read this.", category: "general" },
	};
	await inTenant(office.database.db, tenant.id, (tx) =>
		addItem(tx, { ...inboxItem, template: "shared/generic_notification", now: new Date() }),
	);
	return { call, user, device, contact, provider, item, digest: await openDigest(call, make, user) };
}

/** Collects a message of a rule for the person. Returns the id of the open digest. */
async function openDigest(call: Call, make: Make, user: string): Promise<string> {
	await make("/triggers", {
		...{ name: "Stock", event: "custom.stock.low", template: "shared/generic_notification" },
		...{ channels: ["email"], digest: { every: "1h", items_max: 10 }, recipients: [`user:${user}`] },
		map: {
			...{ name: { from: "recipient.name" }, title: { from: "event.title" } },
			...{ message: { value: "See the list." }, action_link: { value: "https://lango.example/x" } },
		},
	});
	const event = { id: randomUUID(), type: "custom.stock.low", subject: "item", data: { title: "One" } };
	expect((await call("POST", "/events", event)).status).toBe(202);
	await office.jobs.runDue();
	const [window] = (await call("GET", "/digests")).body.items;
	return String(window?.id);
}

let [uhai, kahawa] = [{} as Awaited<ReturnType<typeof open>>, {} as Awaited<ReturnType<typeof open>>];
beforeAll(async () => {
	uhai = await open(office.uhai);
	kahawa = await open(office.kahawa);
});

type Of = typeof kahawa;
const address = { channel: "email", address: "someone@kahawa.example" };

test.each<[string, Method, (of: Of) => string, string, object?]>([
	["a provider", "POST", ({ provider }) => `/providers/${provider}/check`, "provider_not_found"],
	["a provider", "GET", ({ provider }) => `/providers/${provider}`, "provider_not_found"],
	["a person", "GET", ({ user }) => `/people/${user}/preferences`, "person_not_found"],
	["a person", "GET", ({ user }) => `/people/${user}/export`, "person_not_found"],
	["a person", "PUT", ({ user }) => `/people/${user}/contact-points`, "person_not_found", address],
	[
		...(["an address", "POST"] as const),
		({ contact }) => `/contact-points/${contact}/verify`,
		...(["contact_point_not_found", { code: "000000" }] as const),
	],
	["an address", "DELETE", ({ contact }) => `/contact-points/${contact}`, "contact_point_not_found"],
	["a device", "DELETE", ({ device }) => `/devices/${device}`, "device_not_found"],
	["an item of an inbox", "PATCH", ({ item }) => `/inbox/${item}`, "item_not_found", { read: true }],
	["a digest", "POST", ({ digest }) => `/digests/${digest}/send-now`, "digest_not_found"],
])(
	"%s of another tenant is not found (%s), and its tenant finds it",
	async (_what, method, ...[path, code, body]) => {
		const call = (from: Of) => from.call(method, path(kahawa), body);
		const foreign = await call(uhai);
		expect([foreign.status, foreign.body.code]).toEqual([404, code]);
		// A provider that is found would be called: it is shown instead.
		if (!path(kahawa).endsWith("/check")) expect((await call(kahawa)).status).not.toBe(404);
	},
);

test.each<[string, string, (of: Of) => object]>([
	["a person", "to.0", ({ user }) => ({ ...greeting([`user:${user}`]), channel: "in_app" })],
	["a person's address", "to.0", ({ user }) => greeting([`user:${user}`])],
	[
		...(["a provider's id", "metadata.provider"] as const),
		({ provider }) => greeting(["+254712345678"], { channel: "sms", metadata: { provider } }),
	],
	[
		...(["a provider's name", "metadata.provider"] as const),
		() => greeting(["+254712345678"], { channel: "sms", metadata: { provider: "own-kahawa" } }),
	],
])(
	"a message that names %s of another tenant is refused, and its tenant sends it",
	async (_what, field, bodyOf) => {
		const send = (from: Of) => from.call("POST", "/messages", bodyOf(kahawa));
		expect(await send(uhai)).toMatchObject({ status: 400, body: { field } });
		expect((await send(kahawa)).status).toBe(202);
	},
);
