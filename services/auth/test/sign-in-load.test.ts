import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { password, setUpSignOn, startSignOn } from "./sign-on.ts";

const signOn = setUpSignOn({ LANGO_TRUSTED_PROXIES: "127.0.0.1" });
let url: string;
let accounts: readonly string[];
beforeAll(async () => {
	url = await signOn.app.listen({ host: "127.0.0.1", port: 0 });
	const office = openOffice(signOn);
	const made: string[] = [];
	for (let turn = 0; turn < 14; turn += 1) made.push((await office.found()).email);
	accounts = made;
});

type Attempt = { email: string; ip: string; at?: string; tenantSlug?: string; cookie?: string };
const signInAs = ({ email, ip, at = url, tenantSlug = "", cookie }: Attempt) =>
	fetch(`${at}/api/v1/auth/login`, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			"x-forwarded-for": ip,
			...(cookie !== undefined && { cookie, origin: "http://localhost:3000" }),
		},
		body: JSON.stringify({ email, password, tenant_slug: tenantSlug }),
	});
const signIn = (email: string, ip: string) => signInAs({ email, ip });

test("while one address signs in on 80 connections it is refused over its share, and people at other addresses sign in", async () => {
	const attacked = accounts.slice(0, 8);
	const others = accounts.slice(8);
	const attack = { isOver: false, signedIn: 0, refused: 0 };
	const connection = async (at: number) => {
		while (!attack.isOver) {
			const response = await signIn(attacked[at % 8] ?? "", "203.0.113.1");
			const { code } = (await response.json()) as { code?: string };
			if (response.status === 200) {
				attack.signedIn += 1;
				continue;
			}
			// On a busy machine a process without a free database connection answers before it counts.
			if (response.status !== 503) {
				expect([response.status, code]).toEqual([429, "too_many_sign_ins"]);
				expect(response.headers.get("retry-after")).toBe("1");
			}
			attack.refused += 1;
			await sleep(100);
		}
	};
	const connections = Array.from({ length: 80 }, (_, at) => connection(at));
	try {
		await expect.poll(() => attack.refused, { timeout: 30_000 }).toBeGreaterThan(0);
		for (const [turn, email] of others.entries())
			await expect
				.poll(async () => (await signIn(email, `198.51.100.${turn + 1}`)).status, { timeout: 30_000 })
				.toBe(200);
	} finally {
		attack.isOver = true;
		await Promise.all(connections);
	}
	expect(attack.signedIn).toBeGreaterThan(0);
}, 240_000);

test("an account that does not exist is refused over its share like one that does", async () => {
	const rush = async (email: string, ip: string) => {
		const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(email, ip)));
		const over = answers.find(({ status }) => status === 429);
		return [over?.status, over?.headers.get("retry-after"), await over?.text()] as const;
	};
	const withoutId = ([status, after, body]: readonly [number | undefined, unknown, string | undefined]) => [
		status,
		after,
		{ ...JSON.parse(body ?? "{}"), request_id: "" },
	];
	const known = withoutId(await rush(accounts[0] ?? "", "203.0.113.7"));
	expect(known).toMatchObject([429, "1", { code: "too_many_sign_ins" }]);
	expect(withoutId(await rush("unknown@nowhere.example", "203.0.113.8"))).toEqual(known);
});

test("a known device can sign in while the share of its tenant is used up", async () => {
	const { app, close } = await startSignOn({
		LANGO_TRUSTED_PROXIES: "127.0.0.1",
		AUTH_PASSWORD_HASHES_PER_TENANT: "1",
	});
	try {
		const at = await app.listen({ host: "127.0.0.1", port: 0 });
		const nurse = { email: "nurse@uhai.example", at, tenantSlug: "uhai" };
		const first = await signInAs({ ...nurse, ip: "198.51.100.1" });
		const cookie = first.headers
			.getSetCookie()
			.map((one) => one.split(";")[0])
			.find((one) => one?.includes("device"));
		const flood = { isOver: false, refused: 0 };
		const strangers = Array.from({ length: 6 }, async (_, stranger) => {
			while (!flood.isOver) {
				const email = `stranger-${stranger}@nowhere.example`;
				const { status } = await signInAs({ ...nurse, email, ip: `203.0.113.${stranger}` });
				if (status === 429) flood.refused += 1;
			}
		});
		try {
			await expect.poll(() => flood.refused, { timeout: 30_000 }).toBeGreaterThan(20);
			for (let turn = 0; turn < 5; turn += 1) {
				const known = await signInAs({ ...nurse, ip: "198.51.100.1", ...(cookie && { cookie }) });
				expect([known.status, cookie]).toEqual([200, expect.any(String)]);
			}
		} finally {
			flood.isOver = true;
			await Promise.all(strangers);
		}
	} finally {
		await close();
	}
}, 120_000);
