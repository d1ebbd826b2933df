import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { auth } from "../../services/auth/src/service.ts";
import {
	backend,
	claimsOf,
	codeOf,
	obtainBackendTokens,
	obtainCode,
	obtainTokens,
	openBrowser,
	postForm,
	startSignOnAt,
	tradeCode,
	writeDemo,
} from "../../services/auth/test/sign-on.ts";
import { createClusterDatabase, workerCounts } from "./cluster.ts";

describe.for(workerCounts)("sign-on on a coordinator and %d workers", (workers) => {
	const signOn = setUp(async () => {
		const database = await createClusterDatabase(auth, workers);
		await writeDemo(database.db);
		return startSignOnAt(database);
	});

	test.for([
		"admin@uhai.example",
		"pharm@uhai.example",
		"owner@kahawa.example",
		"cashier@kahawa.example",
		"owner@duka.example",
		"root@lango.example",
	])("%s signs in, refreshes twice and reads the profile", async (email) => {
		const { refresh_token: first, access_token } = await obtainTokens(signOn.app, email);
		const second = (await signOn.refresh(first)).json();
		const third = (await signOn.refresh(second.refresh_token)).json();
		const { sub, tenant_id, roles } = claimsOf(access_token);
		expect(claimsOf(third.access_token)).toMatchObject({ sub, tenant_id, roles });
		expect((await signOn.me(third.access_token)).json()).toMatchObject({ email });
	});

	test("twenty refreshes of one token at once all get one successor", async () => {
		const { refresh_token } = await obtainTokens(signOn.app, "owner@duka.example");
		const answers = await Promise.all(Array.from({ length: 20 }, () => signOn.refresh(refresh_token)));
		expect(new Set(answers.map((answer) => answer.json().refresh_token)).size).toBe(1);
	});

	test("five hundred refreshes by twenty sessions at once all succeed", async () => {
		const people = ["admin@uhai.example", "owner@kahawa.example", "owner@duka.example", "pharm@uhai.example"];
		const sessions = [];
		for (let count = 0; count < 20; count += 1)
			sessions.push(await obtainTokens(signOn.app, people[count % people.length] ?? ""));
		const chains = sessions.map(async ({ refresh_token: first }) => {
			let token = first;
			for (let count = 0; count < 25; count += 1) {
				const refreshed = await signOn.refresh(token);
				expect(refreshed.statusCode, refreshed.body).toBe(200);
				token = refreshed.json().refresh_token;
			}
		});
		await Promise.all(chains);
	});

	test("an old refresh token ends its session", async () => {
		const { refresh_token: first } = await obtainTokens(signOn.app, "owner@duka.example");
		const { refresh_token: second } = (await signOn.refresh(first)).json();
		const { refresh_token: third } = (await signOn.refresh(second)).json();
		expect((await signOn.refresh(first)).statusCode).toBe(400);
		expect((await signOn.refresh(third)).statusCode).toBe(400);
	});

	test("a code is good once; its second use ends the session of its first one", async () => {
		const browser = openBrowser(signOn.app);
		await browser.signIn("owner@kahawa.example");
		const obtained = await obtainCode(browser);
		const { refresh_token } = (await tradeCode(signOn.app, obtained)).json();
		expect((await tradeCode(signOn.app, obtained)).statusCode).toBe(400);
		expect((await signOn.refresh(refresh_token)).statusCode).toBe(400);
	});

	test("a revoked refresh token is refused", async () => {
		const { refresh_token } = await obtainBackendTokens(signOn.app, "owner@kahawa.example");
		const members = { token: refresh_token, ...backend };
		expect((await postForm(signOn.app, "/api/v1/revoke", { members })).statusCode).toBe(200);
		expect((await signOn.refresh(refresh_token, backend)).statusCode).toBe(400);
	});

	test("a wrong password is refused", async () => {
		const refused = await openBrowser(signOn.app).signIn("owner@duka.example", { password: "Wrong-2026!" });
		expect(codeOf(refused)).toEqual([401, "invalid_credentials"]);
	});

	test("a tenant sees its own rows; without a tenant none are seen; the platform owner sees all", async () => {
		const sessions = "select distinct tenant_id from sessions";
		const kahawa = signOn.tenants.get("kahawa") ?? "";
		await obtainTokens(signOn.app, "owner@kahawa.example");
		await obtainTokens(signOn.app, "owner@duka.example");
		expect(await inTenant(signOn.db, kahawa, (tx) => tx.query(sessions))).toEqual([{ tenant_id: kahawa }]);
		expect(await signOn.db.query(sessions)).toEqual([]);
		expect((await acrossTenants(signOn.db, (tx) => tx.query(sessions))).length).toBeGreaterThan(1);
	});

	test("a tenant cannot write a row of another one", async () => {
		const [kahawa = "", duka = ""] = ["kahawa", "duka"].map((slug) => signOn.tenants.get(slug));
		const writing = inTenant(signOn.db, kahawa, (tx) =>
			tx.query("insert into outlets (tenant_id, code, name, use_case) values ($1, 'X', 'X', 'retail')", [
				duka,
			]),
		);
		await expect(writing).rejects.toThrow(/row-level security/);
	});
});
