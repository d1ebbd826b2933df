import { openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWard } from "./ward.ts";

const ward = setUp(openWard);
let owner: Pool;
beforeAll(async () => {
	owner = openPool({ url: ward.database.ownerUrl, name: "rate-limit-test", sizeMax: 1 });
});
afterAll(() => owner.close());

const url = "/api/v1/uhai/hospital/auth/me";

/** Changes the table directly, and waits until the service has reloaded it. */
async function limit(scope: "address" | "caller", requests: number): Promise<void> {
	await owner.query("update rate_limit_config set requests = $2 where scope = $1", [scope, requests]);
	ward.later(31);
	await ward.call({ url: "/healthz" });
	await expect
		.poll(
			async () =>
				(
					await ward.call({
						url: scope === "address" ? "/nowhere" : url,
						token: ward.token(ward.uhai, "admin"),
					})
				).headers,
		)
		.toMatchObject({ "x-ratelimit-limit": String(requests) });
}

test("every response has the limit, the remaining requests and the time of the reset", async () => {
	const { headers } = await ward.call({ url, token: ward.token(ward.uhai, "admin") });
	expect(headers).toMatchObject({
		"x-ratelimit-limit": "3000",
		"x-ratelimit-remaining": "2999",
		"ratelimit-limit": "3000",
	});
	expect(Number(headers["ratelimit-reset"])).toBeGreaterThan(0);
	expect(Number(headers["ratelimit-reset"])).toBeLessThanOrEqual(60);
	expect(Number(headers["x-ratelimit-reset"])).toBeGreaterThan(Date.now() / 1_000);
});

test("the reset time follows the service's clock", async () => {
	const resetAt = async () =>
		Number((await ward.call({ url, token: ward.token(ward.uhai, "admin") })).headers["x-ratelimit-reset"]);
	const before = await resetAt();
	ward.later(20);
	const after = await resetAt();
	expect(after - before).toBeGreaterThanOrEqual(18);
	expect(after - before).toBeLessThanOrEqual(21);
});

test("a caller over the limit gets 429 with Retry-After, and others are served", async () => {
	await limit("caller", 3);
	const token = ward.token(ward.uhai, "admin");
	const statuses: number[] = [];
	for (let index = 0; index < 5; index += 1) statuses.push((await ward.call({ url, token })).status);
	expect(statuses).toEqual([200, 200, 200, 429, 429]);
	const { body, headers } = await ward.call({ url, token });
	expect(body).toMatchObject({
		code: "rate_limited",
		error: expect.any(String),
		request_id: expect.any(String),
	});
	expect(Number(headers["retry-after"])).toBeGreaterThan(0);
	expect(headers["x-ratelimit-remaining"]).toBe("0");
	expect(await ward.call({ url, token: ward.token(ward.uhai, "admin") })).toMatchObject({ status: 200 });
	await limit("caller", 3_000);
});

test("an address over the limit gets 429 before its credential is checked; probes are served", async () => {
	await limit("address", 5);
	const answers = [];
	for (let index = 0; index < 8; index += 1) answers.push(await ward.call({ url }));
	expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: "rate_limited" } });
	for (const probe of ["/healthz", "/readyz", "/metrics"])
		expect((await ward.call({ url: probe })).status).toBe(200);
});

test("a limit whose row is removed does not apply, and responses do not mention it", async () => {
	await owner.query("delete from rate_limit_config where scope = 'address'");
	ward.later(31);
	await expect.poll(async () => (await ward.call({ url })).headers["x-ratelimit-limit"]).toBeUndefined();
	for (let index = 0; index < 8; index += 1) expect((await ward.call({ url })).status).toBe(401);
});
