import { buildService } from "@lango/chassis";
import { openStand, printPolicy, type Scene, type Stand, walkForeign } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ordering } from "../src/service.ts";

const base = "/api/v1/:tenant";
const newItem = ({ unique }: Scene) => ({ category: "Coffee", name: unique(), price_minor: 1 });
const wanted = async (scene: Scene) => {
	const { id } = await scene.make("POST", `${base}/catalog/items`, newItem(scene));
	return { lines: [{ item_id: id }] };
};
const order = async (scene: Scene) => {
	const { id } = await scene.make("POST", `${base}/orders`, await wanted(scene));
	return { params: { id: String(id) } };
};

const policy = {
	base,
	roles: { viewer: "viewer", operator: "staff", admin: "admin" },
	samples: {
		[`POST ${base}/catalog/items`]: (scene: Scene) => ({ body: newItem(scene) }),
		[`PATCH ${base}/catalog/items/:id`]: async (scene: Scene) => {
			const { id } = await scene.make("POST", `${base}/catalog/items`, newItem(scene));
			return { params: { id: String(id) }, body: { price_minor: 2 } };
		},
		[`POST ${base}/orders`]: async (scene: Scene) => ({ body: await wanted(scene) }),
		[`GET ${base}/orders/:id`]: order,
		[`PATCH ${base}/orders/:id`]: async (scene: Scene) => ({
			...(await order(scene)),
			body: { status: "accepted" },
		}),
		[`POST ${base}/orders/:id/cancel`]: order,
	},
	also: ({ token, tenants: { uhai } }: Stand) =>
		["member", "cashier"].map((name) => ({ name, tenant: uhai, token: token(uhai, name) })),
};

let stand: Stand;
beforeAll(async () => {
	const plan = { limits: { max_orders_per_day: -1 } };
	stand = await openStand({ service: ordering, build: buildService, plan });
});
afterAll(() => stand.close());

test("every route answers every kind of caller as the reviewed policy in access.txt says", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 120_000);

test("another tenant and its things are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(45);
});
