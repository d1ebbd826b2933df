import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());
type Tenant = typeof office.uhai;
type Rate = { per_minute: number; burst: number };
type Change = Record<string, Rate | null>;

const url = ({ slug }: Tenant) => `/api/v1/${slug}/notifications/limits`;
const atPlatform = () => `${url(office.lango)}?tenantId=${office.lango.id}`;
const put = (tenant: Tenant, body: Change) =>
	office.call({ method: "PUT", url: url(tenant), token: office.token(tenant, "admin"), body });
const asOwner = (address: string, body: Change) =>
	office.call({ method: "PUT", url: address, token: office.token(office.lango, "superuser"), body });
const limitOf = async (tenant: Tenant, channel: string) => {
	const { body } = await office.call({ url: url(tenant), token: office.token(tenant, "admin") });
	return body.items.find((one) => one["channel"] === channel);
};

let names = 0;
const sendTo = async (tenant: Tenant, count: number) => {
	const to = Array.from({ length: count }, () => `limited${++names}@uhai.example`);
	const { status, body } = await office.send(tenant, greeting(to));
	return [status, body.code];
};

test("a tenant lowers its limits, and the next requests keep them (§8)", async () => {
	const tenant = office.tenant({});
	expect(await limitOf(tenant, "email")).toMatchObject({ per_minute: 600, burst: 2_000, is_platform: true });
	const { status } = await put(tenant, { email: { per_minute: 1, burst: 3 } });
	expect([status, await limitOf(tenant, "email")]).toMatchObject([200, { burst: 3, is_platform: false }]);
	expect(await sendTo(tenant, 4)).toEqual([400, "too_many_recipients"]);
	expect(await sendTo(tenant, 3)).toEqual([202, undefined]);
	expect(await sendTo(tenant, 1)).toEqual([429, "channel_limited"]);
	expect(await limitOf(tenant, "sms")).toMatchObject({ is_platform: true });
	await put(tenant, { email: null });
	expect(await limitOf(tenant, "email")).toMatchObject({ burst: 2_000, is_platform: true });
});

test("a tenant cannot go above the platform's limits, and the platform owner can raise and lower its ceiling", async () => {
	const tenant = office.tenant({});
	const raised = { email: { per_minute: 900, burst: 2_500 } };
	const refused = await put(tenant, raised);
	expect([refused.status, refused.body.code, refused.body.field]).toEqual([
		...[403, "limit_above_platform", "email.per_minute"],
	]);
	const burst = await put(tenant, {
		sms: { per_minute: 1, burst: 1 },
		push: { per_minute: 1, burst: 6_001 },
	});
	expect([burst.status, burst.body.field]).toEqual([403, "push.burst"]);
	expect(await limitOf(tenant, "sms")).toMatchObject({ is_platform: true });
	expect((await asOwner(url(tenant), raised)).status).toBe(200);
	expect(await sendTo(tenant, 1)).toEqual([202, undefined]);
	await put(tenant, { email: { per_minute: 10, burst: 10 } });
	await put(tenant, { email: null });
	expect(await limitOf(tenant, "email")).toMatchObject({ ...raised.email, ceiling: raised.email });
	await asOwner(url(tenant), { email: { per_minute: 5, burst: 5 } });
	expect((await put(tenant, { email: { per_minute: 6, burst: 5 } })).status).toBe(403);
	await asOwner(url(tenant), { email: null });
	expect(await limitOf(tenant, "email")).toMatchObject({ is_platform: true });
});

test("a lower default of the platform counts for tenants that chose more, but not for those with a ceiling", async () => {
	const [chosen, raised] = [office.tenant({}), office.tenant({})];
	await put(chosen, { whatsapp: { per_minute: 250, burst: 1_500 } });
	await asOwner(url(raised), { whatsapp: { per_minute: 400, burst: 2_500 } });
	expect((await asOwner(atPlatform(), { whatsapp: { per_minute: 200, burst: 1_000 } })).status).toBe(200);
	expect(await limitOf(chosen, "whatsapp")).toMatchObject({ per_minute: 200, burst: 1_000 });
	expect(await limitOf(raised, "whatsapp")).toMatchObject({ per_minute: 400, burst: 2_500 });
	const removed = await asOwner(atPlatform(), { whatsapp: null });
	expect([removed.status, removed.body.code, removed.body.field]).toEqual([400, "invalid_input", "whatsapp"]);
});

test.each([
	["nothing", {}],
	["an unknown channel", { fax: { per_minute: 1, burst: 1 } }],
	["a rate of zero", { email: { per_minute: 0, burst: 1 } }],
	["a rate without burst", { email: { per_minute: 1 } }],
])("limits with %s are refused", async (_, body) => {
	const { status, body: answer } = await put(office.uhai, body as Change);
	expect([status, answer.code]).toEqual([400, "invalid_input"]);
});
