import type { Scene, Stand } from "@lango/testkit";

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

/** How the matrices of callers call the routes of this service. */
export const policy = {
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

/** The same with customers instead of viewers. */
export const withCustomers = { ...policy, roles: { ...policy.roles, viewer: "member" } };
