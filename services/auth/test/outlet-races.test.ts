import pg from "pg";
import { expect, test } from "vitest";
import { claimsOf, obtainTokens, setUpSignOn } from "./sign-on.ts";
import { statementWaits } from "./waiting.ts";

const signOn = setUpSignOn();

test("a session revoked in the moment an outlet is chosen gets no final tokens", async () => {
	const { access_token, ssoExchangeToken } = await obtainTokens(signOn.app, "nurse@uhai.example");
	const { WARD: outletId } = await signOn.outletsOf("uhai");
	const owner = new pg.Client({ connectionString: signOn.ownerUrl });
	await owner.connect();
	try {
		const { sid, tenant_id: tenantId } = claimsOf(access_token);
		await owner.query(`begin; set local app.tenant_id = '${tenantId}'`);
		const { rowCount } = await owner.query(
			"update sessions set revoked_at = $3 where tenant_id = $1 and id = $2",
			[tenantId, sid, signOn.now.at],
		);
		expect(rowCount).toBe(1);
		const choosing = signOn.app
			.inject({
				method: "POST",
				url: "/api/v1/auth/select-outlet",
				payload: { ssoExchangeToken, outletId },
			})
			.then((response) => response);
		await statementWaits(signOn.db, "take_exchange_token");
		await owner.query("commit");
		const response = await choosing;
		expect([response.statusCode, response.json().code]).toEqual([401, "exchange_token_invalid"]);
	} finally {
		await owner.end();
	}
});
