import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { recordDevice } from "../src/devices/device.store.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());

/** A person who is known to the service since the first call that changes something. */
function person(tenant = office.uhai, id = randomUUID()) {
	const token = office.token(tenant, "member", { sub: id, email: `p-${id}@uhai.example` });
	const url = `/api/v1/${tenant.slug}/notifications/devices`;
	return {
		id,
		register: (device: string, platform = "android") =>
			office.call({ method: "POST", url, token, body: { platform, token: device } }),
		list: async () => (await office.call({ url, token })).body.items,
		remove: (deviceId: string) => office.call({ method: "DELETE", url: `${url}/${deviceId}`, token }),
	};
}
const newToken = () => `fcm-${randomUUID()}-token`;
const pushTo = async (id: string, tenant = office.uhai) => {
	const answer = await office.send(
		tenant,
		{ ...greeting([`user:${id}`]), channel: "push" },
		{ headers: { "idempotency-key": randomUUID() } },
	);
	if (answer.status !== 202) return answer.body.code;
	return inTenant(office.database.db, tenant.id, async (tx) => {
		const rows = await tx.query("select 1 from message_deliveries where message_id = $1", [
			answer.body.requestId,
		]);
		return rows.length;
	});
};

test("a push notification to user:<id> goes to each of the person's devices, until they are removed", async () => {
	const asha = person();
	const first = await asha.register(newToken());
	await asha.register(newToken(), "web");
	expect([first.status, first.body]).toMatchObject([
		201,
		{ platform: "android", token_masked: expect.stringMatching(/^•••••.{4}$/) },
	]);
	expect(await pushTo(asha.id)).toBe(2);
	expect((await asha.remove(first.body.id)).status).toBe(204);
	expect(await pushTo(asha.id)).toBe(1);
	const [last] = await asha.list();
	await asha.remove(last?.id ?? "");
	expect(await pushTo(asha.id)).toBe("address_invalid");
});

test("a device belongs to the last person who registered it, in every tenant", async () => {
	const [asha, baraka, device] = [person(), person(office.kahawa), newToken()];
	await asha.register(device);
	await baraka.register(device);
	expect([(await asha.list()).length, (await baraka.list()).length]).toEqual([0, 1]);
});

test("a person keeps a device in several tenants", async () => {
	const [asha, device] = [person(), newToken()];
	const elsewhere = person(office.kahawa, asha.id);
	await asha.register(device);
	await elsewhere.register(device);
	expect([(await asha.list()).length, (await elsewhere.list()).length]).toEqual([1, 1]);
});

test("a device that several people register at once belongs to one of them", async () => {
	const [people, device] = [Array.from({ length: 6 }, () => person()), newToken()];
	const answers = await Promise.all(people.map((one) => one.register(device)));
	expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
	const owned = await Promise.all(people.map((one) => one.list()));
	expect(owned.flat()).toHaveLength(1);
});

test("a device that is registered again stays one, and of more than twenty the oldest is removed", async () => {
	const [asha, oldest] = [person(), newToken()];
	const { body } = await asha.register(oldest);
	expect((await asha.register(oldest, "ios")).body).toMatchObject({ id: body.id, platform: "ios" });
	for (let n = 0; n < 20; n += 1) await asha.register(newToken());
	const ids = (await asha.list()).map(({ id }) => id);
	expect([ids.length, ids.includes(body.id)]).toEqual([20, false]);
});

test("a device that is registered again after a rotation of keys stays one", async () => {
	const [asha, device] = [person(), newToken()];
	await asha.register(device);
	const newer = `newer:${Buffer.alloc(32, 8).toString("base64")},${encryptionKeys}`;
	const token = createVault(readKeyEncryptionKeys(newer)).sealAddress("push", device);
	await inTenant(office.database.db, office.uhai.id, (tx) =>
		recordDevice(tx, {
			...{ tenantId: office.uhai.id, userId: asha.id, platform: "android", now: new Date() },
			token: { ...token, masked: "" },
		}),
	);
	expect(await asha.list()).toHaveLength(1);
});

test("another person's device is not found, and a malformed token is 400", async () => {
	const [asha, baraka] = [person(), person()];
	const { body } = await asha.register(newToken());
	const foreign = await baraka.remove(body.id);
	expect([foreign.status, foreign.body.code]).toEqual([404, "device_not_found"]);
	const malformed = await asha.register("two words");
	expect([malformed.status, malformed.body.code, malformed.body.field]).toEqual([
		...[400, "address_invalid", "token"],
	]);
	expect((await asha.register(newToken(), "fax")).body.field).toBe("platform");
});

test("the platform owner is not a recipient of a tenant, and has no devices there", async () => {
	const answer = await office.call({
		...{ method: "POST", url: "/api/v1/uhai/notifications/devices" },
		...{ token: office.token(office.lango, "superuser"), body: { platform: "web", token: newToken() } },
	});
	expect([answer.status, answer.body.code]).toEqual([404, "person_not_found"]);
});

test("people with more than 1,000 addresses together are refused", async () => {
	const asha = person();
	await asha.register(newToken());
	const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
	const devices = Array.from({ length: 1_000 }, () => {
		const { sealed, keys } = vault.sealAddress("push", newToken());
		return { address: sealed.sealed.toString("hex"), key: keys[0]?.toString("hex") };
	});
	await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query(
			`insert into contact_points (tenant_id, user_id, channel, address_key_id, address, address_key, address_masked, created_at)
			 select $1, $2, 'push', 'test', decode(d->>'address', 'hex'), decode(d->>'key', 'hex'), '', now()
			   from jsonb_array_elements($3::jsonb) d on conflict do nothing`,
			[office.uhai.id, asha.id, JSON.stringify(devices)],
		),
	);
	expect(await pushTo(asha.id)).toBe("too_many_recipients");
});
