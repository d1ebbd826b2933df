import { setTimeout as sleep } from "node:timers/promises";
import { hasBus, startTestBus, type TestBus } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type RunningPlatform, startPlatform } from "../journeys/running-platform.ts";

/** How long the bus is gone. */
const outageMs = 10_000;
/** In this time everything goes its way again, without a person's help. */
const recoveryMs = 30_000;

describe.runIf(hasBus())("a process for each service, and the bus gone for ten seconds under load", () => {
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

	const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
	const signIn = async (): Promise<string> => {
		const answer = await fetch(`${platform.urls.auth}/api/v1/auth/login`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ email: "admin@uhai.example", password: "Karibu-2026!" }),
		});
		expect(answer.status).toBe(200);
		return ((await answer.json()) as { access_token: string }).access_token;
	};
	const signOut = async (token: string) => {
		const url = `${platform.urls.auth}/api/v1/auth/logout`;
		expect((await fetch(url, { method: "POST", headers: bearer(token) })).status).toBe(200);
	};
	const atHospital = async (token: string) => {
		const url = `${platform.urls.hospital}/api/v1/uhai/hospital/auth/me`;
		return (await fetch(url, { headers: bearer(token) })).status;
	};

	test("people sign in and out all the while, and afterwards everyone who signed out is refused and nobody else", async () => {
		const stayed: string[] = [];
		const left: string[] = [];
		const endAt = Date.now() + outageMs + 4_000;
		const person = async () => {
			for (let turn = 0; Date.now() < endAt; turn += 1) {
				const token = await signIn();
				if (turn % 3 === 0) stayed.push(token);
				else {
					await signOut(token);
					left.push(token);
				}
			}
		};
		const load = Promise.all([person(), person()]);
		await sleep(2_000);
		await bus.kill();
		await sleep(outageMs);
		await bus.restart();
		await load;
		expect(left.length).toBeGreaterThan(10);

		await vi.waitFor(
			async () => {
				for (const token of left) expect(await atHospital(token)).toBe(401);
			},
			{ timeout: recoveryMs, interval: 500 },
		);
		for (const token of stayed) expect(await atHospital(token)).toBe(200);
		const ready = await fetch(`${platform.urls.auth}/readyz`);
		expect(await ready.json()).toMatchObject({ status: "ok", checks: { bus: "ok" } });
	});
});
