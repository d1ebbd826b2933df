import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimsOf, obtainTokens, type SignOn, startSignOn } from "./sign-on.ts";

let signOn: SignOn;
beforeAll(async () => {
	signOn = await startSignOn();
});
afterAll(() => signOn.close());

async function untilSomebodyWaits() {
	for (let look = 0; look < 500; look += 1) {
		const waiting = await signOn.db.query(
			"select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
		);
		if (waiting.length > 0) return;
		await sleep(10);
	}
	throw new Error("no transaction waited for the change");
}

test("a session revoked in the moment an outlet is chosen gets no final tokens", async () => {
	const { access_token, ssoExchangeToken } = await obtainTokens(signOn.app, "nurse@uhai.example");
	const outlets = (await signOn.app.inject("/api/v1/tenants/uhai/outlets")).json<
		Array<{ id: string; code: string }>
	>();
	const outletId = outlets.find(({ code }) => code === "WARD")?.id;
	const owner = new pg.Client({ connectionString: signOn.ownerUrl });
	await owner.connect();
	try {
		await owner.query("alter table sessions no force row level security");
		await owner.query("begin");
		const { rowCount } = await owner.query("update sessions set revoked_at = $2 where id = $1", [
			claimsOf(access_token).sid,
			signOn.now.at,
		]);
		expect(rowCount).toBe(1);
		const choosing = signOn.app
			.inject({
				method: "POST",
				url: "/api/v1/auth/select-outlet",
				payload: { ssoExchangeToken, outletId },
			})
			.then((response) => response);
		await untilSomebodyWaits();
		await owner.query("commit");
		const response = await choosing;
		expect([response.statusCode, response.json().code]).toEqual([401, "exchange_token_invalid"]);
	} finally {
		await owner.end();
	}
});
