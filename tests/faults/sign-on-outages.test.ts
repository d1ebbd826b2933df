import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, findFreePorts, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";
import { type BreakableLink, linkTo } from "./breakable-link.ts";
import { becomes, type SignOnProcess, signOnProcess } from "./sign-on-process.ts";

let database: TestDatabase;
let link: BreakableLink;
let auth: SignOnProcess;
beforeAll(async () => {
	const part = parts.services.find(({ service }) => service.name === "auth");
	if (part?.demo === undefined) throw new Error("tools/up.ts brings up no sign-on service with a demo");
	database = await createTestDatabase({ name: "auth", sets: part.service.migrations });
	const through = new URL(database.url);
	link = await linkTo({ host: through.hostname, port: Number(through.port || 5432) });
	through.hostname = "127.0.0.1";
	through.port = `${link.port}`;
	const [port = 0, unused = 0] = await findFreePorts(2);
	auth = signOnProcess({
		databaseUrl: through.toString(),
		port,
		subscriptionsUrl: `http://localhost:${unused}`,
	});
	await auth.start();
	await part.demo(database.db, { now: new Date(), tenants: [], environment: {} });
});
afterAll(async () => {
	await auth?.kill("SIGTERM");
	await link?.close();
	await database?.drop();
});

const client_id = "auth-ui";
const post = (path: string, body: object) =>
	fetch(`${auth.url}${path}`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
	});
const signIn = () => post("/api/v1/auth/login", { email: "admin@uhai.example", password: "Karibu-2026!" });
const refresh = (refresh_token: string) => post("/api/v1/auth/refresh", { refresh_token, client_id });

/** The refresh token of a new session. */
async function newSession(): Promise<string> {
	const answer = await signIn();
	expect(answer.status).toBe(200);
	return ((await answer.json()) as { refresh_token: string }).refresh_token;
}

test("people sign in while the subscription service is unavailable", async () => {
	const begin = performance.now();
	await newSession();
	expect(performance.now() - begin).toBeLessThan(10_000);
});

test("without the database the service reports 503, and continues by itself when it is back, with nothing lost", async () => {
	const token = await newSession();
	link.cut();
	await becomes(auth.url, 503);
	for (const answer of [await signIn(), await refresh(token)]) {
		expect(answer.status).toBe(503);
		expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
		expect(await answer.json()).toMatchObject({ code: "unavailable", request_id: expect.any(String) });
	}
	expect((await fetch(`${auth.url}/healthz`)).status).toBe(200);
	expect((await fetch(`${auth.url}/.well-known/jwks.json`)).status).toBe(200);
	await sleep(2_000);
	link.restore();
	await becomes(auth.url, 200);
	expect((await refresh(token)).status).toBe(200);
	await newSession();
});

test("a process killed in the middle of refreshes loses no session: every client continues with its token", async () => {
	let tokens = await Promise.all(Array.from({ length: 6 }, newSession));
	let isKilled = false;
	const loop = async (token: string): Promise<string> => {
		let held = token;
		while (!isKilled) {
			const answer = await refresh(held).catch(() => undefined);
			const next = await answer?.json().catch(() => undefined);
			held = (next as { refresh_token?: string } | undefined)?.refresh_token ?? held;
		}
		return held;
	};
	const loops = tokens.map(loop);
	await sleep(1_000);
	await auth.kill("SIGKILL");
	isKilled = true;
	tokens = await Promise.all(loops);
	await auth.start();
	const answers = await Promise.all(tokens.map(refresh));
	expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
});
