import type { Scene, Stand } from "@lango/testkit";
import { greeting } from "./office.ts";

const base = "/api/v1/:tenant/notifications";
const newMessage = ({ unique }: Scene) =>
	greeting([`${unique().replaceAll(/[^a-z0-9]/gi, "")}@uhai.example`]);
const message = async (scene: Scene) => {
	const { requestId } = await scene.make("POST", `${base}/messages`, newMessage(scene));
	return { params: { id: String(requestId) } };
};
/** A delivery that was cancelled, so that it can be sent again. */
const delivery = async (scene: Scene) => {
	const { params } = await message(scene);
	await scene.make("POST", `${base}/messages/${params.id}/cancel`);
	const { items } = await scene.make("GET", `${base}/messages/${params.id}/deliveries`);
	const [first] = items as Array<{ id: string }>;
	return { params: { id: String(first?.id) } };
};

/** How the matrices of callers call the routes of this service. */
export const policy = {
	base,
	roles: { viewer: "viewer", operator: "staff", admin: "admin" },
	samples: {
		[`POST ${base}/messages`]: (scene: Scene) => ({ body: newMessage(scene) }),
		[`GET ${base}/messages/:id`]: message,
		[`GET ${base}/messages/:id/deliveries`]: message,
		[`POST ${base}/messages/:id/cancel`]: message,
		[`GET ${base}/deliveries/:id`]: delivery,
		[`GET ${base}/deliveries/:id/address`]: delivery,
		[`POST ${base}/deliveries/:id/resend`]: async (scene: Scene) => ({
			...(await delivery(scene)),
			body: {},
		}),
	},
	also: ({ token, tenants: { uhai } }: Stand) => [
		{ name: "member", tenant: uhai, token: token(uhai, "member") },
	],
};
