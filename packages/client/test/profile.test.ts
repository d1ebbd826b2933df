import { afterEach, beforeEach, expect, test } from "vitest";
import { identity, openScene, reach, type Scene, tokens } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

const mePath = "GET /api/v1/uhai/hospital/auth/me";
const hospital = () => ({ service: { name: "hospital", url: scene.url } });
const serviceMe = {
	user_id: identity.user_id,
	global_roles: ["staff"],
	service_role: "clinician",
	permissions: ["hospital.patients.view", "catalog:view"],
};

async function enter(options: Parameters<Scene["client"]>[0] = hospital()) {
	scene.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	const client = scene.client(options);
	await client.start();
	return client;
}

const timesOf = (line: string) => scene.asked.filter((one) => one.line === line).map(({ at }) => at);

test("the sign-on's auth/me is asked first, then the service's, and both are one profile", async () => {
	scene.on(mePath, { body: serviceMe });
	const client = await enter();
	const lines = scene.lines();
	expect(lines.indexOf("GET /api/v1/auth/me")).toBeLessThan(lines.indexOf(mePath));
	expect(client.getState()).toMatchObject({
		status: "ready",
		profile: {
			name: "Neema",
			globalRoles: ["staff"],
			serviceRole: "clinician",
			isRoleInferred: false,
			permissions: ["catalog:view", "hospital.patients.view"],
		},
	});
});

test("the point of sale's name for the role is read", async () => {
	scene.on("GET /api/v1/uhai/pos/auth/me", {
		body: { ...serviceMe, service_role: undefined, pos_role: "cashier" },
	});
	const client = await enter({ service: { name: "pos", url: scene.url } });
	expect(client.getState()).toMatchObject({ profile: { serviceRole: "cashier" } });
});

test("the second shape of a service's auth/me is read, and its tokens are left alone", async () => {
	const user = { id: "x", fullName: "Neema A.", roles: ["operator"], permissions: ["ordering.orders.add"] };
	const session = { accessToken: "foreign", refreshToken: "foreign", expiresAt: 1, sessionId: "z" };
	scene.on("GET /api/v1/uhai/auth/me", { body: { session, user, tenant_id: "t", tenant_slug: "uhai" } });
	const client = await enter({ service: { name: "ordering", url: scene.url } });
	expect(client.getState()).toMatchObject({
		profile: { name: "Neema", serviceRole: "operator", permissions: ["catalog:view", "ordering.orders.add"] },
	});
	scene.on("GET /people", ({ headers }) => ({ body: JSON.stringify(headers.authorization) }));
	expect(await client.call("/people")).not.toContain("foreign");
});

test.each([
	["hospital", ["admin"], "hospital_admin"],
	["hospital", ["superuser"], "hospital_admin"],
	["treasury", ["admin"], "finance_admin"],
	["logistics", ["admin"], "admin"],
	["notifications", ["admin"], "super_admin"],
	["marketflow", ["admin", "staff"], "marketflow_admin"],
	["hospital", ["staff"], "hospital_operator"],
	["hospital", ["cashier"], "hospital_viewer"],
	["hospital", [], "hospital_viewer"],
])("a service %s that answers 404 has the role of %j inferred: %s", async (name, roles, inferred) => {
	scene.on("GET /api/v1/auth/me", { body: { ...identity, roles } });
	const client = await enter({ service: { name, url: `${scene.url}/elsewhere` } });
	expect(client.getState()).toMatchObject({ profile: { serviceRole: inferred, isRoleInferred: true } });
});

test("the roles to infer may be the app's own", async () => {
	const roles = { admin: "boss", staff: "hand", other: "guest" };
	const client = await enter({ service: { name: "hospital", url: scene.url, roles } });
	expect(client.getState()).toMatchObject({ profile: { serviceRole: "hand" } });
});

test.each([401, 403])("%i of the sign-on's auth/me is not asked again", async (status) => {
	scene.on("GET /api/v1/auth/me", { status, body: { error: "no", code: "no" } });
	const client = await enter();
	expect(client.getState()).toMatchObject({ status: "failed", error: { status } });
	expect(timesOf("GET /api/v1/auth/me")).toHaveLength(1);
	expect(timesOf(mePath)).toEqual([]);
});

test.each([401, 403])("%i of the service's auth/me is not asked again", async (status) => {
	scene.on(mePath, { status, body: { error: "no", code: "no" } });
	const client = await enter();
	expect(client.getState()).toMatchObject({ status: "failed", error: { status } });
	expect(timesOf(mePath)).toHaveLength(1);
});

test("a service's auth/me that fails otherwise is asked once more and no further", async () => {
	scene.on(mePath, { status: 503, body: { error: "away", code: "unavailable" } });
	const client = await enter();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "unavailable" } });
	expect(timesOf(mePath)).toHaveLength(2);
	scene.on(mePath, { body: serviceMe });
	await client.retry();
	expect(client.getState()).toMatchObject({ status: "ready", profile: { serviceRole: "clinician" } });
});

test("the bridge asks ten times, every 1.5 seconds, and after 15 seconds says so and offers to try again", async () => {
	scene.on("GET /api/v1/auth/me", { status: 404, body: { error: "not yet", code: "not_found" } });
	const begin = scene.now.at;
	const client = await enter();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "sync_timed_out" } });
	const times = timesOf("GET /api/v1/auth/me").map((at) => at - begin);
	expect(times).toEqual([0, 1_500, 3_000, 4_500, 6_000, 7_500, 9_000, 10_500, 12_000, 13_500]);
	expect(scene.now.at - begin).toBe(15_000);
	scene.on("GET /api/v1/auth/me", { body: identity });
	await client.retry();
	expect(client.getState().status).toBe("ready");
});

test("a bridge whose every question fails asks ten times in all", async () => {
	scene.on("GET /api/v1/auth/me", { status: 503, body: { error: "away", code: "unavailable" } });
	const client = await enter();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "sync_timed_out" } });
	expect(timesOf("GET /api/v1/auth/me")).toHaveLength(10);
});

test("the bridge waits as long as the service asks it to, and no longer than 15 seconds in all", async () => {
	const headers = { "retry-after": "6" };
	const begin = scene.now.at;
	scene.on("GET /api/v1/auth/me", { status: 429, body: { error: "slow", code: "rate_limited" }, headers });
	const client = await enter();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "sync_timed_out" } });
	expect(timesOf("GET /api/v1/auth/me").map((at) => at - begin)).toEqual([0, 6_000, 12_000]);
	expect(scene.now.at - begin).toBe(15_000);
});

test("the bridge is crossed as soon as the profile is there, and asks only the sign-on service", async () => {
	const replies = [
		{ status: 404 },
		{ body: { ...identity, tenant_id: "" } },
		{ status: 503 },
		{ status: 503 },
	];
	scene.on("GET /api/v1/auth/me", () => replies.shift() ?? { body: identity });
	const client = await enter();
	expect(client.getState().status).toBe("ready");
	expect(timesOf("GET /api/v1/auth/me")).toHaveLength(5);
	expect(timesOf(mePath)).toHaveLength(1);
});

test.each(["pending", "pending_review"])(
	"who is %s is asked about every 15 seconds until it is over",
	async (status) => {
		let asked = 0;
		scene.on("GET /api/v1/auth/me", () => {
			asked += 1;
			if (asked === 3) return { status: 503, body: {} };
			return { body: asked < 6 ? { ...identity, status, roles: [] } : identity };
		});
		scene.on(mePath, { body: serviceMe });
		const begin = scene.now.at;
		const client = await enter();
		expect(await reach(client, "ready")).toMatchObject({ wasPending: true });
		const times = timesOf("GET /api/v1/auth/me").map((at) => at - begin);
		expect(times).toEqual([0, 15_000, 30_000, 30_000, 45_000, 60_000]);
		client.acknowledgeApproval();
		expect(client.getState()).toMatchObject({ wasPending: false });
	},
);

test("who was approved gets a new token, since that of somebody pending holds nothing", async () => {
	let isApproved = false;
	scene.on("POST /api/v1/auth/refresh", () => ({ body: tokens({ jti: String(isApproved) }, 1) }));
	scene.on("GET /api/v1/auth/me", () => {
		const me = isApproved ? identity : { ...identity, status: "pending" };
		isApproved = true;
		return { body: me };
	});
	scene.on(mePath, { body: serviceMe });
	await reach(await enter(), "ready");
	const tokensSent = scene.asked
		.filter(({ line }) => line === mePath)
		.map(({ headers }) => headers.authorization);
	expect(scene.lines().filter((line) => line.endsWith("/auth/refresh"))).toHaveLength(2);
	expect(tokensSent).toHaveLength(1);
});

test("who waits sees the pending state meanwhile, and services are not asked about them", async () => {
	scene.on("GET /api/v1/auth/me", { body: { ...identity, status: "pending", roles: [] } });
	const client = scene.client(hospital());
	const started = client.start();
	expect(await reach(client, "pending")).toMatchObject({
		profile: { status: "pending", tenantSlug: "uhai" },
	});
	client.close();
	await started;
	expect(timesOf(mePath)).toEqual([]);
});

test("a profile is good for five minutes, then it is asked for again", async () => {
	scene.on(mePath, { body: serviceMe });
	const client = await enter();
	scene.asked.length = 0;
	scene.now.at += 299_000;
	await client.freshProfile();
	expect(scene.asked).toEqual([]);
	scene.on(mePath, { body: { ...serviceMe, service_role: "hospital_admin" } });
	scene.now.at += 1_000;
	expect(await client.freshProfile()).toMatchObject({ serviceRole: "hospital_admin" });
});
