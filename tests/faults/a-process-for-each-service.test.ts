import { hasBus, startTestBus, type TestBus } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { visit } from "../journeys/openid-client-visit.ts";
import { type RunningPlatform, startPlatform } from "../journeys/running-platform.ts";

// `npm start` with NATS_URL: every service in a process of its own, and events of one reach the others.

/** Far longer than an event takes, for a busy machine. */
const patience = { timeout: 30_000 };

describe.runIf(hasBus())("a process for each service", () => {
	let bus: TestBus;
	let platform: RunningPlatform;
	beforeAll(async () => {
		bus = await startTestBus();
		platform = await startPlatform({ NATS_URL: bus.url });
	});
	afterAll(async () => {
		await platform?.stop();
		await bus?.stop();
	});

	const signIn = (email = "admin@uhai.example") =>
		visit({
			issuer: platform.urls.auth,
			hospitalUrl: platform.urls.hospital,
			email,
			password: "Karibu-2026!",
			allowInsecureRequests: true,
		});
	const atHospital = async (token: string) => {
		const headers = { authorization: `Bearer ${token}` };
		return (await fetch(`${platform.urls.hospital}/api/v1/uhai/hospital/auth/me`, { headers })).status;
	};
	const roleAtHospital = async (token: string) => {
		const headers = { authorization: `Bearer ${token}` };
		const answer = await fetch(`${platform.urls.hospital}/api/v1/uhai/hospital/auth/me`, { headers });
		return ((await answer.json()) as { service_role?: string }).service_role;
	};
	const signOut = async (token: string) => {
		const headers = { authorization: `Bearer ${token}` };
		const { status } = await fetch(`${platform.urls.auth}/api/v1/auth/logout`, { method: "POST", headers });
		expect(status).toBe(200);
	};

	test("a person signed in at one process is known at another, whose /readyz names the bus", async () => {
		const { accessToken, hospital } = await signIn();
		expect(hospital.status).toBe(200);
		expect(await atHospital(accessToken)).toBe(200);
		const ready = await fetch(`${platform.urls.hospital}/readyz`);
		expect(await ready.json()).toMatchObject({ status: "ok", checks: { bus: "ok", revocations: "ok" } });
	});

	test("a session that ended at the sign-on service is refused at the hospital a moment later", async () => {
		const { accessToken } = await signIn();
		expect(await atHospital(accessToken)).toBe(200);
		await signOut(accessToken);
		await vi.waitFor(async () => expect(await atHospital(accessToken)).toBe(401), patience);
	});

	test("a role changed at the sign-on service is changed at the hospital a moment later, with the same token", async () => {
		const [admin, member] = [await signIn(), await signIn("pharm@uhai.example")];
		expect(await roleAtHospital(member.accessToken)).toBe("hospital_operator");
		const { status } = await fetch(
			`${platform.urls.auth}/api/v1/tenants/uhai/members/${member.claims.sub}/roles`,
			{
				method: "PUT",
				headers: { authorization: `Bearer ${admin.accessToken}`, "content-type": "application/json" },
				body: JSON.stringify({ roles: ["member"] }),
			},
		);
		expect(status).toBe(204);
		await vi.waitFor(
			async () => expect(await roleAtHospital(member.accessToken)).toBe("hospital_viewer"),
			patience,
		);
	});

	test("without the bus people sign in as before, and missed events arrive when it is back", async () => {
		await bus.kill();
		const { accessToken, hospital } = await signIn();
		expect(hospital.status).toBe(200);
		await signOut(accessToken);
		expect(await atHospital(accessToken)).toBe(200);
		await bus.restart();
		await vi.waitFor(async () => expect(await atHospital(accessToken)).toBe(401), patience);
	});
});
