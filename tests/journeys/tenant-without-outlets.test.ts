import { afterAll, beforeAll, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";
import { type Services, startServices } from "./services.ts";

// What a member of a tenant without active outlets may do, from the token that the sign-on issues to the
// service that reads it.

const within = { interval: 50 };
let platform: Services;
let owner: string;
beforeAll(async () => {
	platform = await startServices(() => new Date(), ["ordering"]);
	owner = await platform.signIn("owner@kahawa.example", parts.password);
}, 120_000);
afterAll(() => platform?.close());

const cashier = () => platform.signIn("cashier@kahawa.example", parts.password);
const orders = "/api/v1/kahawa/orders";
const claimsOf = (token: string) =>
	JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;

test("a member of a tenant without active outlets sees the rows of its archived outlets", async () => {
	const before = await cashier();
	const outletId = String(claimsOf(before)["outlet_id"]);
	const menu = await platform.call("ordering", "/api/v1/kahawa/menu/items");
	const [item] = menu.body["items"] as Array<{ id: string }>;
	const body = { lines: [{ item_id: item?.id }] };
	const placed = await platform.call("ordering", orders, { method: "POST", token: before, body });
	expect(placed).toMatchObject({ status: 201, body: { outlet_id: outletId } });

	const path = `/api/v1/tenants/kahawa/outlets/${outletId}`;
	const archived = await platform.call("auth", path, { method: "DELETE", token: owner });
	expect(archived.status).toBeLessThan(300);

	const after = await cashier();
	expect(claimsOf(after)).toMatchObject({ outlet_scope: "all", is_hq_user: false, outlet_id: "" });
	const seen = async () => (await platform.call("ordering", orders, { token: after })).body["items"];
	await expect.poll(seen, within).toMatchObject([{ id: placed.body["id"], outlet_id: outletId }]);
});
