import { afterEach, beforeEach, expect, test } from "vitest";
import { identity, openTestServer, type TestServer, tokens, waitForStatus } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

const mePath = "GET /api/v1/uhai/hospital/auth/me";
const hospital = () => ({ service: { name: "hospital", url: server.url } });
const serviceMe = {
	user_id: identity.user_id,
	global_roles: ["staff"],
	service_role: "clinician",
	permissions: ["hospital.patients.view", "catalog:view"],
};

async function startClient(options: Parameters<TestServer["client"]>[0] = hospital()) {
	server.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	const client = server.client(options);
	await client.start();
	return client;
}

const timesOf = (line: string) => server.asked.filter((one) => one.line === line).map(({ at }) => at);

test("the profile merges the sign-on service's auth/me, requested first, with the service's", async () => {
	server.on(mePath, { body: serviceMe });
	const client = await startClient();
	const lines = server.lines();
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

test("the role is read from {service}_role", async () => {
	server.on("GET /api/v1/uhai/pos/auth/me", {
		body: { ...serviceMe, service_role: undefined, pos_role: "cashier" },
	});
	const client = await startClient({ service: { name: "pos", url: server.url } });
	expect(client.getState()).toMatchObject({ profile: { serviceRole: "cashier" } });
});

test("the second form of a service's auth/me is read, and its tokens are ignored", async () => {
	const user = { id: "x", fullName: "Neema A.", roles: ["operator"], permissions: ["ordering.orders.add"] };
	const session = { accessToken: "foreign", refreshToken: "foreign", expiresAt: 1, sessionId: "z" };
	server.on("GET /api/v1/uhai/auth/me", { body: { session, user, tenant_id: "t", tenant_slug: "uhai" } });
	const client = await startClient({ service: { name: "ordering", url: server.url } });
	expect(client.getState()).toMatchObject({
		profile: { name: "Neema", serviceRole: "operator", permissions: ["catalog:view", "ordering.orders.add"] },
	});
	server.on("GET /people", ({ headers }) => ({ body: JSON.stringify(headers.authorization) }));
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
])(
	"if the auth/me of %s responds 404, the global roles %j give the service role %s",
	async (name, roles, inferred) => {
		server.on("GET /api/v1/auth/me", { body: { ...identity, roles } });
		const client = await startClient({ service: { name, url: `${server.url}/elsewhere` } });
		expect(client.getState()).toMatchObject({ profile: { serviceRole: inferred, isRoleInferred: true } });
	},
);

test("the roles to infer can be configured", async () => {
	const roles = { admin: "boss", staff: "hand", other: "guest" };
	const client = await startClient({ service: { name: "hospital", url: server.url, roles } });
	expect(client.getState()).toMatchObject({ profile: { serviceRole: "hand" } });
});

test.each([401, 403])("%i of the sign-on service's auth/me is not retried", async (status) => {
	server.on("GET /api/v1/auth/me", { status, body: { error: "no", code: "no" } });
	const client = await startClient();
	expect(client.getState()).toMatchObject({ status: "failed", error: { status } });
	expect(timesOf("GET /api/v1/auth/me")).toHaveLength(1);
	expect(timesOf(mePath)).toEqual([]);
});

test.each([401, 403])("%i of the service's auth/me is not retried", async (status) => {
	server.on(mePath, { status, body: { error: "no", code: "no" } });
	const client = await startClient();
	expect(client.getState()).toMatchObject({ status: "failed", error: { status } });
	expect(timesOf(mePath)).toHaveLength(1);
});

test("another failure of the service's auth/me is retried once", async () => {
	server.on(mePath, { status: 503, body: { error: "unavailable", code: "unavailable" } });
	const client = await startClient();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "unavailable" } });
	expect(timesOf(mePath)).toHaveLength(2);
	server.on(mePath, { body: serviceMe });
	await client.retry();
	expect(client.getState()).toMatchObject({ status: "ready", profile: { serviceRole: "clinician" } });
});

test("the identity is polled ten times every 1.5 seconds, then the state is failed and can be retried", async () => {
	server.on("GET /api/v1/auth/me", { status: 404, body: { error: "not yet", code: "not_found" } });
	const begin = server.now.at;
	const client = await startClient();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "sync_timed_out" } });
	const times = timesOf("GET /api/v1/auth/me").map((at) => at - begin);
	expect(times).toEqual([0, 1_500, 3_000, 4_500, 6_000, 7_500, 9_000, 10_500, 12_000, 13_500]);
	expect(server.now.at - begin).toBe(15_000);
	server.on("GET /api/v1/auth/me", { body: identity });
	await client.retry();
	expect(client.getState().status).toBe("ready");
});

test("failed polls of the identity end after ten attempts", async () => {
	server.on("GET /api/v1/auth/me", { status: 503, body: { error: "unavailable", code: "unavailable" } });
	const client = await startClient();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "sync_timed_out" } });
	expect(timesOf("GET /api/v1/auth/me")).toHaveLength(10);
});

test("polling the identity follows Retry-After up to 15 seconds in total", async () => {
	const headers = { "retry-after": "6" };
	const begin = server.now.at;
	server.on("GET /api/v1/auth/me", { status: 429, body: { error: "slow", code: "rate_limited" }, headers });
	const client = await startClient();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "sync_timed_out" } });
	expect(timesOf("GET /api/v1/auth/me").map((at) => at - begin)).toEqual([0, 6_000, 12_000]);
	expect(server.now.at - begin).toBe(15_000);
});

test("polling ends when the identity exists, and requests only the sign-on service", async () => {
	const replies = [
		{ status: 404 },
		{ body: { ...identity, tenant_id: "" } },
		{ status: 503 },
		{ status: 503 },
	];
	server.on("GET /api/v1/auth/me", () => replies.shift() ?? { body: identity });
	const client = await startClient();
	expect(client.getState().status).toBe("ready");
	expect(timesOf("GET /api/v1/auth/me")).toHaveLength(5);
	expect(timesOf(mePath)).toHaveLength(1);
});

test.each(["pending", "pending_review"])(
	"in the status %s the identity is polled every 15 seconds until approval",
	async (status) => {
		let asked = 0;
		server.on("GET /api/v1/auth/me", () => {
			asked += 1;
			if (asked === 3) return { status: 503, body: {} };
			return { body: asked < 6 ? { ...identity, status, roles: [] } : identity };
		});
		server.on(mePath, { body: serviceMe });
		const begin = server.now.at;
		const client = await startClient();
		expect(await waitForStatus(client, "ready")).toMatchObject({ wasPending: true });
		const times = timesOf("GET /api/v1/auth/me").map((at) => at - begin);
		expect(times).toEqual([0, 15_000, 30_000, 30_000, 45_000, 60_000]);
		client.acknowledgeApproval();
		expect(client.getState()).toMatchObject({ wasPending: false });
	},
);

test("after an approval the tokens are refreshed, because the token of a pending user has no roles", async () => {
	let isApproved = false;
	server.on("POST /api/v1/auth/refresh", () => ({ body: tokens({ jti: String(isApproved) }, 1) }));
	server.on("GET /api/v1/auth/me", () => {
		const me = isApproved ? identity : { ...identity, status: "pending" };
		isApproved = true;
		return { body: me };
	});
	server.on(mePath, { body: serviceMe });
	await waitForStatus(await startClient(), "ready");
	const tokensSent = server.asked
		.filter(({ line }) => line === mePath)
		.map(({ headers }) => headers.authorization);
	expect(server.lines().filter((line) => line.endsWith("/auth/refresh"))).toHaveLength(2);
	expect(tokensSent).toHaveLength(1);
});

test("the state is pending until approval, and the service's auth/me is not requested", async () => {
	server.on("GET /api/v1/auth/me", { body: { ...identity, status: "pending", roles: [] } });
	const client = server.client(hospital());
	const started = client.start();
	expect(await waitForStatus(client, "pending")).toMatchObject({
		profile: { status: "pending", tenantSlug: "uhai" },
	});
	client.close();
	await started;
	expect(timesOf(mePath)).toEqual([]);
});

test("freshProfile reloads a profile that is five minutes old", async () => {
	server.on(mePath, { body: serviceMe });
	const client = await startClient();
	server.asked.length = 0;
	server.now.at += 299_000;
	await client.freshProfile();
	expect(server.asked).toEqual([]);
	server.on(mePath, { body: { ...serviceMe, service_role: "hospital_admin" } });
	server.now.at += 1_000;
	expect(await client.freshProfile()).toMatchObject({ serviceRole: "hospital_admin" });
});
