import { buildService } from "@lango/chassis";
import { openStand } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { treasury } from "../src/service.ts";

const environment = { TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}` };
const stand = setUp(() => openStand({ service: treasury, build: buildService, environment }));
const me = (token?: string, url = "/api/v1/auth/me") => stand.call({ method: "GET", url, token });

test("auth/me without a tenant in its address answers for the tenant of the token, as under the base", async () => {
	const token = stand.token(stand.tenants.uhai, "manager");
	const underBase = await me(token, "/api/v1/uhai/treasury/auth/me");
	const { status, body } = await me(token);
	expect([status, body["service_role"]]).toEqual([200, "treasury_operator"]);
	expect(body).toEqual(underBase.body);
});

test("it answers a person whose tenant has no active subscription, and refuses a caller without a token", async () => {
	expect((await me(stand.token(stand.tenants.duka, "admin"))).status).toBe(200);
	expect((await me()).status).toBe(401);
});
