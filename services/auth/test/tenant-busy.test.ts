import { inTenant, openPool } from "@lango/postgres";
import { besideOthers } from "@lango/testkit";
import { expect, test } from "vitest";
import { bearer, claimsOf, obtainTokens, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn({ AUTH_TENANT_REQUESTS_MAX: "2" });

test("requests of one tenant over the bound are refused with 429 tenant_busy, another tenant's are answered, and then there is room", async () => {
	const [uhai, kahawa] = [
		(await obtainTokens(signOn.app, "admin@uhai.example")).access_token,
		(await obtainTokens(signOn.app, "owner@kahawa.example")).access_token,
	];
	const list = (token: string, slug = "uhai") =>
		signOn.app.inject({
			url: `/api/v1/tenants/${slug}/members`,
			headers: bearer(token),
		});
	const owner = openPool({ url: signOn.ownerUrl, name: "owner", sizeMax: 1 });
	const answers = await inTenant(
		owner,
		String(claimsOf(uhai)["tenant_id"]),
		besideOthers(async (tx) => {
			await tx.query("lock table memberships in access exclusive mode");
			const held = [list(uhai), list(uhai)];
			await expect.poll(() => signOn.db.connections().used).toBeGreaterThan(1);
			const refused = await list(uhai);
			expect([refused.statusCode, refused.headers["retry-after"], refused.json().code]).toEqual([
				429,
				"1",
				"tenant_busy",
			]);
			const other = list(kahawa, "kahawa");
			expect((await signOn.app.inject("/readyz")).statusCode).toBe(200);
			return { all: [...held, other] };
		}),
	);
	await owner.close();
	expect((await Promise.all(answers.all)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
	expect((await list(uhai)).statusCode).toBe(200);
});
