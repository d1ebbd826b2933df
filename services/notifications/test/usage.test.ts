import type { PublicTenant } from "@lango/contracts";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import type { Lane } from "../src/dispatch/claim.store.ts";
import { accepted, claimFrom, settleAs } from "./dispatch.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);
afterEach(() => {
	office.clock.now = undefined;
	office.subscriptions.brokenWith = undefined;
});

const minuteMs = 60_000;
/** Runs the job as if these minutes had passed. */
const report = async (minutes = 10) => {
	office.clock.now = new Date(Date.now() + minutes * minuteMs);
	await office.jobs.run("usage.report");
	office.clock.now = undefined;
};
/** What the subscription service counted: each id once. */
const counted = (tenant: PublicTenant) => {
	const once = new Map(
		office.subscriptions.reported
			.filter(({ tenantId }) => tenantId === tenant.id)
			.map((one) => [one.id, one]),
	);
	const sums: Record<string, number> = {};
	for (const { metric, value } of once.values()) sums[metric] = (sums[metric] ?? 0) + value;
	return sums;
};
let names = 0;
const addresses = (count: number) => Array.from({ length: count }, () => `person${++names}@uhai.example`);
const phones = (count: number) => Array.from({ length: count }, () => `+2547${20_000_000 + ++names}`);
const later = (days: number) => new Date(Date.now() + days * 24 * 60 * minuteMs).toISOString();

test("each queued e-mail is counted once, however often the job runs and at the same time", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting(addresses(3)));
	await report(0);
	expect(counted(tenant)).toEqual({ email_count: 3 });
	await office.send(tenant, greeting(addresses(2)));
	await Promise.all([report(0), report(0), report(0)]);
	expect(counted(tenant)).toEqual({ email_count: 5 });
});

test("a cancelled e-mail is taken back, and one of a later day is counted on its day", async () => {
	const tenant = office.tenant({});
	const { body } = await office.send(tenant, greeting(addresses(4)));
	await office.send(tenant, greeting(addresses(1), { send_at: later(3) }));
	await report(0);
	expect(counted(tenant)).toEqual({ email_count: 4 });
	const cancelled = await office.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/notifications/messages/${body.requestId}/cancel`,
		token: office.token(tenant, "admin"),
	});
	expect(cancelled.status).toBe(200);
	await report(0);
	expect(counted(tenant)).toEqual({ email_count: 0 });
	await report(4 * 24 * 60);
	expect(counted(tenant)).toEqual({ email_count: 1 });
});

test("segments of sent texts and sent WhatsApp messages are counted once, and what was not sent is not", async () => {
	const tenant = office.tenant({ features: ["whatsapp"] });
	await office.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/notifications/credits/grants`,
		token: office.token(office.lango, "superuser"),
		body: { segments: 20, reason: "test" },
	});
	const long = greeting(phones(2), { channel: "sms" });
	await office.send(tenant, { ...long, data: { ...long.data, message: "x".repeat(200) } });
	await office.send(tenant, greeting(phones(3), { channel: "whatsapp" }));
	for (const channel of ["sms", "whatsapp"] as const) {
		const lane: Lane = { tenantId: tenant.id, channel, messageClass: "normal" };
		const [first, ...others] = await claimFrom(office, lane);
		if (first === undefined) throw new Error(`nothing was claimed on ${channel}`);
		await settleAs(office, tenant.id, [
			{ id: first.id, from: ["sending"], status: "failed" },
			...others.map(accepted),
		]);
	}
	await report(1);
	expect(counted(tenant)).toEqual({});
	await report(6);
	await report(12);
	expect(counted(tenant)).toEqual({ message_count: 2 + 2 });
});

test("while the subscription service is unavailable, usage waits and is counted afterwards", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting(addresses(2)));
	office.subscriptions.brokenWith = 503;
	await report(0);
	expect(counted(tenant)).toEqual({});
	office.subscriptions.brokenWith = undefined;
	await report(1);
	expect(counted(tenant)).toEqual({ email_count: 2 });
	expect(office.logged.some((line) => line.includes("usage not reported, will retry"))).toBe(true);
});
