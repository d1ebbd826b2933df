import type { EventEnvelope } from "@lango/contracts";
import { beforeAll, expect, test } from "vitest";
import { announceAll } from "../src/service.ts";
import { openOffice } from "./office.ts";
import { setUpSignOn } from "./sign-on.ts";

// after the sign-on's database was restored from an older backup than those of the other services

const signOn = setUpSignOn();
const office = openOffice(signOn);
let root: string;
beforeAll(async () => {
	root = await office.tokenOf("root@lango.example");
});

type Versioned = { version: number } & Record<string, unknown>;
const step = 1_000_000;

test("every tenant, outlet and person is announced as it is now, with a higher version than any before", async () => {
	const firm = await office.found();
	const gone = await office.found();
	const suspended = await office.found();
	const former = await office.join(firm.slug);
	const asRoot = (method: "POST" | "DELETE", url: string) =>
		office.call(method, `/api/v1/admin/${url}`, { token: root });
	await office.call("POST", `/api/v1/tenants/${firm.slug}/join-requests/${former.userId}/approve`, {
		token: firm.token,
	});
	await office.call("DELETE", `/api/v1/tenants/${firm.slug}/members/${former.userId}`, { token: firm.token });
	await asRoot("DELETE", `tenants/${gone.tenantId}`);
	await asRoot("POST", `tenants/${suspended.tenantId}/suspend`);
	// The outlets of an erased tenant are gone with it.
	const ofGone = (await envelopes()).filter(
		({ type, tenantid }) => type === "outlet.changed" && tenantid === gone.tenantId,
	);
	const highest = await versions();
	for (const { subject } of ofGone) highest.delete(subject);
	const announced = await announceAll(signOn.db, { now: () => signOn.now.at });
	const now = await versions();

	for (const [subject, version] of highest) expect(now.get(subject)).toBeGreaterThanOrEqual(version + step);
	const [counted] = await signOn.db.query(
		"select (select count(*) from tenants)::int as tenants, (select count(*) from users)::int as users",
	);
	expect(announced).toMatchObject(counted ?? {});
	expect((await latest(firm.tenantId))?.type).toBe("tenant.updated");
	expect((await latest(gone.tenantId))?.type).toBe("tenant.deleted");
	expect((await latest(suspended.tenantId))?.data).toMatchObject({ status: "suspended" });
	expect((await latest(former.userId))?.data).toMatchObject({ roles: [], status: "removed" });
	expect((await latest(firm.userId))?.data).toMatchObject({ roles: ["admin"], status: "active" });
});

/** The highest version that was announced of each tenant, outlet and person. */
async function versions(): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	for (const { subject, data } of await envelopes()) {
		const { version } = data as Versioned;
		if (version !== undefined) found.set(subject, Math.max(version, found.get(subject) ?? 0));
	}
	return found;
}

const latest = async (subject: string) =>
	(await envelopes()).filter((envelope) => envelope.subject === subject).at(-1);

async function envelopes(): Promise<EventEnvelope[]> {
	const rows = await signOn.db.query<{ envelope: EventEnvelope }>(
		"select envelope from outbox order by position",
	);
	return rows.map(({ envelope }) => envelope);
}
